// compiles and minifies TypeScript
import { transformSync } from '@swc/wasm';
import { digest } from './digest.mjs';

const source = Array.from(
  { length: 100 },
  (_, i) =>
    `export class A${i}<T> { constructor(private readonly x: T) {} get(): T { return this.x; } }`,
).join('\n');
const { code } = transformSync(source, {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2015' },
  minify: true,
});
console.log('RESULT', digest(code));
