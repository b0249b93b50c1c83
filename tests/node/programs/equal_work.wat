;; `few` and `many` do the same work: 100,000 steps in 5 calls, and in 2,000 calls.
(module
  (func $few (param $n i32) (param $x i32) (result i32)
    (loop $again
      (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $x))
  (func $many (param $n i32) (param $x i32) (result i32)
    (loop $again
      (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $x))
  (func (export "run") (result i32) (local $n i32) (local $x i32)
    (local.set $n (i32.const 5))
    (loop $again
      (local.set $x (call $few (i32.const 20000) (local.get $x)))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.set $n (i32.const 2000))
    (loop $again
      (local.set $x (call $many (i32.const 50) (local.get $x)))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $x)))
