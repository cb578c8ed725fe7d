// A recursive function of WebAssembly, fib(n), called until the CPU time, in ms, is used that the first argument says. The second:
// "named" = the module says what its functions are called.
'use strict';

const section = (id, bytes) => [id, bytes.length, ...bytes];
const text = (name) => [name.length, ...Buffer.from(name)];

// prettier-ignore
const body = [0,
  0x20, 0, 0x41, 2, 0x48,              // n < 2
  0x04, 0x7f, 0x20, 0,                 // ? n
  0x05,                                // : fib(n - 1) + fib(n - 2)
  0x20, 0, 0x41, 1, 0x6b, 0x10, 0, 0x20, 0, 0x41, 2, 0x6b, 0x10, 0, 0x6a,
  0x0b, 0x0b];

const module_ = [
  0, ...Buffer.from('asm'), 1, 0, 0, 0,
  ...section(1, [1, 0x60, 1, 0x7f, 1, 0x7f]), // a type: of an integer, an integer
  ...section(3, [1, 0]),
  ...section(7, [1, ...text('run'), 0, 0]),
  ...section(10, [1, body.length, ...body]),
  ...(process.argv[3] === 'named' ? section(0, [...text('name'), ...section(1, [1, 0, ...text('fib')])]) : []),
];

const { run } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(module_))).exports;

function callWasm() {
  return run(22);
}

const deadline = Number(process.argv[2]) * 1000;
let sum = 0;
while (process.cpuUsage().user < deadline) sum += callWasm();
console.log(typeof sum);
