// What crates/profile/tests/data/threads.cpp calls, by running the same loops here.

import assert from 'node:assert/strict';

const NAMES = ['leaf_a(int)', 'leaf_b(int)', 'fib(int)', 'deep(int)', 'work(int)'];

/** Calls of each function in `work(k)`, in the order of NAMES. */
function calls(k) {
  const count = [0, 0, 0, 0, 1];
  const leafA = () => count[0]++;
  const leafB = () => {
    count[1]++;
    leafA();
  };
  const fib = (n) => {
    count[2]++;
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
  };
  const deep = (n) => {
    count[3]++;
    if (n > 0) deep(n - 1);
  };
  for (let i = 0; i < 1000 * (k + 1); i++) {
    leafA();
    if (i % 3 === 0) leafB();
  }
  fib(10 + k);
  deep(50);
  return count;
}

/**
 * Checks the output of `report --json --paths` of a file by that program.
 * @param {any} report
 * @param {number} workers
 */
export function checkReport(report, workers) {
  assert.equal(report.clock, 'tsc');
  assert.equal(report.unit, 'ticks');
  assert.deepEqual(report.dropped, { paths: 0, calls: 0 });
  const nameOf = new Map(report.functions.map(({ id, name }) => [id, name]));
  // Threads are numbered by the system, so they are told apart by what they did.
  const perThread = report.threads.map(({ id }) =>
    NAMES.map((name) =>
      report.paths
        .filter(({ thread, path }) => thread === id && nameOf.get(path.at(-1)) === name)
        .reduce((sum, path) => sum + path.calls, 0),
    ),
  );
  const expected = Array.from({ length: workers }, (_, k) => calls(k)).concat([calls(0)]);
  const sorted = (rows) => rows.map((row) => row.join(' ')).sort();
  assert.deepEqual(sorted(perThread), sorted(expected));

  // The chain of deep calls: 51 levels in each thread.
  const depths = report.paths.filter(({ path }) => nameOf.get(path.at(-1)) === 'deep(int)');
  assert.equal(depths.length, 51 * (workers + 1));
  // The file has inclusive times. A self time is never more than that, and they add up to it.
  const whole = report.paths.reduce((sum, { self }) => sum + self, 0);
  const total = (name) => report.functions.find((f) => f.name === name);
  assert.equal(
    report.functions.reduce((sum, { self }) => sum + self, 0),
    whole,
  );
  const work = total('work(int)');
  const below = ['leaf_a(int)', 'leaf_b(int)', 'fib(int)', 'deep(int)'].map(total);
  assert.equal(work.total, work.self + below.reduce((sum, { self }) => sum + self, 0));
  for (const { name, self, total } of report.functions) assert(0 <= self && self <= total, name);
  // Recursion is not counted twice: nobody but the recursion itself calls it.
  for (const name of ['fib(int)', 'deep(int)']) assert.equal(total(name).self, total(name).total);
  assert(!report.functions.some(({ name, calls }) => name === 'never_called()' && calls > 0));
}
