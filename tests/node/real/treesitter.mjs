// web-tree-sitter: a main module, and languages as side modules linked to it.
import { createRequire } from 'node:module';
import { Language, Parser } from 'web-tree-sitter';
import { result, small, source } from './source.mjs';

const require = createRequire(import.meta.url);
await Parser.init();
const parser = new Parser();
const out = [];
for (const name of small ? ['javascript'] : ['javascript', 'typescript']) {
  const path = require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`);
  parser.setLanguage(await Language.load(path));
  const tree = parser.parse(source(small ? 1 : 100, name === 'typescript' ? ': number' : ''));
  out.push(tree.rootNode.toString(), tree.rootNode.descendantCount);
  tree.delete();
}
result(out);
