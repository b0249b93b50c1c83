// Small modules of any size, made byte by byte.

const I32 = 0x7f;
/** Types: 0 = (i32) → i32. */
const TYPES = [[0x60, 1, I32, 1, I32]];

const get = (local) => [0x20, ...leb(local)];
const set = (local) => [0x21, ...leb(local)];
const constant = (n) => [0x41, ...signed(n)];
const call = (f) => [0x10, ...leb(f)];
const ADD = [0x6a];
const SUB = [0x6b];
const MUL = [0x6c];
const BLOCK_END = [0x0b];

/** `while (--local)` around instructions. */
const repeat = (local, body) => [
  ...[0x03, 0x40],
  ...body,
  ...get(local),
  ...constant(1),
  ...SUB,
  ...[0x22, ...leb(local)],
  ...[0x0d, 0],
  ...BLOCK_END,
];

/** Callees that do a little, and differently. */
const callee = (seed) => [...get(0), ...constant(1_664_525 + 2 * seed), ...MUL];

/** `run(rounds)`, which calls each of so many functions once a round. */
export function manyCallees(callees) {
  const calls = [];
  for (let f = 0; f < callees; f++) calls.push(...get(1), ...call(f), ...set(1));
  const run = [...repeat(0, calls), ...get(1)];
  return encode([...each(callees, callee), run]);
}

/** The same through a table: `run(rounds)`. */
export function manyInTable(callees) {
  // Local 1: the value, 2: the index.
  const one = [...get(1), ...get(2), ...constant(1), ...SUB, ...[0x11, 0, 0], ...set(1)];
  const run = [...repeat(0, [...constant(callees), ...set(2), ...repeat(2, one)]), ...get(1)];
  return encode([...each(callees, callee), run], { table: callees });
}

/** `run(depth)`: a function that calls itself. */
export function deep() {
  const down = [
    ...get(0),
    ...[0x04, I32],
    ...get(0),
    ...constant(1),
    ...SUB,
    ...call(0),
    ...constant(1),
    ...ADD,
    ...[0x05],
    ...constant(0),
    ...BLOCK_END,
  ];
  return encode([down, [...get(0), ...call(0)]]);
}

/** `run(depth)`: functions that each call all of them, so there are `functions ** depth` paths at the depth. */
export function tree(functions) {
  const calls = [];
  for (let f = 0; f < functions; f++) {
    calls.push(...get(0), ...constant(1), ...SUB, ...call(f), ...get(1), ...ADD, ...set(1));
  }
  const body = [
    ...get(0),
    ...[0x04, 0x40],
    ...calls,
    ...BLOCK_END,
    ...get(1),
    ...constant(1),
    ...ADD,
  ];
  return encode(each(functions + 1, () => body));
}

/** `run(n)`: n calls of a leaf; a seed makes it another module. */
export function leaf(seed) {
  return encode([callee(seed), [...repeat(0, [...get(1), ...call(0), ...set(1)]), ...get(1)]]);
}

function each(count, body) {
  return Array.from({ length: count }, (_, f) => body(f));
}

/** A module of functions of type 0 with two more locals; the last one is exported as `run`. */
function encode(bodies, { table } = {}) {
  const sections = [
    section(1, vector(TYPES)),
    section(3, vector(bodies.map(() => [0]))),
    ...(table === undefined ? [] : [section(4, vector([[0x70, 0, ...leb(table)]]))]),
    section(7, vector([[3, 0x72, 0x75, 0x6e, 0, ...leb(bodies.length - 1)]])),
    ...(table === undefined
      ? []
      : [section(9, vector([[0, ...constant(0), ...BLOCK_END, ...vector(each(table, leb))]]))]),
    section(
      10,
      vector(
        bodies.map((body) => {
          const code = [1, 2, I32, ...body, ...BLOCK_END];
          return [...leb(code.length), ...code];
        }),
      ),
    ),
  ];
  return Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0].concat(...sections));
}

function section(id, content) {
  return [id, ...leb(content.length)].concat(content);
}

function vector(items) {
  return leb(items.length).concat(...items);
}

function leb(number) {
  const bytes = [];
  let rest = number;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

function signed(number) {
  const bytes = [];
  let rest = number;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && !(byte & 0x40)) || (rest === -1 && byte & 0x40)) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
}
