;; Calls through typed references: from a global, a passive segment, a declared segment and a parameter.
(module
  (type $unary (func (param i32) (result i32)))
  (global $g (ref $unary) (ref.func $inc))
  (table $t 2 funcref)
  (elem $passive func $dec)
  (elem declare func $twice)
  (func $inc (type $unary) (i32.add (local.get 0) (i32.const 1)))
  (func $dec (type $unary) (i32.sub (local.get 0) (i32.const 1)))
  (func $twice (type $unary) (i32.mul (local.get 0) (i32.const 2)))
  (func $apply (param $f (ref $unary)) (param $x i32) (result i32)
    (call_ref $unary (local.get $x) (local.get $f)))
  (func $run (export "run") (result i32)
    (table.init $t $passive (i32.const 0) (i32.const 0) (i32.const 1))
    (i32.add
      (i32.add
        (call_ref $unary (i32.const 10) (global.get $g))
        (call $apply (ref.func $twice) (i32.const 10)))
      (call_indirect $t (type $unary) (i32.const 10) (i32.const 0)))))
