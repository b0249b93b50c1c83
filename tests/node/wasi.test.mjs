// `wasm-xray run module.wasm`: WASI modules.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { program } from './programs/run.mjs';
import { runCli } from './support.mjs';

const cwd = mkdtempSync(join(tmpdir(), 'wasm-xray-wasi-'));
after(() => rmSync(cwd, { recursive: true }));
writeFileSync(join(cwd, 'in.txt'), 'from a file\n');
writeFileSync(join(cwd, 'tool.wasm'), program('wasi'));
writeFileSync(join(cwd, 'library.wasm'), program('fib'));
writeFileSync(join(cwd, 'host.wasm'), program('host'));
const component = Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0);
writeFileSync(join(cwd, 'component.wasm'), component);
const cli = (args, env) => runCli(args, env, { cwd });

test('a command runs with its arguments, variables and folders, and is profiled', () => {
  const options = ['--env', 'GREETING=hello', '--dir', '.'];
  const { stdout, stderr, status } = cli(['run', ...options, 'tool.wasm', 'word', '--flag']);
  assert.equal(stdout, 'word\nGREETING=hello\nfrom a file\n', stderr);
  assert.equal(status, 3);
  assert.doesNotMatch(stderr, /Experimental/);
  const report = JSON.parse(cli(['report', 'tool.xray', '--json']).stdout);
  const calls = Object.fromEntries(report.functions.map((f) => [f.name, f.calls]));
  assert.deepEqual(calls, {
    _start: 1,
    line: 2,
    length: 2,
    print: 5,
    args_get: 1,
    args_sizes_get: 1,
    environ_get: 1,
    environ_sizes_get: 1,
    fd_read: 1,
    fd_write: 5,
    path_open: 1,
    proc_exit: 1,
  });
  assert.deepEqual(new Set(report.functions.map((f) => f.module)), new Set(['tool']));
});

test('a variable is handed on by its name, a folder under another', () => {
  const options = ['--env', 'HERE', '--dir', `${cwd}::/`];
  const { stdout } = cli(['run', ...options, 'tool.wasm', 'x'], { HERE: 'now' });
  assert.equal(stdout, 'x\nHERE=now\nfrom a file\n');
});

for (const [args, status, message] of [
  [['library.wasm'], 1, /library\.wasm exports no _start.*Name the JavaScript program/],
  [['host.wasm'], 1, /host\.wasm imports .*, which WASI does not have\. Name the JavaScript/],
  [['component.wasm'], 1, /component\.wasm is a component.*jco/],
  [['none.wasm'], 1, /There is no program none\.wasm/],
  [['--dir', 'none', 'tool.wasm'], 2, /There is no directory "none"\. Give --dir PATH/],
  [['--env', 'NONE_SUCH', 'tool.wasm'], 2, /no environment variable NONE_SUCH.*--env NONE_SUCH=/],
  [['--env', '=x', 'tool.wasm'], 2, /names no variable/],
  [['--env', 'A=b', 'app.mjs'], 2, /--env and --dir are for WASI modules/],
]) {
  test(`wasm-xray run ${args.join(' ')}`, () => {
    writeFileSync(join(cwd, 'app.mjs'), '');
    const result = cli(['run', ...args]);
    assert.match(result.stderr, message);
    assert.equal(result.status, status, result.stderr);
    assert.equal(result.stdout, '');
    assert.doesNotMatch(result.stderr, /^ +at /m);
  });
}
