// Prints everything that a program can notice about `WebAssembly`. The hook's test
// runs it plain and profiled and compares: each line must be the same.

import { readFileSync } from 'node:fs';

const program = (name) =>
  readFileSync(new URL(`../../../target/programs/${name}.wasm`, import.meta.url));
const bytes = program('hook');

const observations = [];
const observe = (name, value) => observations.push(`${name}: ${show(value)}`);

function show(value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `function ${value.name}/${value.length}`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer ${[...new Uint8Array(value)]}`;
  if (Array.isArray(value)) return `[${value.map(show).join(', ')}]`;
  if (Object.prototype.toString.call(value) === '[object Object]') {
    return `{${Reflect.ownKeys(value).map((key) => `${String(key)}: ${show(value[key])}`)}}`;
  }
  return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
}

/** Which world it is of, where there are several, shows in what it is an instance of. */
function described(error) {
  const kinds = [Error, TypeError, WebAssembly.CompileError, WebAssembly.LinkError];
  const own = kinds.map((Kind) => Number(error instanceof Kind)).join('');
  return `${error?.constructor?.name} ${error?.message ?? error} ${own}`;
}

/** What `f` returns or throws. */
function observeCall(name, f) {
  try {
    observe(name, f());
  } catch (error) {
    observe(`${name} throws`, described(error));
  }
}

async function observePromise(name, f) {
  try {
    const promise = f();
    observe(`${name} is a promise`, promise instanceof Promise);
    observe(name, await promise);
  } catch (error) {
    observe(`${name} rejects`, described(error));
  }
}

const tableOf = () => new WebAssembly.Table({ element: 'anyfunc', initial: 2 });
const importsOf = (calls = []) => ({
  a: {
    f: (...args) => {
      calls.push(args);
      return 100;
    },
    g: 20,
  },
  b: { f: () => calls.push('b'), table: tableOf() },
});

// Properties.
for (const holder of [WebAssembly, WebAssembly.Module, WebAssembly.Instance]) {
  for (const key of Reflect.ownKeys(holder)) {
    const { value, get, set, ...flags } = Object.getOwnPropertyDescriptor(holder, key);
    if (key === 'arguments' || key === 'caller') continue;
    observe(`property ${String(key)}`, [flags, value, typeof get, typeof set]);
  }
}
for (const name of ['Module', 'Instance']) {
  const Class = WebAssembly[name];
  const { constructor: link } = Object.getOwnPropertyDescriptors(Class.prototype);
  observe(`${name}.prototype.constructor`, link.value === Class);
  observe(`${name}.prototype.constructor flags`, { ...link, value: 0 });
  observe(`${name} keys`, Object.keys(Class));
  observeCall(`${name} without new`, () => Class(bytes));
  observeCall(`${name} without arguments`, () => new Class());
}
for (const name of [
  'compile',
  'instantiate',
  'validate',
  'compileStreaming',
  'instantiateStreaming',
]) {
  observe(`${name}.prototype`, WebAssembly[name].prototype);
  observeCall(`new ${name}`, () => new WebAssembly[name](bytes));
}

// Modules.
const module = new WebAssembly.Module(bytes);
observe('instanceof', module instanceof WebAssembly.Module);
observe('prototype', Object.getPrototypeOf(module) === WebAssembly.Module.prototype);
observe('constructor', module.constructor === WebAssembly.Module);
observe('module', module);
class Derived extends WebAssembly.Module {
  extra = 1;
}
const derived = new Derived(bytes);
observe('derived', [
  derived instanceof Derived,
  derived instanceof WebAssembly.Module,
  derived.extra,
]);
observe('imports', WebAssembly.Module.imports(module));
observe('exports', WebAssembly.Module.exports(module));
observe('section mine', WebAssembly.Module.customSections(module, 'mine'));
observe('section wasm-xray', WebAssembly.Module.customSections(module, 'wasm-xray'));
observe('cloned', WebAssembly.Module.imports(structuredClone(module)));
for (const value of [undefined, null, 1, {}, bytes]) {
  observeCall(`imports of ${show(value)}`, () => WebAssembly.Module.imports(value));
  observeCall(`customSections of ${show(value)}`, () =>
    WebAssembly.Module.customSections(value, 'x'),
  );
}
observeCall('customSections without name', () => WebAssembly.Module.customSections(module));
observeCall('customSections of undefined', () =>
  WebAssembly.Module.customSections(module, undefined),
);

// Bytes of every kind.
const shared = new SharedArrayBuffer(bytes.length);
new Uint8Array(shared).set(bytes);
const padded = new Uint8Array(bytes.length + 7);
padded.set(bytes, 3);
const detached = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
structuredClone(detached, { transfer: [detached] });
const resizable = new ArrayBuffer(bytes.length, { maxByteLength: 2 * bytes.length });
new Uint8Array(resizable).set(bytes);
const growable = new SharedArrayBuffer(bytes.length, { maxByteLength: 2 * bytes.length });
new Uint8Array(growable).set(bytes);
const shrunk = new ArrayBuffer(100, { maxByteLength: 100 });
const outOfBounds = new Uint8Array(shrunk, 50, 50);
shrunk.resize(20);
const sources = {
  resizable,
  growable,
  'view of a resizable': new Uint8Array(resizable, 0, bytes.length),
  'view of shared': new Uint8Array(shared),
  'view of words': new Uint16Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)),
  ),
  'out of bounds': outOfBounds,
  buffer: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  shared,
  view: padded.subarray(3, 3 + bytes.length),
  dataView: new DataView(padded.buffer, 3, bytes.length),
  outside: padded,
  detached,
  empty: new Uint8Array(0),
  'not wasm': new TextEncoder().encode('Hello, this is not wasm.'),
  truncated: bytes.subarray(0, bytes.length - 20),
  'header only': bytes.subarray(0, 8),
  'wrong version': Uint8Array.of(0, 0x61, 0x73, 0x6d, 9, 0, 0, 0),
  component: Uint8Array.of(0, 0x61, 0x73, 0x6d, 0xd, 0, 1, 0),
  'invalid body': Uint8Array.of(
    0,
    97,
    115,
    109,
    1,
    0,
    0,
    0,
    1,
    4,
    1,
    96,
    0,
    0,
    3,
    2,
    1,
    0,
    10,
    5,
    1,
    3,
    0,
    26,
    11,
  ),
  number: 7,
  null: null,
  text: 'wasm',
  array: [...bytes],
};
for (const [name, source] of Object.entries(sources)) {
  observeCall(
    `new Module(${name})`,
    () => WebAssembly.Module.exports(new WebAssembly.Module(source)).length,
  );
  await observePromise(`compile(${name})`, () => WebAssembly.compile(source));
  await observePromise(`instantiate(${name})`, () => WebAssembly.instantiate(source, importsOf()));
  observeCall(`validate(${name})`, () => WebAssembly.validate(source));
}
await observePromise('compile()', () => WebAssembly.compile());
await observePromise('instantiate()', () => WebAssembly.instantiate());

// The bytes may change as soon as a call is under way.
const changing = new Uint8Array(bytes);
const underWay = WebAssembly.compile(changing);
changing.fill(0);
await observePromise('bytes changed after compile', () => underWay);

// Import objects.
const partial = (change) => {
  const imports = importsOf();
  change(imports);
  return imports;
};
const importObjects = {
  right: importsOf(),
  undefined: undefined,
  null: null,
  number: 5,
  function: Object.assign(() => {}, importsOf()),
  empty: {},
  'no b': partial((i) => delete i.b),
  'b a number': partial((i) => (i.b = 3)),
  'no function': partial((i) => delete i.a.f),
  'function an object': partial((i) => (i.b.f = {})),
  'global a string': partial((i) => (i.a.g = 'x')),
  'table a memory': partial((i) => (i.b.table = new WebAssembly.Memory({ initial: 1 }))),
  'small table': partial(
    (i) => (i.b.table = new WebAssembly.Table({ element: 'anyfunc', initial: 1 })),
  ),
  'throwing getter': partial((i) =>
    Object.defineProperty(i.a, 'f', {
      get() {
        throw new RangeError('no');
      },
    }),
  ),
};
for (const [name, imports] of Object.entries(importObjects)) {
  observeCall(`new Instance, imports ${name}`, () => new WebAssembly.Instance(module, imports));
  await observePromise(`instantiate module, imports ${name}`, () =>
    WebAssembly.instantiate(module, imports),
  );
  await observePromise(`instantiate bytes, imports ${name}`, () =>
    WebAssembly.instantiate(bytes, imports),
  );
}
const thunk = new WebAssembly.Module(program('hook_thunk'));
const noImports = new WebAssembly.Module(program('direct'));
for (const imports of [undefined, null, 5, {}]) {
  observeCall(`thunk with ${show(imports)}`, () => new WebAssembly.Instance(thunk, imports));
  observeCall(
    `no imports with ${show(imports)}`,
    () => new WebAssembly.Instance(noImports, imports),
  );
}
for (const value of [undefined, null, {}, bytes, WebAssembly]) {
  observeCall(`new Instance(${show(value)})`, () => new WebAssembly.Instance(value, {}));
}

const ofHere = (object) => Object.getPrototypeOf(object) === Object.prototype;
const both = await WebAssembly.instantiate(bytes, importsOf());
const alone = await WebAssembly.instantiate(both.module, importsOf());
observe('an answer is of this world', [
  ofHere(both),
  both.module instanceof WebAssembly.Module,
  both.instance instanceof WebAssembly.Instance,
  alone instanceof WebAssembly.Instance,
  Object.keys(both),
]);
observe(
  'exports are of this world',
  Object.values(both.instance.exports).map((value) => [
    value instanceof Function,
    value instanceof WebAssembly.Memory,
    value instanceof WebAssembly.Table,
    value instanceof WebAssembly.Global,
  ]),
);
const lists = [
  WebAssembly.Module.imports(both.module),
  WebAssembly.Module.exports(both.module),
  WebAssembly.Module.customSections(both.module, 'wasm-xray'),
  WebAssembly.Module.customSections(both.module, 'mine'),
];
observe(
  'lists are of this world',
  lists.map((list) => [list.constructor === Array, list.every((e) => e instanceof Object)]),
);

// Reads of the import object.
const trace = [];
const traced = (object, path) =>
  new Proxy(object, {
    get(target, key, receiver) {
      trace.push(`${path}${String(key)}`);
      const value = Reflect.get(target, key, receiver);
      return path === '' ? traced(value, `${String(key)}.`) : value;
    },
    has: (target, key) => trace.push(`has ${String(key)}`) && Reflect.has(target, key),
    ownKeys: (target) => trace.push('keys') && Reflect.ownKeys(target),
  });
new WebAssembly.Instance(module, traced(importsOf(), ''));
observe('reads by Instance', trace.splice(0).join(' '));
await WebAssembly.instantiate(module, traced(importsOf(), ''));
observe('reads by instantiate(module)', trace.splice(0).join(' '));
await WebAssembly.instantiate(bytes, traced(importsOf(), ''));
observe('reads by instantiate(bytes)', trace.splice(0).join(' '));
let reads = 0;
const counting = importsOf();
Object.defineProperty(counting.a, 'f', {
  get() {
    reads += 1;
    return () => reads;
  },
});
new WebAssembly.Instance(module, counting);
observe('getter of a name imported twice', reads);

// What an instance does.
const calls = [];
const imports = importsOf(calls);
const instance = new WebAssembly.Instance(module, imports);
observe('instance', [
  instance instanceof WebAssembly.Instance,
  instance.constructor === WebAssembly.Instance,
]);
observe('exports frozen', [
  Object.isFrozen(instance.exports),
  Object.getPrototypeOf(instance.exports),
]);
observe(
  'export kinds',
  Object.entries(instance.exports).map(([key, value]) => `${key} ${typeof value}`),
);
observe('export length', instance.exports.own.length);
const { exports } = instance;
observe('same exports', instance.exports === exports);
observe('table has the export', imports.b.table.get(0) === instance.exports.own);
observe('table has the reexport', imports.b.table.get(1) === instance.exports.reexported);
observe('reexport is not the import', instance.exports.reexported === imports.b.f);
observe('own', instance.exports.own(5));
instance.exports.big();
instance.exports.reexported();
observe('arguments of imports', calls);
const { memory } = instance.exports;
observe('memory', [memory instanceof WebAssembly.Memory, memory.buffer.byteLength, memory.grow(2)]);
observeCall('memory beyond its maximum', () => memory.grow(1));
observe('memory after', memory.buffer.byteLength);
observe('two instances', new WebAssembly.Instance(module, importsOf()).exports.memory !== memory);
observeCall('an export of another type as an import', () => {
  const { own, big } = instance.exports;
  const before = importsOf();
  before.a.f = own;
  before.b.f = big;
  return new WebAssembly.Instance(module, before);
});

// `this`, `new.target` and errors of imports.
const seen = [];
const sloppy = new Function(
  'seen',
  'return function () { seen.push(this === globalThis, arguments.length, new.target); }',
)(seen);
function strict(...args) {
  seen.push(this, args.length, new.target);
}
const failure = new Error('thrown by an import');
for (const f of [
  sloppy,
  strict,
  strict.bind('bound'),
  new Proxy(strict, {}),
  async () => seen.push('async'),
  class A {},
  () => {
    throw failure;
  },
  () => ({ valueOf: () => 9 }),
  () => 4294967297.9,
  () => 'text',
  () => Symbol(),
]) {
  const imports = importsOf();
  imports.a.f = f;
  imports.b.f = f;
  observeCall(`import ${f.name}`, () => {
    try {
      return new WebAssembly.Instance(module, imports).exports.own(1);
    } catch (error) {
      if (error === failure) return 'the same error';
      throw error;
    }
  });
}
observe('seen by imports', seen);

// Start functions run once, whatever they do.
const started = [];
const start = {
  env: {
    log: () => started.push('log'),
    throw: () => {
      throw failure;
    },
  },
};
observeCall(
  'start',
  () => new WebAssembly.Instance(new WebAssembly.Module(program('hook_start')), start),
);
await observePromise('start, bytes', () => WebAssembly.instantiate(program('hook_start'), start));
observe('started', started);

// A thunk keeps what goes through it.
const thunkOf = (f) => new WebAssembly.Instance(thunk, { e: { f } }).exports.f;
observe(
  'thunk',
  thunkOf(() => {}),
);
observeCall('thunk of an export', () => thunkOf(thunkOf(() => {})));

// Streaming.
const respond = (body, headers = { 'content-type': 'application/wasm' }, init = {}) =>
  new Response(body, { headers, ...init });
const used = respond(bytes);
await used.arrayBuffer();
const responses = {
  right: () => respond(bytes),
  promise: () => Promise.resolve(respond(bytes)),
  'wrong type': () => respond(bytes, { 'content-type': 'text/plain' }),
  'with parameter': () => respond(bytes, { 'content-type': 'application/wasm; charset=x' }),
  'not found': () => respond(bytes, undefined, { status: 404 }),
  used: () => used,
  empty: () => respond(null),
  truncated: () => respond(bytes.subarray(0, 30)),
  bytes: () => bytes,
  undefined: () => undefined,
  rejected: () => Promise.reject(new RangeError('no')),
};
for (const [name, response] of Object.entries(responses)) {
  await observePromise(`compileStreaming(${name})`, () => WebAssembly.compileStreaming(response()));
  await observePromise(`instantiateStreaming(${name})`, () =>
    WebAssembly.instantiateStreaming(response(), importsOf()),
  );
}
for (const imports of [undefined, 5, {}]) {
  await observePromise(`instantiateStreaming with ${show(imports)}`, () =>
    WebAssembly.instantiateStreaming(respond(bytes), imports),
  );
}

// Compile options.
const options = { builtins: ['js-string'], importedStringConstants: 'const' };
const strings = program('hook_strings');
const log = [];
const env = {
  env: { log: (n) => log.push(n) },
  const: { four: 'four' },
  'wasm:js-string': { length: (s) => s.length },
};
for (const given of [
  undefined,
  options,
  { builtins: 5 },
  { builtins: ['js-string', 'js-string'] },
  5,
]) {
  const name = `options ${show(given)}`;
  observeCall(`imports, ${name}`, () =>
    WebAssembly.Module.imports(new WebAssembly.Module(strings, given)),
  );
  observeCall(`run, ${name}`, () => {
    new WebAssembly.Instance(new WebAssembly.Module(strings, given), env).exports.run();
    return log.splice(0);
  });
  await observePromise(`compile, ${name}`, async () =>
    WebAssembly.Module.imports(await WebAssembly.compile(strings, given)),
  );
  await observePromise(`instantiate, ${name}`, async () => {
    const { instance } = await WebAssembly.instantiate(strings, env, given);
    instance.exports.run();
    return log.splice(0);
  });
  await observePromise(`instantiateStreaming, ${name}`, async () => {
    const { instance } = await WebAssembly.instantiateStreaming(respond(strings), env, given);
    instance.exports.run();
    return log.splice(0);
  });
}

console.log(observations.join('\n'));
