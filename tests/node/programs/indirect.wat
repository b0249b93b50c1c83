;; Calls through a table: three callees in turn, and a function that reaches itself through the table.
(module
  (type $unary (func (param i32) (result i32)))
  (table (export "table") 5 funcref)
  (elem (i32.const 0) $a $b $c $down)
  (func $a (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
  (func $b (param i32) (result i32) (call $a (i32.mul (local.get 0) (i32.const 3))))
  (func $c (param i32) (result i32) (i32.xor (local.get 0) (i32.const 5)))
  (func $down (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (call_indirect (type $unary) (i32.sub (local.get 0) (i32.const 1)) (i32.const 3)))
      (else (i32.const 7))))
  (func $run (export "run") (param $n i32) (result i32) (local $s i32)
    (loop $again
      (local.set $s (call_indirect (type $unary) (local.get $s) (i32.rem_u (local.get $n) (i32.const 3))))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  (func $recurse (export "recurse") (param i32) (result i32)
    (call_indirect (type $unary) (local.get 0) (i32.const 3)))
  ;; Entry 4 is null.
  (func $null (export "null") (result i32)
    (call_indirect (type $unary) (i32.const 0) (i32.const 4)))
  (func $mismatch (export "mismatch")
    (call_indirect (i32.const 0))))
