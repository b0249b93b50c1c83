;; A start function that throws: what it did before must be done once.
(module
  (import "env" "log" (func $log))
  (import "env" "throw" (func $throw))
  (start $start)
  (func $start (call $log) (call $throw)))
