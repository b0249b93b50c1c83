;; Traps of every kind, then a call: it must hang where it belongs.
(module
  (memory 1)
  (func $leaf (export "leaf"))
  (func $deep_oob (result i32) (call $leaf) (i32.load (i32.const 65534)))
  (func $oob (export "oob") (result i32) (call $deep_oob))
  (func $div (export "div") (param i32) (result i32) (i32.div_s (i32.const 1) (local.get 0)))
  (func $unreach (export "unreach") (call $leaf) (unreachable))
  (func $forever (param i32) (result i32)
    (i32.add (call $forever (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))
  (func $overflow (export "overflow") (result i32) (call $forever (i32.const 0))))
