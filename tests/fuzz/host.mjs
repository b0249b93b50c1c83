// What generated modules import, and what is called of them: all of it follows from
// the seed and from what the module did so far, so it is the same with probes.

import { createHash } from 'node:crypto';
import { Describer } from './values.mjs';

/** Calls into an instance that imports may make while others are live. */
const MAX_DEPTH = 3;
/** Entries of functions and loops in one step. */
const FUEL = 200;
/** Traps before which instructions are counted. */
const COUNTED_TRAPS =
  /^(unreachable|divide by zero|remainder by zero|divide result unrepresentable|float unrepresentable.*|null function or function signature mismatch)$/;

export class Host {
  /** Outcome of every step, in words. */
  outcomes = [];
  /** Traps that lose instructions, see `crates/rewriter/src/instructions.rs`. */
  accessTraps = 0;
  /** Calls of each imported function. */
  calls = {};

  #state;
  #depth = 0;
  #instance;
  #functions;
  #caught;
  #hostRuns;
  #describer = new Describer();
  #table = new WebAssembly.Table({ element: 'anyfunc', initial: 6, maximum: 20 });
  #memory = new WebAssembly.Memory({ initial: 1, maximum: 3 });
  #globals;
  #tag = new WebAssembly.Tag({ parameters: ['i32'] });

  /**
   * @param functions the exported functions that are not imports, with the types of their parameters
   * @param caught called whenever an error was caught here
   * @param hostRuns whether the profiler knows that no function of a module runs
   */
  constructor(seed, functions, caught, hostRuns) {
    this.#state = seed;
    this.#functions = functions;
    this.#caught = caught;
    this.#hostRuns = hostRuns;
    const global = (value, mutable, initial) => new WebAssembly.Global({ value, mutable }, initial);
    this.#globals = {
      const_i32: global('i32', false, 2),
      mut_i32: global('i32', true, 5),
      mut_i64: global('i64', true, 7n),
      const_f64: global('f64', false, 0.5),
      mut_extern: global('externref', true, this.#describer.object(0)),
      mut_func: global('anyfunc', true, null),
    };
  }

  imports() {
    const results = {
      f: () => undefined,
      f_i: () => undefined,
      i_f: () => this.#random(16),
      i_i: (x) => x + 1,
      l_ld: (x) => x - 1n,
      il_f: () => [this.#random(16), 3n],
      re_re: (_f, x) => [this.#someFunction(), this.#random(2) ? x : this.#describer.object(1)],
    };
    const functions = Object.entries(results).map(([name, result]) => [
      name,
      (...args) => {
        this.calls[name] = (this.calls[name] ?? 0) + 1;
        this.#checkRunning(`in ${name}`);
        this.#act();
        return result(...args);
      },
    ]);
    return {
      host: {
        ...Object.fromEntries(functions),
        ...this.#globals,
        memory: this.#memory,
        table: this.#table,
        tag: this.#tag,
      },
    };
  }

  /** Instantiates the module and calls what it exports, twice. */
  run(instantiate) {
    this.#step('instantiate', () => {
      this.#instance = instantiate(this.imports()).exports;
      this.#describer.know(this.#instance);
    });
    if (!this.#instance) return;
    for (let round = 0; round < 2; round++) {
      for (const { name, params } of this.#functions.slice(0, 12)) {
        this.#step(name, () => this.#call(this.#instance[name], params));
      }
      for (const f of this.#tableFunctions()) {
        this.#step('table', () => this.#call(f, Array(f.length).fill('i32')));
      }
      this.outcomes.push(this.#contents());
    }
  }

  #checkRunning(where) {
    if (!this.#hostRuns()) this.outcomes.push(`${where} something else is said to run`);
  }

  #random(n) {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((this.#state ^ (this.#state >>> 13)) >>> 0) % n;
  }

  #step(name, run) {
    let outcome;
    const fuel = this.#fuel();
    if (fuel) fuel.value = FUEL;
    try {
      outcome = this.#describer.value(run());
    } catch (error) {
      outcome = `threw ${this.#describer.error(error, this.#instance)}`;
      this.#note(error);
    }
    this.outcomes.push(`${name}: ${outcome}; ${this.#variables()}`);
  }

