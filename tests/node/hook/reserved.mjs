// A program whose module imports from a module named as ours:
//
//   (import "wasm-xray" "slot" (func $slot (param i32) (result i32)))
//   (import "wasm-xray" "base" (global $base i32))
//   (func $twice (param i32) (result i32) (call $slot (call $slot (local.get 0))))
//   (func (export "run") (result i32) (i32.add (global.get $base) (call $twice (i32.const 1))))

const bytes = Buffer.from(
  'AGFzbQEAAAABCgJgAX8Bf2AAAX8CJAIJd2FzbS14cmF5BHNsb3QAAAl3YXNtLXhyYXkEYmFzZQN/AAMDAgABBwcBA3J1bgACChQCCAAgABAAEAALCQAjAEEBEAFqCwAeBG5hbWUBDgIABHNsb3QBBXR3aWNlBwcBAARiYXNl',
  'base64',
);
const imports = { 'wasm-xray': { slot: (x) => x + 20, base: 1 } };
const { instance } = await WebAssembly.instantiate(bytes, imports);
console.log(instance.exports.run());
