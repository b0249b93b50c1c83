// formats and parses JavaScript
import { createRequire } from 'node:module';
import { digest } from './digest.mjs';

const { Workspace } = createRequire(import.meta.url)('@biomejs/wasm-nodejs');
const workspace = new Workspace();
const { projectKey } = workspace.openProject({ path: '/', openUninitialized: true });
const content = Array.from(
  { length: 50 },
  (_, i) => `const a${i}={b:[1,2,${i}],c(){return a}}`,
).join('\n');
const path = '/a.js';
workspace.openFile({ projectKey, path, content: { type: 'fromClient', content, version: 0 } });
console.log('RESULT', digest(workspace.formatFile({ projectKey, path }).code));
