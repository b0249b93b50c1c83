// Preloaded: puts COUNTING_MODULE, whose every instruction counts itself, in the place of
// a program's only module, and writes the counts by function index to COUNTS.

import { readFileSync, writeFileSync } from 'node:fs';
import { countsOf } from '../oracle.mjs';

const { COUNTING_MODULE, COUNTS } = process.env;
const { Module, Instance, instantiate } = WebAssembly;
const bytes = readFileSync(COUNTING_MODULE);
const instances = [];

function seen(instance) {
  instances.push(instance);
  return instance;
}

WebAssembly.Module = new Proxy(Module, {
  construct: (target, [, ...options]) => new target(bytes, ...options),
});
WebAssembly.Instance = new Proxy(Instance, {
  construct: (target, args) => seen(new target(...args)),
});
WebAssembly.instantiate = async (source, ...rest) => {
  if (source instanceof Module) return seen(await instantiate(source, ...rest));
  const result = await instantiate(bytes, ...rest);
  seen(result.instance);
  return result;
};

process.on('exit', () => {
  if (instances.length !== 1) throw new Error(`${instances.length} instances were made`);
  writeFileSync(COUNTS, JSON.stringify(countsOf(instances[0].exports)));
});
