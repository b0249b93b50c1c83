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

// fetch of Node 20 and 22 compiles a module of the engine's own. It is not what this is about.
const { compile } = WebAssembly;
WebAssembly.compile = () => Promise.reject(new Error('no'));
const responses = [await fetch(url), await fetch(url)];
WebAssembly.compile = compile;

const { instance } = await WebAssembly.instantiateStreaming(responses[0]);
const module = await WebAssembly.compileStreaming(Promise.resolve(responses[1]));
const second = new WebAssembly.Instance(module);
console.log(instance.exports.fib(10), second.exports.fib(10));
server.close();
server.closeAllConnections();
