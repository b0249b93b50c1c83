/** Reads the bytes of a module from a place on; zeros behind their end. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  u8(): number {
    return this.bytes[this.at++] ?? 0;
  }

  /** An unsigned number in LEB128, of 32 bits. */
  leb(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  /** As many bytes as the number before them says. */
  sized(): Uint8Array {
    const length = this.leb();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/** A number in LEB128. */
export function lebBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return [...bytes, rest];
}
