// Ruby: fibers, exceptions and a regular expression
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { DefaultRubyVM } from '@ruby/wasm-wasi/dist/node';

const path = createRequire(import.meta.url).resolve('@ruby/3.4-wasm-wasi/dist/ruby.wasm');
const { vm } = await DefaultRubyVM(await WebAssembly.compile(await readFile(path)));
const result = vm.eval(`
  fiber = Fiber.new { 5.times { |i| Fiber.yield i * i } ; nil }
  squares = []
  while (x = fiber.resume) do squares << x end
  begin; raise ArgumentError, 'no'; rescue => e; squares << e.message; end
  squares << 'a1b22c333'.scan(/\\d+/).map(&:to_i).sum
  squares.inspect
`);
console.log('RESULT', result.toString());
