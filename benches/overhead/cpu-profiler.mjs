// V8's own sampling profiler, which `node --cpu-prof` starts: here for one run at a time.

import { Session } from 'node:inspector';

/** The plain module while V8 samples it at the interval of `--cpu-prof`, 1 ms. */
export function cpuProfiler() {
  const session = new Session();
  session.connect();
  const seen = new Set();
  const post = (method, params) => {
    let answer;
    session.post(method, params, (error, result) => {
      if (error) throw new Error(`${method}: ${error.message}`);
      answer = result;
    });
    return answer;
  };
  return {
    clock: 'cpu-prof',
    around(time) {
      post('Profiler.enable');
      post('Profiler.setSamplingInterval', { interval: 1000 });
      post('Profiler.start');
      time();
      const { profile } = post('Profiler.stop');
      post('Profiler.disable');
      for (const { callFrame } of profile.nodes) {
        if (callFrame.url.startsWith('wasm://')) seen.add(callFrame.functionName);
      }
    },
    figures: () => ({ functions: seen.size }),
  };
}
