// optimizes a module
import binaryen from 'binaryen';
import { digest } from './digest.mjs';

const module = binaryen.parseText(`(module (func $f (param i32) (result i32)
  (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
    (else (i32.add (i32.const 1) (call $f (i32.sub (local.get 0) (i32.const 1)))))))
  (func (export "g") (result i32) (call $f (i32.add (i32.const 2) (i32.const 3)))))`);
binaryen.setOptimizeLevel(3);
module.optimize();
console.log('RESULT', module.validate(), digest(module.emitText()));
