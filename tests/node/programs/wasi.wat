;; A WASI command: prints its first argument but one, then a file of the folder that it may use, exits with 3.
(module
  (import "wasi_snapshot_preview1" "args_get" (func $args_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_get" (func $environ_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 512) "in.txt")
  (data (i32.const 520) "\n")

  (func $print (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $length))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))

  (func $length (param $at i32) (result i32) (local $end i32)
    (local.set $end (local.get $at))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (i32.load8_u (local.get $end))))
        (local.set $end (i32.add (local.get $end) (i32.const 1)))
        (br $next)))
    (i32.sub (local.get $end) (local.get $at)))

  (func $line (param $at i32)
    (call $print (local.get $at) (call $length (local.get $at)))
    (call $print (i32.const 520) (i32.const 1)))

  (func (export "_start")
    ;; The second argument: the first is the program.
    (drop (call $args_sizes_get (i32.const 16) (i32.const 20)))
    (drop (call $args_get (i32.const 1024) (i32.const 2048)))
    (call $line (i32.load (i32.const 1028)))
    ;; The only variable.
    (drop (call $environ_sizes_get (i32.const 16) (i32.const 20)))
    (drop (call $environ_get (i32.const 1024) (i32.const 4096)))
    (call $line (i32.load (i32.const 1024)))
    ;; A file of the first folder.
    (drop (call $path_open (i32.const 3) (i32.const 0) (i32.const 512) (i32.const 6)
      (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 24)))
    (i32.store (i32.const 0) (i32.const 8192))
    (i32.store (i32.const 4) (i32.const 100))
    (drop (call $fd_read (i32.load (i32.const 24)) (i32.const 0) (i32.const 1) (i32.const 8)))
    (call $print (i32.const 8192) (i32.load (i32.const 8)))
    (call $proc_exit (i32.const 3))))
