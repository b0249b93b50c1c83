;; Puts ping, which it imports, into slot 1 of ping's table.
(module $pong
  (type $t (func (param i32) (result i32)))
  (import "ping" "table" (table 2 funcref))
  (import "ping" "ping" (func $ping (type $t)))
  (elem (i32.const 1) func $ping)
  (func (export "run") (type $t)
    (return_call_indirect (type $t) (local.get 0) (i32.const 1))))
