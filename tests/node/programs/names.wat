;; Names: duplicates, none at all (export or import name, else the index), an empty one.
(module
  (import "env" "plain.name" (func (param i32)))
  (func $same (@name "same"))
  (func $same2 (@name "same"))
  (func (export "by-export") (call $same) (call $same2) (call 4) (call 0 (i32.const 0)) (call 5))
  (func)
  (func (@name "")))
