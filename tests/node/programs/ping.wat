;; Calls what is in slot 1 of its table until the argument is 0, each time as a tail call.
(module $ping
  (type $t (func (param i32) (result i32)))
  (table (export "table") 2 funcref)
  (func (export "ping") (type $t)
    (if (i32.eqz (local.get 0)) (then (return (i32.const 42))))
    (return_call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i32.const 1))))
