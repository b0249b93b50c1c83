;; Loops of tail calls through functions that are called directly and through the table alike.
(module
  (type $unary (func (param i32) (result i32)))
  (table 3 funcref)
  (elem (i32.const 0) $a $b $c)
  (func $leaf (result i32) (i32.const 1))
  (func $a (type $unary)
    (if (i32.eqz (local.get 0)) (then (return (call $leaf))))
    (return_call $b (i32.sub (local.get 0) (i32.const 1))))
  (func $b (type $unary)
    (if (i32.eqz (local.get 0)) (then (return (call $leaf))))
    (return_call_indirect (type $unary) (i32.sub (local.get 0) (i32.const 1)) (i32.const 2)))
  (func $c (type $unary)
    (if (i32.eqz (local.get 0)) (then (return (call $leaf))))
    (return_call_ref $unary (i32.sub (local.get 0) (i32.const 1)) (ref.func $a)))
  (func (export "run") (param i32) (result i32)
    (i32.add
      (call $a (local.get 0))
      (i32.add (call $b (local.get 0)) (call $c (local.get 0))))))