  #note(error) {
    this.accessTraps +=
      error instanceof WebAssembly.RuntimeError && !COUNTED_TRAPS.test(error.message);
    this.#caught();
  }

  #fuel() {
    if (!this.#instance) return undefined;
    if (this.#instance.fuel instanceof WebAssembly.Global) return this.#instance.fuel;
    // wasm-smith puts it last.
    return exposed(this.#instance, 'global').at(-1);
  }

  #call(f, params) {
    const args = params.map((type) => this.#argument(type));
    this.#depth++;
    try {
      const value = f(...args);
      this.#checkRunning('after a call');
      return value;
    } finally {
      this.#depth--;
    }
  }

  #argument(type) {
    switch (type) {
      case 'i32':
        return this.#random(16);
      case 'i64':
        return BigInt(this.#random(16));
      case 'f32':
      case 'f64':
        return this.#random(16) / 4;
      case 'externref':
      case 'anyref':
        return this.#describer.object(this.#random(3));
      case 'funcref':
        return this.#someFunction();
      default:
        return this.#describer.some(this.#random(8));
    }
  }

  #someFunction() {
    const functions = this.#functions.map(({ name }) => this.#instance?.[name]);
    return functions[this.#random(functions.length + 1)] ?? null;
  }

  /** What an imported function does besides its result. */
  #act() {
    const what = this.#random(8);
    if (what === 0) throw new Error(`host ${this.#random(1000)}`);
    if (what > 2 || this.#depth >= MAX_DEPTH || this.#functions.length === 0) return;
    const { name, params } = this.#functions[this.#random(this.#functions.length)];
    const f = this.#instance?.[name];
    if (!f) return;
    if (what === 1) {
      this.#call(f, params);
      return;
    }
    try {
      this.#call(f, params);
    } catch (error) {
      this.#note(error);
      // An engine out of stack is no fault of the module.
      if (error instanceof RangeError) throw error;
    }
  }

  #tableFunctions() {
    const tables = exposed(this.#instance, 'table');
    const entries = tables.flatMap((table) => this.#entries(table));
    return entries.filter((entry) => typeof entry === 'function').slice(0, 4);
  }

  #entries(table) {
    const length = Number(table.length);
    const big = typeof table.length === 'bigint';
    return Array.from({ length: Math.min(length, 40) }, (_, i) =>
      attempt(() => table.get(big ? BigInt(i) : i)),
    );
  }

  /** Globals and tables, in words. */
  #variables() {
    if (!this.#instance) return '';
    const say = (value) => this.#describer.value(value);
    const globals = exposed(this.#instance, 'global').map((g) => say(attempt(() => g.value)));
    const tables = exposed(this.#instance, 'table').map((table) => {
      const entries = this.#entries(table).map(say).join(' ');
      return `${table.length}: ${entries}`;
    });
    return `globals ${globals.join(' ')}; tables ${tables.join(' | ')}`;
  }

  #contents() {
    const memories = exposed(this.#instance, 'memory').map(({ buffer }) => {
      const digest = createHash('sha1').update(new Uint8Array(buffer)).digest('hex');
      return `${buffer.byteLength} bytes ${digest}`;
    });
    return `memories ${memories.join(' ')}`;
  }
}

/** The exports that `expose` added, of one kind. */
function exposed(instance, kind) {
  const all = [];
  for (let i = 0; ; i++) {
    const one = instance[`exposed ${kind} ${i}`];
    if (one === undefined) return all;
    all.push(one);
  }
}

/** What JavaScript may not see is the same error each time. */
function attempt(read) {
  try {
    return read();
  } catch (error) {
    return `${error}`;
  }
}
