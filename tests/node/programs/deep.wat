;; Recursion as deep as asked: each level is a path of its own.
(module
  (func $down (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (call $down (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))
      (else (i32.const 0))))
  (func $run (export "run") (param i32) (result i32) (call $down (local.get 0))))
