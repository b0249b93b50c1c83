;; Waits for the host in the middle of a call.
(module
  (import "env" "wait" (func $wait (result i32)))
  (func $leaf (export "leaf") (result i32) (i32.const 1))
  (func $run (export "run") (result i32) (i32.add (call $wait) (call $leaf))))
