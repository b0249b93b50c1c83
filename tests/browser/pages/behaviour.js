// What a program can see of its page: every global and what it is made of, what modules and
// their instances look like, what workers and frames do. Leaves it as text in `globalThis.seen`,
// and says things to the console.

const FIB = '/target/programs/fib.wasm';
const errors = [];
addEventListener('error', ({ message }) => errors.push(message));
addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));

function describeValue(value) {
  if (typeof value !== 'function') return typeof value;
  return `${Function.prototype.toString.call(value)} ${value.name} ${value.length}`;
}

function describe(object, path, lines) {
  for (const key of Reflect.ownKeys(object)) {
    const { value, get, set, ...flags } = Object.getOwnPropertyDescriptor(object, key);
    const parts = [value, get, set].map(describeValue).join('|');
    lines.push(`${path}.${String(key)}: ${parts} ${JSON.stringify(flags)}`);
  }
}

function globals() {
  const lines = [];
  describe(globalThis, 'globalThis', lines);
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const { value } = Object.getOwnPropertyDescriptor(globalThis, name);
    if (typeof value === 'object' && value !== null && name === 'WebAssembly') {
      for (const key of Object.keys(Object.getOwnPropertyDescriptors(value))) {
        if (typeof value[key] !== 'function') continue;
        describe(value[key], key, lines);
        if (value[key].prototype) describe(value[key].prototype, `${key}.prototype`, lines);
      }
      describe(value, name, lines);
    }
    if (typeof value !== 'function') continue;
    describe(value, name, lines);
    const parent = Object.getPrototypeOf(value);
    lines.push(`${name} extends ${parent.name} ${parent === globalThis[parent.name]}`);
    if (value.prototype) describe(value.prototype, `${name}.prototype`, lines);
  }
  return lines.sort();
}

async function modules() {
  const response = await fetch(FIB);
  const bytes = await response.clone().arrayBuffer();
  const streamed = await WebAssembly.instantiateStreaming(response);
  const { exports } = streamed.instance;
  const lines = [];
  describe(exports, 'exports', lines);
  lines.push(String(Object.isFrozen(exports)), String(Object.getPrototypeOf(exports)));
  lines.push(JSON.stringify(WebAssembly.Module.exports(streamed.module)));
  lines.push(JSON.stringify(WebAssembly.Module.imports(streamed.module)));
  lines.push(String(exports.fib(10)), String(new Uint8Array(bytes).length));
  for (const attempt of [
    () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 9, 0, 0, 0])),
    () => WebAssembly.Module(bytes),
    () => new WebAssembly.Instance({}),
    () => exports.fib.call(undefined, 1n),
    () => new Worker(),
    () => Worker('/worker.js'),
  ]) {
    try {
      attempt();
      lines.push('no error');
    } catch (error) {
      lines.push(String(error));
    }
  }
  await WebAssembly.compile(new Uint8Array(4)).catch((error) => lines.push(String(error)));
  return lines;
}

async function worker() {
  const lines = [];
  const started = new Worker('/worker.js', { name: 'mine' });
  lines.push(String(started), String(started instanceof Worker));
  await new Promise((resolve, reject) => {
    started.onmessage = ({ data, origin, source }) => {
      lines.push(`${data} ${origin} ${source}`);
      resolve();
    };
    started.onerror = ({ message }) => reject(new Error(message));
  });
  return lines;
}

async function frame() {
  const element = document.createElement('iframe');
  const loads = [];
  element.onload = () => loads.push('load');
  element.src = '/empty.html';
  document.body.append(element);
  await new Promise((resolve) => element.addEventListener('load', resolve));
  const { contentWindow, contentDocument } = element;
  return [
    String(contentWindow === frames[0]),
    String(contentDocument === contentWindow.document),
    contentDocument.title,
    JSON.stringify(loads),
    String(contentWindow.WebAssembly.Module === WebAssembly.Module),
  ];
}

console.log('begins', { a: 1 });
const parts = { globals: globals(), modules: await modules(), worker: await worker() };
parts.frame = await frame();
parts.markup = document.documentElement.outerHTML;
parts.resources = performance
  .getEntriesByType('resource')
  .map(({ name }) => name)
  .sort();
console.warn('a warning of the page');
console.error('an error of the page');
setTimeout(() => {
  throw new Error('thrown by the page');
});
Promise.reject(new Error('rejected by the page'));
await new Promise((resolve) => setTimeout(resolve, 300));
parts.errors = errors;
globalThis.seen = JSON.stringify(parts);
