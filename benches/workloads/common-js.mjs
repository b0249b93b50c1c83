// Glue that was written for CommonJS, anew for every instance, in Node and in a page.

const decoder = new TextDecoder();

/**
 * @param {Uint8Array} text
 * @param {Record<string, unknown>} [globals] in place of those that the glue would find
 * @returns its exports
 */
export function evaluate(text, globals = {}) {
  const module = { exports: {} };
  const scope = {
    module,
    exports: module.exports,
    require: (name) => globalThis.process.getBuiltinModule(name),
    __dirname: '/',
    __filename: '/glue.js',
    ...globals,
  };
  new Function(...Object.keys(scope), decoder.decode(text))(...Object.values(scope));
  return module.exports;
}
