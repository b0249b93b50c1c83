// A file of LLVM's own runtime, through the command line. tests/native makes a fresh one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkReport } from './native_calls.mjs';
import { runCli } from './support.mjs';

const data = (name) =>
  fileURLToPath(new URL(`../../crates/profile/tests/data/${name}`, import.meta.url));
const file = [data('threads.xray'), '--map', data('threads.instr-map.yaml')];

function cli(...args) {
  const { status, stdout, stderr } = runCli(args);
  assert.equal(status, 0, stderr);
  return stdout;
}

test('each thread has the calls that it made', () => {
  checkReport(JSON.parse(cli('report', ...file, '--json', '--paths')), 3);
});

test('the table has names, calls and ticks', () => {
  const table = cli('report', ...file, '--by', 'calls');
  const rows = table.split('\n').map((line) => line.trim().split(/\s{2,}/));
  assert.match(table, /^function .* calls +self ticks +total ticks$/m);
  const calls = (name) => rows.find(([first]) => first === name)?.find((cell) => /^\d/.test(cell));
  // Workers k = 0, 1, 2 and the main thread, which is as k = 0.
  assert.equal(calls('leaf_a(int)'), (1334 + 2667 + 4000 + 1334).toLocaleString('en'));
  assert.equal(calls('leaf_b(int)'), (334 + 667 + 1000 + 334).toLocaleString('en'));
  assert.equal(calls('fib(int)'), (177 + 287 + 465 + 177).toLocaleString('en'));
  assert.equal(calls('deep(int)'), '204');
  assert.equal(calls('work(int)'), '4');
});

test('a second table has the calls of each thread, as many threads as fit', () => {
  const rows = (columns) => {
    const { stdout } = runCli(['report', ...file], { COLUMNS: String(columns) });
    const lines = stdout.split('\n');
    return lines.slice(lines.findIndex((line) => line.startsWith('calls by thread')));
  };
  const all = rows(120).map((line) => line.split(/\s{2,}/));
  assert.deepEqual(all[0], [
    'calls by thread',
    ...[5885, 5886, 5887, 5884].map((id) => `thread ${id}`),
  ]);
  const counts = Object.fromEntries(
    all.slice(1).map(([name, ...calls]) => [name, calls.join(' ')]),
  );
  assert.equal(counts['leaf_a(int)'], '1,334 2,667 4,000 1,334');
  assert.equal(counts['leaf_b(int)'], '334 667 1,000 334');
  assert.equal(counts['fib(int)'], '177 287 465 177');
  assert.equal(counts['deep(int)'], '51 51 51 51');
  assert.equal(counts['work(int)'], '1 1 1 1');
  const narrow = rows(60);
  assert.ok(narrow.every((line) => line.length <= 60));
  assert.match(narrow.join('\n'), /and \d more threads? \(--thread NAME\)/);
});

test('without a map functions have their ids, and the same calls', () => {
  const functions = (...args) => JSON.parse(cli('report', ...args, '--json')).functions;
  const ids = ({ id, calls, self, total }) => [id, calls, self, total].join(' ');
  assert.deepEqual(
    functions(file[0]).map(ids).sort(),
    functions(...file)
      .map(ids)
      .sort(),
  );
});
