// The cost of one call, where there is little else: each export makes `n` calls of one kind.

/** Argument of each export: how many calls, or how deep; `fib(30)` makes 1,346,269 × 2 − 1. */
const KINDS = {
  leaf: 10_000_000,
  fib: 30,
  indirect: 3_000_000,
  alternating: 5_000_000,
  deep: 5_000,
};

/** Runs of `deep`, and of `fib` a smaller argument, in place of a smaller count. */
const DEEP_REPEATS = 200;

export async function load(kind, read, scale) {
  const bytes = await read('/target/programs/micro.wasm');
  const counts = ['leaf', 'indirect', 'alternating'];
  const n = counts.includes(kind) ? Math.round(KINDS[kind] * scale) : KINDS[kind];
  const argument = kind === 'fib' && scale < 1 ? 26 : n;
  const repeat = kind === 'deep' ? Math.ceil(DEEP_REPEATS * scale) : 1;
  return {
    bytes,
    async create(instantiate) {
      const run = instantiate({}).exports[kind];
      return () => {
        let result = 0;
        for (let i = 0; i < repeat; i++) result = run(argument);
        return String(result);
      };
    },
  };
}
