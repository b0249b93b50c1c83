// A module with 3,000 functions that do nothing, and one that calls each of them.

const leb = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...leb(n >> 7)]);
const vector = (items) => [...leb(items.length), ...items.flat()];
const section = (id, content) => [id, ...leb(content.length), ...content];
const body = (code) => [...leb(code.length + 2), 0, ...code, 11];
const COUNT = 3000;
const indices = Array.from({ length: COUNT }, (_, i) => i);
const bytes = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, vector([[0x60, 0, 0]])),
  ...section(3, vector([...indices, COUNT].map(() => [0]))),
  ...section(7, vector([[3, 0x72, 0x75, 0x6e, 0, ...leb(COUNT)]])),
  ...section(
    10,
    vector([...indices.map(() => body([])), body(indices.flatMap((i) => [0x10, ...leb(i)]))]),
  ),
]);
const { instance } = await WebAssembly.instantiate(bytes);
instance.exports.run();
console.log(COUNT);
