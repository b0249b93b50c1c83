// the terminal emulator's parser (Zig): writes colours, positions and text
import { readFileSync } from 'node:fs';

const bytes = readFileSync(new URL('../node_modules/ghostty-web/ghostty-vt.wasm', import.meta.url));
const { instance } = await WebAssembly.instantiate(bytes, { env: { log() {} } });
const { exports: e } = instance;
const terminal = e.ghostty_terminal_new(80, 24);
const text = new TextEncoder().encode('\x1b[31mred\x1b[0m plain\r\nnext\x1b[2;5Hthere');
const at = e.ghostty_wasm_alloc_u8_array(text.length);
new Uint8Array(e.memory.buffer).set(text, at);
for (let i = 0; i < 50; i++) e.ghostty_terminal_write(terminal, at, text.length);
console.log('RESULT', terminal !== 0, e.memory.buffer.byteLength);
