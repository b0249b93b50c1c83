;; Legacy exceptions: catch, catch_all, rethrow and delegate.
(module
  (tag $e (param i32))
  (func $leaf)
  (func $throws (param i32)
    (if (i32.and (local.get 0) (i32.const 1)) (then (throw $e (local.get 0))))
    (call $leaf))
  (func $delegates (param i32)
    try $outer
      try
        local.get 0
        call $throws
      delegate $outer
    catch_all
      call $leaf
      rethrow $outer
    end)
  (func $run (export "run") (param $n i32) (result i32) (local $s i32)
    loop $again
      try
        local.get $n
        call $delegates
      catch $e
        local.get $s
        i32.add
        local.set $s
        call $leaf
      end
      local.get $n
      i32.const 1
      i32.sub
      local.tee $n
      br_if $again
    end
    local.get $s))
