;; Imports its own from where probes come from.
(module
  (import "wasm-xray" "slot" (func $slot (param i32) (result i32)))
  (import "wasm-xray" "base" (global $base i32))
  (func $twice (param i32) (result i32) (call $slot (call $slot (local.get 0))))
  (func (export "run") (result i32) (i32.add (global.get $base) (call $twice (i32.const 1)))))
