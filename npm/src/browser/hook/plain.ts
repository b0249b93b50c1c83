import type { Session } from '../../core/session.js';

/** How deep in a message modules are looked for; Emscripten's threads have them at 1. */
const DEPTH = 4;

/**
 * A message with every instrumented module in it replaced by the module as it was.
 * What holds none is the same object.
 */
export function plainCopy(message: unknown, session: Session, depth = DEPTH): unknown {
  if (typeof message !== 'object' || message === null || depth === 0) return message;
  if (session.isInstrumented(message)) return plainModule(message, session);
  if (Array.isArray(message)) {
    const copy = message.map((element) => plainCopy(element, session, depth - 1));
    return copy.some((element, index) => element !== message[index]) ? copy : message;
  }
  if (!isPlainObject(message)) return message;
  let changed = false;
  const entries = Object.entries(message).map(([key, value]) => {
    const copy = plainCopy(value, session, depth - 1);
    changed ||= copy !== value;
    return [key, copy];
  });
  return changed ? Object.fromEntries(entries) : message;
}

function plainModule(module: object, session: Session): unknown {
  try {
    return session.plain(module) ?? module;
  } catch {
    return module; // Too large to be compiled at once.
  }
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
