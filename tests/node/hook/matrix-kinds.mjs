// Modules of every kind for the matrix: how each is used, and what is called by that.

import { readFileSync } from 'node:fs';
import { customSection, stripped } from '../modules.mjs';

/** For modules whose imports the engine provides. */
export const OPTIONS = { builtins: ['js-string'], importedStringConstants: 'const' };

const shared = () => new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });

/** `calls` by function, without `func[…]` that have no name: exports and imports have. */
export const KINDS = {
  plain: { file: 'fib', use: (e) => e.fib(5), calls: { fib: 15 } },
  'start, import, data': {
    file: 'start',
    imports: (log) => ({ env: { log } }),
    use: (e) => e.get(),
    calls: { 'env.log': 1, 'func[1]': 1, 'func[2]': 1, get: 1 },
  },
  'shared memory': {
    file: 'shared_memory',
    imports: () => ({ env: { memory: shared() } }),
    use: (e) => e.work(0, 3),
    calls: { 'func[0]': 6, work: 1 },
  },
  'no function of its own': {
    file: 'hook_thunk',
    imports: (log) => ({ e: { f: log } }),
    use: (e) => e.f(),
    calls: {},
  },
  'imports of the engine': {
    file: 'hook_strings',
    imports: (log) => ({ env: { log } }),
    use: (e) => e.run(),
    calls: { 'wasm:js-string.length': 1, 'env.log': 1, run: 1 },
    isTaken: (bytes) =>
      WebAssembly.Module.imports(new WebAssembly.Module(bytes, OPTIONS)).length === 1,
  },
  'two memories': {
    file: 'two_memories',
    use: (e) => e.run(),
    calls: { 'func[0]': 1, run: 1 },
  },
  'tail calls': {
    file: 'tailcalls',
    use: (e) => e.direct(4),
    calls: { 'func[0]': 2, 'func[1]': 3, 'func[2]': 2, direct: 1 },
  },
  references: {
    file: 'reference',
    use: (e) => e.run(),
    calls: { 'func[0]': 1, 'func[1]': 1, 'func[2]': 1, 'func[3]': 1, run: 1 },
  },
};

/** A module's bytes with a name that tells it from all others. */
export function bytesOf(kind, way) {
  const url = new URL(`../../../target/programs/${KINDS[kind].file}.wasm`, import.meta.url);
  const name = Buffer.from(`${kind} by ${way}`);
  const section = customSection('name', Buffer.from([0, name.length + 1, name.length, ...name]));
  return new Uint8Array(Buffer.concat([stripped(readFileSync(url)), section]));
}

/** Whether this engine takes modules of a kind. */
export function isTaken(kind) {
  const bytes = bytesOf(kind, '');
  return WebAssembly.validate(bytes) && (KINDS[kind].isTaken?.(bytes) ?? true);
}

/** Uses an instance; the result says what it did. */
export function use(kind, instantiate) {
  const logged = [];
  const { imports = () => ({}), use } = KINDS[kind];
  const finish = (instance) => JSON.stringify([use(instance.exports) ?? null, logged]);
  const made = instantiate(imports((...args) => void logged.push(args.length)));
  return made instanceof WebAssembly.Instance ? finish(made) : made.then(finish);
}
