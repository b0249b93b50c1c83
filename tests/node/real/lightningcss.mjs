// Lightning CSS: a large Rust module, started asynchronously.
import init, { transform } from 'lightningcss-wasm';
import { result, small } from './source.mjs';

await init();
let css = '';
for (let i = 0; i < (small ? 1 : 40); i++) {
  css += `.c${i} > a:hover { color: hsl(${i}, 50%, 50%); margin: ${i}px ${i}px; & .x { inset: 0 } }\n`;
}
const { code } = transform({
  filename: 'a.css',
  code: new TextEncoder().encode(css),
  minify: true,
});
result(new TextDecoder().decode(code));
