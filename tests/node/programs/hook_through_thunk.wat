;; Calls a thunk of a JavaScript function through its table; the function calls back twice.
(module
  (table (export "table") 1 funcref)
  (func $leaf (export "leaf"))
  (func $run (export "run") (call_indirect (i32.const 0))))
