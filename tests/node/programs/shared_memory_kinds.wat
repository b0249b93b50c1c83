;; The module's own memory stays what it was: limits, data, growth, and index 0 in every instruction.
(module
  (memory (export "memory") 1 3)
  (data (i32.const 0) "hello")
  (data $passive "passive")
  (func $write (param i32 i32) (i32.store8 (local.get 0) (local.get 1)))
  (func $run (export "run") (result i32)
    (memory.init $passive (i32.const 100) (i32.const 0) (i32.const 7))
    (memory.copy (i32.const 200) (i32.const 0) (i32.const 5))
    (memory.fill (i32.const 300) (i32.const 7) (i32.const 4))
    (call $write (i32.const 0) (i32.const 72))
    (drop (memory.grow (i32.const 1)))
    (call $write (i32.const 70000) (i32.const 9))
    (i32.add (memory.grow (i32.const 5)) (i32.add (memory.size) (i32.load8_u (i32.const 70000))))))
