// Lua: closures, coroutines, an error, a call back into JavaScript
import { LuaFactory } from 'wasmoon';

const lua = await new LuaFactory().createEngine();
lua.global.set('twice', (x) => 2 * x);
const result = await lua.doString(`
  local co = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(twice(i)) end end)
  local sum = 0
  for i = 1, 5 do sum = sum + co() end
  local ok, message = pcall(function() error('no') end)
  return sum .. ' ' .. tostring(ok) .. ' ' .. message
`);
console.log('RESULT', result);
