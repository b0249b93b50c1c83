/** What goes over the channel between a recording's page and its workers. */
export type Message =
  /** To the workers: hand over what you have. */
  | { readonly type: 'ask' }
  /** To the workers: a phase begins. */
  | { readonly type: 'mark'; readonly phase: string }
  /** To the workers: the recording has ended. */
  | { readonly type: 'stop' }
  /** From a worker: it makes its first instance, so a part is to be expected. */
  | { readonly type: 'seen'; readonly id: string; readonly name: string }
  | WorkerPart;

/** From a worker: everything it has recorded. */
export interface WorkerPart {
  readonly type: 'part';
  readonly id: string;
  readonly name: string;
  readonly blocks: Uint8Array;
  /** `ProfileMap` as JSON. */
  readonly map: string;
  /** It will not run any more. */
  readonly ended: boolean;
}

export interface Channel {
  send(message: Message): void;
}

// Taken now: a program may replace them.
const { BroadcastChannel } = globalThis;

/**
 * @param name nobody else knows it; so whatever comes is from the hook
 * @param receive called with each message of others
 */
export function openChannel(name: string, receive: (message: Message) => void): Channel {
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }) => receive(data as Message));
  return { send: (message) => channel.postMessage(message) };
}
