;; Exceptions through several frames, caught by tag, by catch_all and rethrown; then calls again.
(module
  (tag $e (param i32))
  (tag $f)
  (func $leaf)
  (func $throws (param i32)
    (if (i32.eqz (i32.rem_u (local.get 0) (i32.const 3))) (then (throw $e (local.get 0))))
    (if (i32.eqz (i32.rem_u (local.get 0) (i32.const 2))) (then (throw $f)))
    (call $leaf))
  (func $middle (param i32) (call $throws (local.get 0)) (call $leaf))
  (func $rethrow (param i32)
    (block $h (result exnref)
      (try_table (catch_all_ref $h) (call $middle (local.get 0)))
      (return))
    (call $leaf)
    (throw_ref))
  (func $run (export "run") (param $n i32) (result i32) (local $s i32)
    (loop $again
      (block $done
        (block $all
          (local.set $s (i32.add (local.get $s)
            (block $caught (result i32)
              (try_table (catch $e $caught) (catch_all $all) (call $rethrow (local.get $n)))
              (br $done))))
          (call $leaf)
          (br $done))
        (local.set $s (i32.add (local.get $s) (i32.const 1000))))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))
