import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { type Clock, type ProbeKind, settingsFrom } from '../core/options.js';
import { mapPath } from '../core/profile-paths.js';
import { FileError } from '../errors.js';
import { CONFIG_KEY, formatConfig } from '../hook/config.js';
import { type MergedRun, mergeParts } from '../hook/merge.js';
import { REGISTER } from '../hook/paths.js';
import { requireOption } from '../hook/workers.js';
import { checkOutput, writeOutput } from './files.js';
import { summary } from './summary.js';
import { styleOf } from './terminal.js';

export interface RunOptions {
  readonly clock?: Clock;
  readonly arena?: string;
  readonly probes?: ProbeKind;
  readonly out?: string;
  readonly limit: number;
}

/** How a process ended. */
export interface Ending {
  readonly code: number;
  /** The process was ended by this signal. */
  readonly signal: NodeJS.Signals | undefined;
}

/**
 * Runs a program with the hook, then prints and writes the profile.
 * @returns how the program ended; that is how we end as well
 * @throws FileError, OptionError before the program is started
 */
export async function run(
  app: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Ending> {
  const { clock, arenaBytes, probes } = settingsFrom(options);
  const program = findProgram(app);
  const out = options.out ?? `${basename(program, extname(program))}.xray`;
  checkOutput(out);

  const parts = mkdtempSync(join(tmpdir(), 'wasm-xray-'));
  try {
    const config = { clock, arenaBytes, parts, ...(probes && { probes }) };
    const { pid, ending } = await start(program, args, config);
    finish(mergeParts(parts, pid, ending.signal), out, options.limit);
    return ending;
  } finally {
    rmSync(parts, { recursive: true, force: true });
  }
}

/** Finds a program as `node` would. */
function findProgram(app: string): string {
  if (extname(app) === '.wasm') {
    throw new FileError(
      `${app} is a WebAssembly module. Name the JavaScript program that loads it: wasm-xray run app.mjs.`,
    );
  }
  try {
    return createRequire(resolve('-')).resolve(resolve(app));
  } catch {
    const is = statSync(app, { throwIfNoEntry: false })?.isDirectory()
      ? `${app} is a directory.`
      : `There is no program ${app}.`;
    throw new FileError(`${is} Name a JavaScript file: wasm-xray run app.mjs.`);
  }
}

function start(
  program: string,
  args: readonly string[],
  config: Parameters<typeof formatConfig>[0],
): Promise<{ pid: number; ending: Ending }> {
  const { NODE_OPTIONS = '' } = process.env;
  const nodeOptions = `${requireOption(REGISTER)} ${NODE_OPTIONS}`.trim();
  const child = spawn(process.execPath, [program, ...args], {
    stdio: 'inherit',
    env: { ...process.env, NODE_OPTIONS: nodeOptions, [CONFIG_KEY]: formatConfig(config) },
  });
  const forward = (signal: NodeJS.Signals) => {
    // Ctrl-C reaches every process in the terminal's foreground by itself.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const name of signals) process.off(name, forward);
      const ending = {
        code: code ?? 128 + constants.signals[signal ?? 'SIGTERM'],
        signal: signal ?? undefined,
      };
      resolve({ pid: child.pid ?? 0, ending });
    });
  });
}

/** Writes what the threads left, and tells the user. */
function finish(run: MergedRun | undefined, out: string, limit: number): void {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  if (!run) {
    say('wasm-xray: the program loaded no WebAssembly; there is no profile.');
    return;
  }
  if (!run.profile) {
    say('wasm-xray: there is no profile.');
    for (const sentence of run.unseen) say(`Not seen: ${sentence}`);
    return;
  }
  writeOutput(out, run.profile.blocks());
  writeOutput(mapPath(out), run.profile.map());
  say(`\n${summary(run.profile.report(), limit, styleOf(process.stderr))}`);
  say(`\nwasm-xray: wrote ${out} and ${mapPath(out)}`);
}
