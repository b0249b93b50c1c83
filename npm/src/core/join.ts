/** One array of bytes out of pieces that are views of the same memory. */
export function joinBlocks(pieces: Iterable<Uint8Array>): Uint8Array<ArrayBuffer> {
  const copies: Uint8Array[] = [];
  let length = 0;
  for (const piece of pieces) {
    copies.push(piece.slice());
    length += piece.length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const copy of copies) {
    bytes.set(copy, at);
    at += copy.length;
  }
  return bytes;
}
