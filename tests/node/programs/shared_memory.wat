;; Threads count in one shared memory: a word of their own, and one that they share.
(module
  (import "env" "memory" (memory 1 2 shared))
  (func $bump (param $at i32)
    (drop (i32.atomic.rmw.add (local.get $at) (i32.const 1))))
  (func $work (export "work") (param $own i32) (param $n i32)
    (loop $again
      (call $bump (local.get $own))
      (call $bump (i32.const 1024))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))
