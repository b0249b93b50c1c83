;; Imports that the engine provides if it is told to when compiling.
(module
  (import "wasm:js-string" "length" (func $length (param externref) (result i32)))
  (import "const" "four" (global $four externref))
  (import "env" "log" (func $log (param i32)))
  (func (export "run") (call $log (call $length (global.get $four)))))
