// Clock `sampled` without its second thread: what that one would see is looked at instead.

import assert from 'node:assert/strict';
import { ARENA_BASE, STATE_CURRENT } from '../../npm/dist/core/abi.js';
import { startThreadsWith } from '../../npm/dist/core/threads.js';

/**
 * From now on samplers take no samples.
 * @returns checks for the one that is made next
 */
export function watchInsteadOfSampling() {
  let words;
  let data;
  startThreadsWith({
    startsAtOnce: true,
    start(_, given) {
      data = given;
      words = new Uint32Array(data.memory);
      Atomics.store(new Int32Array(data.control), 0, 1);
    },
  });
  const running = () => words[data.running];
  const hostRuns = () => running() === words[(ARENA_BASE + STATE_CURRENT) / 4];
  const check = (f) =>
    function (...args) {
      assert.ok(hostRuns(), 'the import runs');
      return Reflect.apply(f, this, args);
    };
  return {
    /** The same imports; each function checks that it is said to run. */
    watched: (imports) =>
      imports &&
      Object.fromEntries(
        Object.entries(imports).map(([name, module]) => [
          name,
          Object.fromEntries(
            Object.entries(module).map(([name, value]) => [
              name,
              isPlainFunction(value) ? check(value) : value,
            ]),
          ),
        ]),
      ),
    /** Whether it is said that the host runs: an import, or nobody. */
    hostRuns: () => words === undefined || hostRuns(),
    assertHostRuns: () => assert.equal(running(), data.root, 'the host runs'),
  };
}

/** A function of JavaScript. Those of instances are what they are, and built-in ones are not wrapped. */
function isPlainFunction(value) {
  return typeof value === 'function' && !/\[native code\]/.test(String(value));
}
