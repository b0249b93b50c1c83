// text to binary and back, and an error
import initWabt from 'wabt';
import { digest } from './digest.mjs';

const wabt = await initWabt();
const module = wabt.parseWat('a.wat', '(module (func (export "f") (result i32) i32.const 42))');
const { buffer } = module.toBinary({});
let message = '';
try {
  wabt.parseWat('b.wat', '(module (func (result i32) nonsense))');
} catch (error) {
  message = error.message.split('\n')[0];
}
console.log('RESULT', digest(buffer), wabt.readWasm(buffer, {}).toText({}).length, message);
