// The result by proposal.

/** @returns one row for each group and one for all; the last columns are the checks that go another way than plain */
function rowsOf(scripts) {
  const rows = new Map();
  for (const { group, plain, different } of scripts) {
    const count = (outcome) => plain.filter((one) => one.outcome === outcome).length;
    const cells = {
      scripts: 1,
      checks: plain.length,
      passed: count('passed'),
      'failed plain': count('failed'),
      'not run': count('skipped'),
      ...different,
    };
    for (const name of [group, 'all']) {
      const row = rows.get(name) ?? {};
      for (const [column, value] of Object.entries(cells)) row[column] = (row[column] ?? 0) + value;
      rows.set(name, row);
    }
  }
  const all = rows.get('all');
  rows.delete('all');
  return rows.set('all', all);
}

export function printTable(scripts) {
  const rows = rowsOf(scripts);
  const columns = Object.keys(rows.get('all') ?? {});
  const width = Math.max(...[...rows.keys()].map((group) => group.length));
  const line = (name, cells) =>
    console.log(
      name.padEnd(width) + cells.map((cell, i) => `  ${cell.padStart(columns[i].length)}`).join(''),
    );
  line('', columns);
  for (const [group, row] of rows) line(group, Object.values(row).map(String));
}
