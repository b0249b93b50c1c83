// Writes every module that a program compiles to a folder, under its hash: `node --import`.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';

const folder = process.env.CAPTURE_TO;
if (!folder) throw new Error('CAPTURE_TO names no folder');
mkdirSync(folder, { recursive: true });

function keep(source) {
  if (!ArrayBuffer.isView(source) && !(source instanceof ArrayBuffer)) return;
  const bytes = Buffer.from(source.buffer ?? source, source.byteOffset ?? 0, source.byteLength);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  writeFileSync(`${folder}/${hash}.wasm`, bytes);
}

const { Module, compile, instantiate } = WebAssembly;
WebAssembly.Module = new Proxy(Module, {
  construct(target, args) {
    keep(args[0]);
    return Reflect.construct(target, args);
  },
});
WebAssembly.compile = (...args) => {
  keep(args[0]);
  return Reflect.apply(compile, WebAssembly, args);
};
WebAssembly.instantiate = (...args) => {
  keep(args[0]);
  return Reflect.apply(instantiate, WebAssembly, args);
};
for (const name of ['compileStreaming', 'instantiateStreaming']) {
  const plain = WebAssembly[name.replace('Streaming', '')];
  if (!WebAssembly[name]) continue;
  WebAssembly[name] = async (response, ...rest) =>
    plain(await (await response).arrayBuffer(), ...rest);
}
