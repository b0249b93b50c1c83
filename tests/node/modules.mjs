// Reading and changing modules, without the code under test.

/** @param {Uint8Array} bytes @param {number} at */
function leb(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

/** The sections of a module: id, where they are, where their contents are. */
function* sections(bytes) {
  for (let at = 8; at < bytes.length; ) {
    const id = bytes[at];
    const [size, start] = leb(bytes, at + 1);
    yield { id, at, start, end: start + size };
    at = start + size;
  }
}

function nameOf(bytes, { start }) {
  const [length, at] = leb(bytes, start);
  return Buffer.from(bytes.subarray(at, at + length)).toString();
}

/** The module without custom sections but those that engines and loaders need. */
export function stripped(bytes) {
  const kept = [...sections(bytes)].filter(
    (section) => section.id !== 0 || nameOf(bytes, section) === 'dylink.0',
  );
  return Buffer.concat([
    bytes.subarray(0, 8),
    ...kept.map(({ at, end }) => bytes.subarray(at, end)),
  ]);
}

/** A custom section. */
export function customSection(name, data) {
  const contents = Buffer.concat([Uint8Array.of(name.length), Buffer.from(name), data]);
  const size = [0, 7, 14, 21].map((shift) => ((contents.length >> shift) & 0x7f) | 0x80);
  return Buffer.concat([Uint8Array.of(0, ...size, 0), contents]);
}

/** Functions of a module's own: index, and where the body is after its size. */
export function codeBodies(bytes) {
  const all = [...sections(bytes)];
  let index = 0;
  const imports = all.find(({ id }) => id === 2);
  if (imports)
    index = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(
      (i) => i.kind === 'function',
    ).length;
  const code = all.find(({ id }) => id === 10);
  const bodies = [];
  if (!code) return bodies;
  let [count, at] = leb(bytes, code.start);
  for (; count > 0; count--) {
    const [size, start] = leb(bytes, at);
    bodies.push({ index: index++, start, end: start + size });
    at = start + size;
  }
  return bodies;
}
