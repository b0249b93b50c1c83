// QuickJS built by Emscripten with Asyncify: the host's answers come later, and the stack is unwound meanwhile.
// `sync` as the argument: they come at once.

import variant from '@jitl/quickjs-wasmfile-release-asyncify';
import { newQuickJSAsyncWASMModuleFromVariant } from 'quickjs-emscripten-core';

const sync = process.argv[2] === 'sync';
const quickjs = await newQuickJSAsyncWASMModuleFromVariant(variant);
const context = quickjs.newContext();
const answer = (value) => (sync ? value : new Promise((resolve) => setTimeout(resolve, 0, value)));
const ask = context.newAsyncifiedFunction('ask', (handle) =>
  answer(context.newNumber(context.getNumber(handle) * 2)),
);
context.setProp(context.global, 'ask', ask);
ask.dispose();
const result = await context.evalCodeAsync(`
  function sum(n) { return n === 0 ? 0 : ask(n) + sum(n - 1); }
  [1, 2, 3].map((n) => sum(n)).concat(sum(8)).join();`);
const handle = context.unwrapResult(result);
console.log(`RESULT ${context.getString(handle)}`);
handle.dispose();
context.dispose();
