type Emit = typeof process.emit;

/**
 * Puts a function around every emission of this process. Programs see it in no
 * list of listeners.
 * @param around gets the event's name and what emits it, which is to be called once at most
 */
export function aroundEmissions(
  around: (event: unknown, emit: () => boolean, args: readonly unknown[]) => boolean,
): void {
  const emit = process.emit as (...args: unknown[]) => boolean;
  replaceOnProcess('emit', function (this: NodeJS.Process, ...args: unknown[]): boolean {
    return around(args[0], () => Reflect.apply(emit, this, args), args);
  } as Emit);
}

/** Replaces a property of `process` and nothing else about it. */
export function replaceOnProcess(name: string, value: unknown): void {
  Object.defineProperty(process, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: Object.prototype.propertyIsEnumerable.call(process, name),
  });
}
