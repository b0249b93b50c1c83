// Values and errors in words that are the same for the same values of another instance.

export class Describer {
  #objects = [{ object: 0 }, { object: 1 }, { object: 2 }];
  /** Number of each function and object, in the order in which they were met. */
  #numbers = new Map();

  /** A value for the module to keep. */
  object(i) {
    return this.#objects[i];
  }

  /** A reference that the module gave, or null. */
  some(i) {
    return [...this.#numbers.keys()].filter((value) => typeof value === 'object')[i] ?? null;
  }

  /** Numbers the exports, so that functions are told apart by the names they have. */
  know(exports) {
    for (const value of Object.values(exports)) this.value(value);
  }

  value(value) {
    switch (typeof value) {
      case 'number':
        return Object.is(value, -0) ? '-0' : String(value);
      case 'bigint':
        return `${value}n`;
      case 'object':
      case 'function':
        if (value === null) return 'null';
        if (Array.isArray(value)) return `[${value.map((one) => this.value(one)).join(' ')}]`;
        if (!this.#numbers.has(value)) this.#numbers.set(value, this.#numbers.size);
        return `${typeof value} ${this.#numbers.get(value)}`;
      default:
        return String(value);
    }
  }

  error(error, exports = {}) {
    if (error instanceof WebAssembly.Exception) {
      for (const [name, tag] of Object.entries(exports)) {
        if (tag instanceof WebAssembly.Tag && error.is(tag)) {
          return `${name} ${this.#payload(error, tag)}`;
        }
      }
      return 'an exception of an unknown tag';
    }
    return `${error?.constructor?.name}: ${error?.message}`;
  }

  #payload(error, tag) {
    const values = [];
    for (let i = 0; ; i++) {
      try {
        values.push(this.value(error.getArg(tag, i)));
      } catch (end) {
        // Beyond the last one, or a value that JavaScript may not see.
        if (end instanceof RangeError || i > 20) return values.join(' ');
        values.push(`${end}`);
      }
    }
  }
}
