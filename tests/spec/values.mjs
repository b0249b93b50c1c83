// Values of scripts: what JavaScript passes, and whether it got what was expected.

const memory = new WebAssembly.Memory({ initial: 1 });
const view = () => new DataView(memory.buffer);
const bytesAt = (at, size) => Buffer.from(memory.buffer, at, size);

/** One object for each number of `ref.extern` and `ref.host`. */
const hostValues = new Map();
function hostValue(n) {
  if (!hostValues.has(n)) hostValues.set(n, { hostValue: n });
  return hostValues.get(n);
}

export class NotExpressible extends Error {}

function toJs(value) {
  if (value.is === 'null') return null;
  if (value.is === 'host') return hostValue(value.n);
  const bytes = Buffer.from(value.bytes, 'hex');
  return bytes.length === 4 ? bytes.readInt32LE() : bytes.readBigInt64LE();
}

/** Calls an exported function, or reads an exported global. @returns the results, ready for `check` */
export function perform({ exports, adapters, adapterModules, runs }, field, args) {
  const target = exports[field];
  const number = adapters[field];
  if (number === -1) throw new NotExpressible('a vector beside a type of its module');
  let run = runs.get(field);
  if (number !== undefined && !run) {
    const host = { memory, target };
    try {
      run = new WebAssembly.Instance(adapterModules(number), { host }).exports.run;
    } catch {
      // The type belongs to a recursion group or is not final: no other module can name it.
      throw new NotExpressible('a type of its module');
    }
    runs.set(field, run);
  }
  if (!run) {
    const result = args ? target(...args.map(toJs)) : target.value;
    return { values: Array.isArray(result) ? result : [result], inMemory: false };
  }
  const refs = [];
  (args ?? []).forEach((arg, i) => {
    if (arg.is) refs.push(toJs(arg));
    else bytesAt(16 * i, 16).write(arg.bytes, 'hex');
  });
  const result = run(...refs);
  return { values: Array.isArray(result) ? result : [result], inMemory: true };
}

/** @returns undefined, or what was got instead */
export function check({ values, inMemory }, expected) {
  let reference = 0;
  for (const [i, want] of expected.entries()) {
    const ok =
      inMemory && !want.is ? bitsMatch(want, 16 * i) : jsMatches(want, values[reference++]);
    if (!ok) return inMemory ? bytesAt(16 * i, 16).toString('hex') : String(values[i]);
  }
  return undefined;
}

function jsMatches(want, got) {
  switch (want.is) {
    case 'null':
      return got === null;
    case 'host':
      return got === hostValue(want.n);
    case 'function':
      return typeof got === 'function';
    case 'i31':
      return typeof got === 'number';
    case 'reference':
      return got !== null && got !== undefined;
    default:
      if (want.either) return want.either.some((one) => jsMatches(one, got));
      return got === toJs(want);
  }
}

function bitsMatch(want, at) {
  if (want.either) return want.either.some((one) => bitsMatch(one, at));
  if (want.lanes) {
    const size = 16 / want.lanes.length;
    return want.lanes.every((lane, i) => bitsMatch(lane, at + i * size));
  }
  if (want.nan) return isNan(want, at);
  return bytesAt(at, want.bytes.length / 2).toString('hex') === want.bytes;
}

/** Canonical: the quiet bit alone is set; arithmetic: it is set. */
function isNan({ nan, size }, at) {
  const bits = size === 4 ? BigInt(view().getUint32(at, true)) : view().getBigUint64(at, true);
  const quiet = size === 4 ? 0x7fc00000n : 0x7ff8000000000000n;
  const sign = size === 4 ? 0x7fffffffn : 0x7fffffffffffffffn;
  return nan === 'canonical' ? (bits & sign) === quiet : (bits & quiet) === quiet;
}
