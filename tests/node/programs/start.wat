;; A start function with a direct call and an import, and data that it reads.
(module
  (import "env" "log" (func $log (param i32)))
  (memory 1)
  (data (i32.const 8) "\2a\00\00\00")
  (global $seen (mut i32) (i32.const 0))
  (func $helper (result i32) (i32.load (i32.const 8)))
  (func $init (global.set $seen (call $helper)) (call $log (global.get $seen)))
  (start $init)
  (func $get (export "get") (result i32) (global.get $seen)))
