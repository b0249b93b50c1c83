// Calls fib(10) 177 times, then ends in the way that its argument says.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bytes = readFileSync(new URL('../../../target/programs/fib.wasm', import.meta.url));
const { instance } = await WebAssembly.instantiate(bytes);
const { fib } = instance.exports;
fib(10);
process.stdout.write('out\n');
process.stderr.write('err\n');

const again = () => fib(10);
const busy = (ms) => {
  for (const end = Date.now() + ms; Date.now() < end; );
};
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
  'terminated while busy': () => {
    spawn('kill', ['-TERM', String(process.pid)]);
    busy(300);
    again();
  },
  'terminated by its child': () => {
    spawn('kill', ['-TERM', String(process.pid)]);
    setTimeout(() => console.log('late'), 5000);
  },
  'terminated by itself': () => {
    process.kill(process.pid, 'SIGINT');
    console.log('late');
  },
  'kills itself': () => process.kill(process.pid, 'SIGKILL'),
  'no listener left': () => {
    const listener = () => console.log('late');
    process.on('SIGTERM', listener);
    process.off('SIGTERM', listener);
    spawn('kill', ['-TERM', String(process.pid)]);
    setTimeout(() => console.log('late'), 5000);
  },
  'listens once': () => {
    process.once('SIGTERM', (...args) => {
      console.log(args, process.listenerCount('SIGTERM'));
      process.kill(process.pid, 'SIGTERM');
      console.log('late');
    });
    spawn('kill', ['-TERM', String(process.pid)]);
    setTimeout(() => console.log('late'), 5000);
  },
  'sees no listeners': () => {
    for (const event of ['SIGHUP', 'SIGINT', 'SIGTERM', 'beforeExit', 'newListener']) {
      console.log(event, process.listeners(event).length);
    }
    console.log(process.emit('SIGTERM'), process.eventNames().includes('SIGTERM'));
    console.log(process.kill.name, process.kill.length, process.kill(process.pid, 0));
    let times = 0;
    process.on('beforeExit', () => {
      console.log('beforeExit', ++times);
      if (times < 3) setTimeout(() => {}, 1);
    });
  },
  killed: () => spawnSync('kill', ['-KILL', String(process.pid)]),
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
