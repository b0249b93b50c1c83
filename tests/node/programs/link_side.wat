;; A side module: it exports a function and a table through which it calls whatever is there.
(module $side
  (type $v (func))
  (table (export "table") 4 funcref)
  (elem (i32.const 0) $inner)
  (func $inner)
  (func (export "add") (param i32 i32) (result i32)
    (call $inner) (i32.add (local.get 0) (local.get 1)))
  (func (export "through") (param i32)
    (call_indirect (type $v) (local.get 0))))
