// Threads by process, as a run of several processes names them: `process 2 (a.mjs) worker 1`.

/** Threads of a process, by name. */
export interface ProcessThreads {
  readonly name: string;
  /** Names, and what tells the thread from the others of its process. */
  readonly threads: readonly { readonly name: string; readonly own: string }[];
}

/** Lazy, as the name of a thread may have brackets as well. */
const IN_PROCESS = /^(process \d+(?: \(.*?\))?) (.+)$/s;

/**
 * Takes threads together by process, in their order.
 * @returns nothing if all are of the process that was started
 */
export function processesOf(names: readonly string[]): ProcessThreads[] {
  const processes = new Map<string, { name: string; own: string }[]>();
  for (const name of names) {
    const [, process = 'first process', own = name] = IN_PROCESS.exec(name) ?? [];
    const threads = processes.get(process) ?? [];
    processes.set(process, threads);
    threads.push({ name, own });
  }
  if (processes.size === 1 && processes.has('first process')) return [];
  return [...processes].map(([name, threads]) => ({ name, threads }));
}
