// scans a text with the patterns of a grammar
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { loadWASM, OnigScanner } = require('vscode-oniguruma');
await loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
const scanner = new OnigScanner([
  '\\b(if|else|for)\\b',
  '[a-z_]\\w*',
  '"(?:[^"\\\\]|\\\\.)*"',
  '\\d+(?!\\w)',
]);
const text = 'for (i = 0; i < 10; i++) if (s == "a\\"b") else call(12, x3); '.repeat(40);
let at = 0;
let sum = 0;
for (
  let match = scanner.findNextMatchSync(text, at);
  match;
  match = scanner.findNextMatchSync(text, at)
) {
  sum = (sum * 31 + match.index + match.captureIndices[0].start) % 1_000_003;
  at = match.captureIndices[0].end;
}
console.log('RESULT', sum);
