// Runs one script: each command passes, fails or is skipped.

import { readFileSync } from 'node:fs';
import { createEngine } from './engines.mjs';
import { check, NotExpressible, perform } from './values.mjs';

const folder = new URL('../../target/spec/', import.meta.url);

const spectest = readFileSync(new URL('spectest.wasm', folder));

/**
 * `outcomes`: of each command `passed`, `failed` or `skipped`, and the error that
 * was expected or not; `counts`: what the profile says; `skipped`: modules that
 * ran without probes.
 */
export function runScript(file, kind) {
  const { commands, adapters } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  const script = new Script(createEngine(kind), adapters);
  const outcomes = commands.map((command) => {
    const [outcome, why] = script.run(command);
    return { line: command.line, kind: command.kind, outcome, why };
  });
  // How deep a runaway recursion gets depends on the size of its frames.
  const bounded = commands.every((command) => command.kind !== 'exhaustion');
  const counts = bounded ? script.engine.counts() : undefined;
  return { outcomes, counts, skipped: script.engine.skipped() };
}

/** What every script may import as `spectest`. */
function createSpectest(engine) {
  const { exports } = engine.instantiate(engine.compile(spectest), { host: { print: () => {} } });
  const table = { element: 'anyfunc', initial: 10, maximum: 20 };
  const memory = { initial: 1, maximum: 2 };
  return {
    ...exports,
    table: new WebAssembly.Table(table),
    // Engines without 64-bit tables ignore the address type, or refuse its numbers.
    table64: attempt(
      () => new WebAssembly.Table({ ...table, address: 'i64', initial: 10n, maximum: 20n }),
    ),
    memory: new WebAssembly.Memory(memory),
    shared_memory: new WebAssembly.Memory({ ...memory, shared: true }),
  };
}

function attempt(make) {
  try {
    return make();
  } catch {
    return undefined;
  }
}

class Script {
  #definitions = new Map();
  #instances = new Map();
  #imports = {};
  #adapters = new Map();

  constructor(engine, adapters) {
    this.engine = engine;
    this.adapterModules = (number) => {
      if (!this.#adapters.has(number)) {
        const bytes = Buffer.from(adapters[number], 'hex');
        this.#adapters.set(number, new WebAssembly.Module(bytes));
      }
      return this.#adapters.get(number);
    };
    this.#imports.spectest = createSpectest(engine);
  }

  run(command) {
    try {
      const fault = this.#run(command);
      return fault === undefined ? ['passed'] : ['failed', fault];
    } catch (error) {
      if (error instanceof NotExpressible) return ['skipped', error.message];
      if (error instanceof Expected) return ['passed', error.message];
      return ['failed', describe(error)];
    }
  }

  /** @returns what is wrong with a result @throws Expected, NotExpressible, or what was not expected */

  #run(command) {
    switch (command.kind) {
      case 'module':
        return this.#keep(command.id, this.#instantiate(this.#define(command)));
      case 'definition':
        this.#define(command);
        return undefined;
      case 'instance':
        return this.#keep(
          command.id,
          this.#instantiate(this.#definitions.get(command.module ?? '')),
        );
      case 'register':
        this.#imports[command.as] = this.#instance(command.id).exports;
        return undefined;
      case 'action':
        this.#perform(command.action);
        return undefined;
      case 'return':
        return check(this.#perform(command.action), command.results);
      case 'trap':
        return throws(WebAssembly.RuntimeError, () => this.#perform(command.action));
      case 'trap-start':
        return throws(WebAssembly.RuntimeError, () => this.#instantiate(this.#define(command)));
      case 'exhaustion':
        return throws(RangeError, () => this.#perform(command.action));
      case 'exception':
        return throws(WebAssembly.Exception, () => this.#perform(command.action));
      case 'invalid':
        return throws(WebAssembly.CompileError, () => this.engine.compile(bytesOf(command)));
      case 'unlinkable': {
        const module = this.engine.compile(bytesOf(command));
        return throws(WebAssembly.LinkError, () => this.#instantiate({ module }));
      }
      case 'skipped':
        throw new NotExpressible(command.why);
      default:
        throw new Error(`unknown command ${command.kind}`);
    }
  }

  #define(command) {
    // What fails leaves nothing behind that a later command could take for its own.
    this.#definitions.delete('');
    const module = this.engine.compile(bytesOf(command));
    const definition = { module, adapters: command.adapters ?? {} };
    this.#definitions.set('', definition);
    if (command.id) this.#definitions.set(command.id, definition);
    return definition;
  }

  #instantiate({ module, adapters }) {
    this.#instances.delete('');
    const { exports } = this.engine.instantiate(module, this.#imports);
    return { exports, adapters, adapterModules: this.adapterModules, runs: new Map() };
  }

  #keep(id, instance) {
    this.#instances.set('', instance);
    if (id) this.#instances.set(id, instance);
  }

  #instance(id) {
    const instance = this.#instances.get(id ?? '');
    if (!instance) throw new Error('no such instance');
    return instance;
  }

  #perform({ id, invoke, get, args }) {
    return perform(this.#instance(id), invoke ?? get, get === undefined ? args : undefined);
  }
}

const bytesOf = (command) => new Uint8Array(Buffer.from(command.bytes, 'hex'));

class Expected extends Error {}

function describe(error) {
  if (error instanceof WebAssembly.Exception) return 'WebAssembly.Exception';
  return `${error?.constructor?.name}: ${error?.message}`;
}

function throws(kind, run) {
  try {
    run();
  } catch (error) {
    // Plain and instrumented must fail with the same words.
    throw error instanceof kind ? new Expected(describe(error)) : error;
  }
  return 'it did not fail';
}
