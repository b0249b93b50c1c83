// Calls fib(10) 177 times, then ends in the way that its argument says.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bytes = readFileSync(new URL('../../../target/programs/fib.wasm', import.meta.url));
const { instance } = await WebAssembly.instantiate(bytes);
const { fib } = instance.exports;
fib(10);
process.stdout.write('out\n');
process.stderr.write('err\n');

const again = () => fib(10);
const ways = {
  normal: () => {},
  code: () => {
    process.exitCode = 7;
  },
  exit: () => process.exit(5),
  throw: () => {
    throw new Error('uncaught');
  },
  reject: () => {
    Promise.reject(new Error('unhandled'));
  },
  'listener calls': () => process.on('exit', again),
  'listener added late': () => setImmediate(() => process.once('exit', again)),
  'listener exits': () => {
    process.on('exit', again);
    process.on('exit', () => process.exit(9));
  },
  'listener throws': () =>
    process.on('exit', () => {
      again();
      throw new Error('in exit');
    }),
  'own emit': () => {
    const { emit } = process;
    process.emit = (...args) => Reflect.apply(emit, process, args);
    process.exit(0);
  },
  terminated: () => process.kill(process.pid, 'SIGTERM'),
  killed: () => process.kill(process.pid, 'SIGKILL'),
  'handles signal': () => {
    process.on('SIGTERM', () => process.exit(4));
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => {}, 5000);
  },
  aborted: () => process.abort(),
  child: () => {
    const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), 'exit'], {
      stdio: 'inherit',
    });
    process.exitCode = status;
  },
  children: () => {
    for (const way of ['normal', 'killed', 'normal']) {
      spawnSync(process.execPath, [fileURLToPath(import.meta.url), way], { stdio: 'ignore' });
    }
  },
};
ways[process.argv[2]]();
