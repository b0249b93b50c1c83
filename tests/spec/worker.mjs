// A process that runs scripts one after the other, as its parent says.

import { runScript } from './script.mjs';

process.on('message', ({ file, kind }) => {
  const result = runScript(file, kind);
  // Memories and arenas of the last script would else pile up.
  globalThis.gc?.();
  process.send(result);
});
