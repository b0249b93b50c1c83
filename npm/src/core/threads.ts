/**
 * Starts a thread that is not the program's: it is neither profiled nor waited for.
 * @param script the text of a function that takes `data`
 * @param failed to be called if it does not start, with the reason
 * @returns the thread's id, where threads have one
 * @throws anything, if no thread can be started
 */
type StartThread = (
  script: string,
  data: unknown,
  failed: (reason: string) => void,
) => number | undefined;

/** How a host starts threads. */
export interface ThreadHost {
  readonly start: StartThread;
  /** A thread starts although the one that starts it does not return to its event loop. */
  readonly startsAtOnce: boolean;
  /** How many threads can run at the same time. */
  readonly processors: number;
}

let host: ThreadHost | undefined;

/** Says how threads are started here. */
export function startThreadsWith(how: ThreadHost): void {
  host = how;
}

/** Undefined: there are no threads here. */
export function threadHost(): ThreadHost | undefined {
  return host;
}
