// A program without wasm: prints its arguments.
console.log(process.argv.slice(2).join(' '));
