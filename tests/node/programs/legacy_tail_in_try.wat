;; A tail call inside a legacy try: its frame is gone, so the exception is caught further out.
(module
  (tag $e (param i32))
  (func $thrower (param i32) (result i32) (throw $e (local.get 0)))
  (func $leaf)
  (func $tail (param i32) (result i32)
    try (result i32)
      local.get 0
      return_call $thrower
    catch $e
      call $leaf
    end)
  (func $run (export "run") (result i32)
    try (result i32)
      i32.const 5
      call $tail
    catch $e
      call $leaf
      i32.const 100
      i32.add
    end))
