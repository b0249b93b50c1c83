// What ran with probes against what ran plain, module by module.

/** The kind that counts its instructions itself. */
export const COUNTING = 'counting';

const OVERFLOW = 'RangeError: Maximum call stack size exceeded';

/**
 * @param plain the result without probes, with V8's paths
 * @param probed results by kind of probes
 * @returns faults in words; `exact`: instructions were compared without loss; `inconclusive`: a module that runs out of stack, which
 * depends on the size of frames
 */
export function compare(plain, { [COUNTING]: counting, ...probed }) {
  const results = Object.values(probed);
  if ([plain, ...results].some(overflows)) return { inconclusive: true, faults: [] };
  const faults = [];
  for (const [kind, result] of Object.entries(probed)) {
    const fault = faultOf(plain, result) ?? instructions(counting, result);
    if (fault) faults.push(`${kind}: ${fault}`);
  }
  const exact = Boolean(counting?.executed) && counting.accessTraps === 0;
  return { inconclusive: false, exact, faults };
}

function overflows(result) {
  return result?.outcomes?.some((outcome) => outcome.includes(OVERFLOW));
}

function faultOf(plain, result) {
  if (!result) return 'no result';
  if (result.skipped.length > 0) return `ran without probes: ${result.skipped[0]}`;
  if (result.dropped > 0) return `${result.dropped} calls do not fit into the arena`;
  const step = plain.outcomes.findIndex((outcome, i) => outcome !== result.outcomes[i]);
  if (step >= 0) {
    return `step ${step} gives\n    ${result.outcomes[step]}\n  plain:\n    ${plain.outcomes[step]}`;
  }
  return (
    difference('calls of imports', plain.hostCalls, result.hostCalls) ??
    difference('paths', plain.paths, result.paths) ??
    difference('counted calls of imports', plain.hostCalls, result.importCalls)
  );
}

/** Instructions are exact, but for what an access that traps loses. */
function instructions(counting, { executed }) {
  if (!executed || !counting?.executed) return undefined;
  const fault = difference('counts of instructions', counting.executed, executed);
  const more = Object.entries(executed).some(([f, n]) => n > (counting.executed[f] ?? 0));
  return counting.accessTraps > 0 && !more ? undefined : fault;
}

function difference(what, plain, probed) {
  const keys = [...new Set([...Object.keys(plain), ...Object.keys(probed)])];
  const different = keys.filter((key) => plain[key] !== probed[key]);
  if (different.length === 0) return undefined;
  const some = different
    .slice(0, 5)
    .map((key) => `${short(key)}: ${probed[key]}, plain ${plain[key]}`);
  return `${different.length} ${what} differ: ${some.join('; ')}`;
}

function short(path) {
  return path.length <= 60 ? path : `${path.slice(0, 20)} … ${path.slice(-20)}`;
}
