import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { FileError, messageOf } from '../errors.js';
import { CONFIG_KEY, formatConfig, type HookConfig } from '../hook/config.js';
import { REGISTER } from '../hook/paths.js';
import { isFatal, receivedMs } from '../hook/signal-files.js';
import { GUARDED_SIGNALS, type GuardedSignal } from '../hook/signals.js';
import { requireOption } from '../hook/workers.js';

/** How a process ended. */
export interface Ending {
  readonly code: number;
  /** The process was ended by this signal. */
  readonly signal: NodeJS.Signals | undefined;
}

/** How a command went. */
export interface Launched {
  readonly pid: number;
  readonly ending: Ending;
  /** Whether a signal came to us or ended the command: its children may just be ending, too. */
  readonly interrupted: boolean;
}

/** How long a signal to a whole group may take to reach its other members, in ms. */
const GROUP_MS = 100;
/** How long a process that a signal should end may take to start with it, in ms. */
const GRACE_MS = 2000;

/**
 * Starts a command whose Node processes get the hook through `NODE_OPTIONS`.
 * Signals to us are passed on to it.
 * @param env what is to be in its environment besides
 * @throws FileError if it cannot be started
 */
export function launch(
  command: string,
  args: readonly string[],
  config: HookConfig,
  env: NodeJS.ProcessEnv = {},
): Promise<Launched> {
  const { NODE_OPTIONS = '' } = process.env;
  const nodeOptions = `${requireOption(REGISTER)} ${NODE_OPTIONS}`.trim();
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env, NODE_OPTIONS: nodeOptions, [CONFIG_KEY]: formatConfig(config) },
  });
  const forwarder = new Forwarder(child, config.parts);
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      forwarder.stop();
      reject(new FileError(cannotStart(command, error), { cause: error }));
    });
    child.on('exit', (code, signal) => {
      forwarder.stop();
      const by = forwarder.endedFor ?? signal ?? undefined;
      const ending = by ? { code: 128 + constants.signals[by], signal: by } : { code: code ?? 1 };
      resolve({
        pid: child.pid ?? 0,
        ending: { signal: undefined, ...ending },
        interrupted: forwarder.gotSignal || by !== undefined,
      });
    });
  });
}

function cannotStart(command: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT')
    return `There is no command ${command}. Give its path or install it.`;
  if (error.code === 'EACCES') return `${command} cannot be executed. Give a command.`;
  return `${command} could not be started: ${messageOf(error)}.`;
}

/** Passes signals on to a process. */
class Forwarder {
  /** The signal for which the process had to be killed. */
  endedFor: GuardedSignal | undefined;
  gotSignal = false;
  readonly #child: ChildProcess;
  readonly #parts: string;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(child: ChildProcess, parts: string) {
    this.#child = child;
    this.#parts = parts;
    for (const signal of GUARDED_SIGNALS) process.on(signal, this.#forward);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const signal of GUARDED_SIGNALS) process.off(signal, this.#forward);
  }

  readonly #forward = (signal: NodeJS.Signals): void => {
    this.gotSignal = true;
    const name = signal as GuardedSignal;
    const sinceMs = Date.now() - GROUP_MS;
    // Ctrl-C reaches every process in the terminal's foreground by itself, and
    // so does a signal to the group; a handler should not run twice for it.
    this.#later(GROUP_MS, () => {
      const ownMs = receivedMs(this.#parts, this.#child.pid ?? 0, signal);
      if (ownMs < sinceMs && !(signal === 'SIGINT' && process.stdin.isTTY)) this.#child.kill(name);
    });
    this.#later(GROUP_MS + GRACE_MS, () => this.#endIfStuck(name));
  };

  /** Our hook keeps a signal from ending code that does not return to the event loop; without it, it would. */
  #endIfStuck(signal: GuardedSignal): void {
    if (!isFatal(this.#parts, this.#child.pid ?? 0, signal)) return;
    this.endedFor = signal;
    this.#child.kill('SIGKILL');
  }

  #later(ms: number, action: () => void): void {
    this.#timers.add(setTimeout(action, ms));
  }
}
