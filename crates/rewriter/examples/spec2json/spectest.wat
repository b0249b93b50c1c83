;; Functions and globals that every script may import as "spectest". The functions
;; are JavaScript's, exported again with their types, so that imports of another
;; type are refused.
(module
  (import "host" "print" (func $print))
  (import "host" "print" (func $print_i32 (param i32)))
  (import "host" "print" (func $print_i64 (param i64)))
  (import "host" "print" (func $print_f32 (param f32)))
  (import "host" "print" (func $print_f64 (param f64)))
  (import "host" "print" (func $print_i32_f32 (param i32 f32)))
  (import "host" "print" (func $print_f64_f64 (param f64 f64)))
  (global (export "global_i32") i32 (i32.const 666))
  (global (export "global_i64") i64 (i64.const 666))
  (global (export "global_f32") f32 (f32.const 666.6))
  (global (export "global_f64") f64 (f64.const 666.6))
  (export "print" (func $print))
  (export "print_i32" (func $print_i32))
  (export "print_i64" (func $print_i64))
  (export "print_f32" (func $print_f32))
  (export "print_f64" (func $print_f64))
  (export "print_i32_f32" (func $print_i32_f32))
  (export "print_f64_f64" (func $print_f64_f64))
  ;; With a function of its own it is instrumented as well.
  (func (export "own")))
