;; Direct calls: one callee many times, two callees, a chain.
(module
  (func $leaf)
  (func $middle (call $leaf) (call $leaf))
  (func $run (export "run") (param $n i32)
    (loop $again
      (call $leaf)
      (call $middle)
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))
