// Prints its id and runs until a signal ends it. Argument `loop`: in a loop that never returns to the event loop.
// Argument `late`: half of its calls come after the first snapshot. Argument `counts`: it counts
// its SIGINTs for a second, and exits with their number.

import { readFileSync } from 'node:fs';

const bytes = readFileSync(new URL('../../../target/programs/fib.wasm', import.meta.url));
const { instance } = await WebAssembly.instantiate(bytes);
instance.exports.fib(10);
const [way] = process.argv.slice(2);
if (way === 'counts') {
  let times = 0;
  process.on('SIGINT', () => {
    if (times++ === 0) setTimeout(() => process.exit(times), 1000);
  });
}
setInterval(() => {}, 1000);
if (way === 'late') setTimeout(() => instance.exports.fib(10), 300);
else if (way === 'loop') setTimeout(() => loop(), 300);
setTimeout(() => console.log(process.pid), way === 'late' ? 800 : 200);

function loop() {
  for (;;);
}
