;; One import, one export, no function of its own: what Emscripten's addFunction makes.
(module
  (import "e" "f" (func $f))
  (export "f" (func $f)))
