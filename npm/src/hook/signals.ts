import { constants } from 'node:os';
import timers from 'node:timers';
import { replaceFunction } from './patch.js';
import { aroundEmissions, replaceOnProcess } from './process-patch.js';

/** Signals that end a process unless it handles them, and that it can handle. */
export const GUARDED_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
export type GuardedSignal = (typeof GUARDED_SIGNALS)[number];

/** Signals by which a process ends itself. */
const DEADLY: ReadonlySet<string> = new Set([...GUARDED_SIGNALS, 'SIGQUIT', 'SIGABRT', 'SIGKILL']);

// Taken now: a program may put fake timers in its place.
const setImmediate = timers.setImmediate;

/** One of Node's own listeners, which start and stop the delivery of a signal. */
type Switch = (this: NodeJS.Process, signal: string) => void;

/**
 * Calls `action` before a signal ends this process in the way that it would
 * without us. A signal that the program handles is the program's: what counts is
 * whether it listens at the time.
 *
 * A listener would be seen: programs such as `signal-exit` count them to know
 * whether they are alone. So delivery is switched on as Node does it for the
 * first listener, without one. Code that does not return to the event loop is
 * not interrupted; the signal waits for it.
 * @param action does nothing when it is called again
 * @param onChange called with the signals that would end the process
 */
export function beforeSignals(
  action: () => void,
  onChange: (fatal: readonly GuardedSignal[]) => void,
): void {
  const start = nodesOwn('newListener', 'startListeningIfSignal');
  const stop = nodesOwn('removeListener', 'stopListeningIfSignal');
  const kill = process.kill.bind(process);
  beforeSelfKill(action);
  if (!start || !stop) return;

  /** Node binds the signal to the `emit` that it finds when it starts to listen. */
  const guard = (signal: GuardedSignal) => {
    const emit = process.emit;
    replaceOnProcess('emit', (...args: unknown[]) =>
      isHandled(signal) ? Reflect.apply(process.emit, process, args) : die(signal),
    );
    try {
      start.call(process, signal);
    } finally {
      replaceOnProcess('emit', emit);
    }
  };
  const die = (signal: GuardedSignal) => {
    onChange([]);
    action();
    stop.call(process, signal);
    kill(process.pid, signal);
  };
  const tell = () => onChange(GUARDED_SIGNALS.filter((signal) => !isHandled(signal)));

  let turned = false;
  aroundEmissions((event, emit, [, name]) => {
    // A signal that came while the program's last code ran is delivered by the
    // event loop, which Node would not turn again: make it, once.
    if (event === 'beforeExit') {
      turned = !turned;
      if (!turned) return emit();
      setImmediate(() => {});
      return false;
    }
    const result = emit();
    if (event === 'removeListener' && isGuarded(name) && !isHandled(name)) {
      guard(name);
      tell();
    } else if (event === 'newListener' && isGuarded(name)) {
      // The listener is added after this.
      onChange(GUARDED_SIGNALS.filter((signal) => signal !== name && !isHandled(signal)));
    }
    return result;
  });
  for (const signal of GUARDED_SIGNALS) if (!isHandled(signal)) guard(signal);
  tell();
}

/**
 * Calls `action` when the program is about to end itself by a signal, which it
 * would not survive up to the next turn of the event loop.
 */
function beforeSelfKill(action: () => void): void {
  replaceFunction(process, 'kill', (args, native) => {
    const [pid, signal = 'SIGTERM'] = args;
    const name = typeof signal === 'number' ? signalName(signal) : String(signal);
    if ((pid === process.pid || pid === 0) && DEADLY.has(name) && !isHandled(name)) {
      action();
      nodesOwn('removeListener', 'stopListeningIfSignal')?.call(process, name);
    }
    return native(args);
  });
  replaceFunction(process, 'abort', (args, native) => {
    action();
    return native(args);
  });
}

/** Calls `action` with each signal of {@link GUARDED_SIGNALS} that the program handles. */
export function onHandledSignal(action: (signal: GuardedSignal) => void): void {
  aroundEmissions((event, emit) => {
    if (isGuarded(event) && isHandled(event)) action(event);
    return emit();
  });
}

function nodesOwn(event: string, name: string): Switch | undefined {
  return process.rawListeners(event as 'exit').find((listener) => listener.name === name) as
    | Switch
    | undefined;
}

function isGuarded(signal: unknown): signal is GuardedSignal {
  return (GUARDED_SIGNALS as readonly unknown[]).includes(signal);
}

function isHandled(signal: string): boolean {
  return process.listenerCount(signal as NodeJS.Signals) > 0;
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? '';
}
