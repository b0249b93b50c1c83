// Serves a module and loads it in both streaming ways.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const bytes = readFileSync(new URL('../../../target/programs/fib.wasm', import.meta.url));
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/wasm');
  response.end(bytes);
});
server.listen(0);
await once(server, 'listening');
const url = `http://localhost:${server.address().port}/lib/small%20fib.wasm?version=3`;

const { instance } = await WebAssembly.instantiateStreaming(await fetch(url));
const module = await WebAssembly.compileStreaming(fetch(url));
const second = new WebAssembly.Instance(module);
console.log(instance.exports.fib(10), second.exports.fib(10));
server.close();
server.closeAllConnections();
