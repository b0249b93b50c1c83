// Every kind of probe against plain.

/**
 * @param results by kind, `plain` among them
 * @returns by kind, the checks that go another way than plain; and all faults in words
 */
export function compare({ group, name }, { plain, ...instrumented }) {
  const different = {};
  const faults = [];
  for (const [kind, { died, outcomes, skipped }] of Object.entries(instrumented)) {
    different[kind] = 0;
    for (const [i, expected] of plain.outcomes.entries()) {
      const got = outcomes?.[i] ?? { outcome: 'not reached', why: died };
      if (got.outcome === expected.outcome && got.why === expected.why) continue;
      different[kind]++;
      const at = `${group}/${name}.wast:${expected.line} ${expected.kind} (${kind})`;
      faults.push(`${at}: ${words(got)}; plain: ${words(expected)}`);
    }
    for (const one of skipped ?? []) {
      faults.push(`${group}/${name}.wast (${kind}): a module ran without probes: ${one}`);
    }
  }
  const counts = new Set(Object.values(instrumented).map((result) => result.counts));
  if (counts.size > 1) faults.push(`${group}/${name}.wast: the kinds of probes count differently`);
  return { different, faults };
}

function words({ outcome, why }) {
  return why === undefined ? outcome : `${outcome} (${why})`;
}
