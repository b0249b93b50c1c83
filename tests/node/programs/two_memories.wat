;; Two memories: an engine that takes this gets inline probes.
(module
  (memory $a 1)
  (memory $b 1)
  (data (memory $b) (i32.const 0) "\07")
  (func $get (result i32) (i32.load8_u $b (i32.const 0)))
  (func $run (export "run") (result i32)
    (i32.store8 $a (i32.const 0) (i32.const 5))
    (i32.add (call $get) (i32.load8_u $a (i32.const 0)))))
