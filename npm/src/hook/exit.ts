type Emit = typeof process.emit;
type ReallyExit = (code?: number) => never;

/**
 * Calls `action` when this thread or process ends by itself, once, after every
 * `exit` listener of the program: those may still call wasm.
 *
 * A listener of our own would run before those that are added later, so the
 * emission itself is wrapped. `process.exit` in an `exit` listener does not come
 * back to it; it goes to `reallyExit`.
 */
export function atExit(action: () => void): void {
  let done = false;
  let emitting = false;
  const finish = () => {
    if (done) return;
    done = true;
    action();
  };

  const emit = process.emit as (...args: unknown[]) => boolean;
  replace('emit', function (this: NodeJS.Process, ...args: unknown[]): boolean {
    if (args[0] !== 'exit' || emitting) return Reflect.apply(emit, this, args);
    emitting = true;
    try {
      return Reflect.apply(emit, this, args);
    } finally {
      finish();
    }
  } as Emit);

  const reallyExit = Reflect.get(process, 'reallyExit') as ReallyExit | undefined;
  if (reallyExit) {
    replace('reallyExit', function (this: NodeJS.Process, code?: number): never {
      finish();
      return Reflect.apply(reallyExit, this, [code]) as never;
    } as ReallyExit);
  }

  // Should the program have put an `emit` of its own over ours.
  process.on('exit', () => {
    if (!emitting) finish();
  });
}

function replace(name: string, value: unknown): void {
  Object.defineProperty(process, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: Object.prototype.propertyIsEnumerable.call(process, name),
  });
}
