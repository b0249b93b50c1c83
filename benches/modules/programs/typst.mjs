// compiles a document without fonts to an error list
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { digest } from './digest.mjs';

const path = createRequire(import.meta.url).resolve(
  '@myriaddreamin/typst-ts-web-compiler/pkg/typst_ts_web_compiler_bg.wasm',
);
const typst = await import('@myriaddreamin/typst-ts-web-compiler');
typst.initSync({ module: readFileSync(path) });
const builder = new typst.TypstCompilerBuilder();
builder.set_dummy_access_model();
const compiler = await builder.build();
compiler.add_source(
  '/main.typ',
  '#let f(n) = if n < 2 { n } else { f(n - 1) + f(n - 2) }\n= Sum\n#f(16) #(1, 2).map(x => x * x)',
);
const result = compiler.compile('/main.typ', undefined, 'vector', 1);
console.log('RESULT', digest(JSON.stringify(result.result ? [...result.result] : result)));
