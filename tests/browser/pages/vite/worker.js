import init from './fib.wasm?init';

init().then(({ exports }) => {
  exports.fib(10);
  postMessage('done');
});
