import { aroundEmissions, replaceOnProcess } from './process-patch.js';

type ReallyExit = (code?: number) => never;

/**
 * Calls `action` when this thread or process ends by itself, after every `exit`
 * listener of the program: those may still call wasm.
 *
 * A listener of our own would run before those that are added later, so the
 * emission itself is wrapped. `process.exit` in an `exit` listener does not come
 * back to it; it goes to `reallyExit`.
 * @param action does nothing when it is called again
 */
export function atExit(action: () => void): void {
  let emitting = false;
  aroundEmissions((event, emit) => {
    if (event !== 'exit' || emitting) return emit();
    emitting = true;
    try {
      return emit();
    } finally {
      action();
    }
  });

  const reallyExit = Reflect.get(process, 'reallyExit') as ReallyExit | undefined;
  if (reallyExit) {
    replaceOnProcess('reallyExit', function (this: NodeJS.Process, code?: number): never {
      action();
      return Reflect.apply(reallyExit, this, [code]) as never;
    } as ReallyExit);
  }

  // Should the program have put an `emit` of its own over ours.
  process.on('exit', () => {
    if (!emitting) action();
  });
}
