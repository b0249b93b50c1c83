;; The micro workloads: see workloads/micro.mjs.
(module
  (type $unary (func (param i32) (result i32)))
  (table 64 funcref)
  (elem (i32.const 0)
    $i0 $i1 $i2 $i3 $i4 $i5 $i6 $i7 $i0 $i1 $i2 $i3 $i4 $i5 $i6 $i7
    $i0 $i1 $i2 $i3 $i4 $i5 $i6 $i7 $i0 $i1 $i2 $i3 $i4 $i5 $i6 $i7
    $i0 $i1 $i2 $i3 $i4 $i5 $i6 $i7 $i0 $i1 $i2 $i3 $i4 $i5 $i6 $i7
    $i0 $i1 $i2 $i3 $i4 $i5 $i6 $i7 $i0 $i1 $i2 $i3 $i4 $i5 $i6 $i7)
  (func $i0 (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
  (func $i1 (param i32) (result i32) (i32.xor (local.get 0) (i32.const 3)))
  (func $i2 (param i32) (result i32) (i32.mul (local.get 0) (i32.const 5)))
  (func $i3 (param i32) (result i32) (i32.sub (local.get 0) (i32.const 7)))
  (func $i4 (param i32) (result i32) (i32.rotl (local.get 0) (i32.const 9)))
  (func $i5 (param i32) (result i32) (i32.or (local.get 0) (i32.const 11)))
  (func $i6 (param i32) (result i32) (i32.and (local.get 0) (i32.const -13)))
  (func $i7 (param i32) (result i32) (i32.add (local.get 0) (i32.const 15)))
  ;; Large enough that engines do not inline it.
  (func $work (param $x i32) (result i32) (local $i i32)
    (local.set $i (i32.const 2))
    (loop $l
      (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
      (br_if $l (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
    (local.get $x))
  (func $work2 (param $x i32) (result i32) (local $i i32)
    (local.set $i (i32.const 2))
    (loop $l
      (local.set $x (i32.xor (i32.mul (local.get $x) (i32.const 22695477)) (i32.const 1)))
      (br_if $l (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
    (local.get $x))
  (func (export "leaf") (param $n i32) (result i32) (local $s i32)
    (loop $l
      (local.set $s (call $work (local.get $s)))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  (func $fib (param $n i32) (result i32)
    (if (result i32) (i32.lt_u (local.get $n) (i32.const 2))
      (then (local.get $n))
      (else (i32.add
        (call $fib (i32.sub (local.get $n) (i32.const 1)))
        (call $fib (i32.sub (local.get $n) (i32.const 2)))))))
  (func (export "fib") (param i32) (result i32) (call $fib (local.get 0)))
  (func (export "indirect") (param $n i32) (result i32) (local $s i32)
    (loop $l
      (local.set $s (call_indirect (type $unary) (local.get $s) (i32.and (local.get $n) (i32.const 63))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  (func (export "alternating") (param $n i32) (result i32) (local $s i32)
    (loop $l
      (local.set $s (call $work2 (call $work (local.get $s))))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  (func $down (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (call $down (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))
      (else (i32.const 0))))
  (func (export "deep") (param i32) (result i32) (call $down (local.get 0))))
