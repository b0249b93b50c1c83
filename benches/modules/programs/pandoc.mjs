// Markdown to HTML and LaTeX with a table, a list and mathematics (GHC, Haskell)
import { convert } from 'pandoc-wasm';
import { digest } from './digest.mjs';

const text = `# Title\n\n*a* [b](c) $x^2$\n\n| k | v |\n|---|---|\n| 1 | 2 |\n\n1. one\n2. two\n`;
for (const to of ['html', 'latex']) {
  const result = await convert({ from: 'markdown', to }, text.repeat(10), {});
  console.log('RESULT', to, digest(result.stdout), result.stderr);
}
