;; Leaves: one called directly, and through a table if asked for; two called by one function.
(module
  (table 1 funcref)
  (elem (i32.const 0) $leaf)
  (func $leaf)
  (func $other)
  (func (export "ways") (param i32)
    (call $leaf)
    (if (local.get 0) (then (call_indirect (i32.const 0)))))
  (func (export "both") (call $leaf) (call $other) (call $other)))
