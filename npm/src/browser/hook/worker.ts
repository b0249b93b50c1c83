import { countCalls } from '../../core/count.js';
import { replaceFunction } from '../../hook/patch.js';
import type { Channel, Message } from './channel.js';
import type { Recorder } from './recorder.js';

/** Time between two parts that a worker hands over unasked, in ms: what is lost when it is terminated. */
const PUSH_MS = 1000;

// Taken now: a program may put fake timers in their place.
const { setInterval, clearInterval } = globalThis;

/**
 * Makes a worker hand over what it records: from time to time, when it is asked,
 * and before it closes itself.
 * @returns what to do with messages from the page
 */
export function recordWorker(
  recorder: Recorder,
  channel: Channel,
  id: string,
): (message: Message) => void {
  const { name, session, phases } = recorder;
  let timer: ReturnType<typeof setInterval> | undefined;
  let sentCalls = -1;
  const send = (ended: boolean) => {
    if (!session.hasInstances && session.skipped.length === 0) return;
    const { blocks, map } = phases.snapshot(name);
    map.unseen.push(...recorder.unseen);
    channel.send({ type: 'part', id, name, blocks, map: JSON.stringify(map), ended });
  };
  const push = () => {
    const { calls } = countCalls(session.blocks(1));
    if (calls === sentCalls) return;
    sentCalls = calls;
    send(false);
  };
  session.onFirstInstance = () => {
    channel.send({ type: 'seen', id, name });
    timer = setInterval(push, PUSH_MS);
  };
  replaceFunction(globalThis, 'close', (args, native) => {
    send(true);
    return native(args);
  });
  return (message) => {
    if (message.type === 'ask') send(false);
    if (message.type === 'mark') phases.mark(message.phase);
    if (message.type === 'stop') clearInterval(timer);
  };
}
