// Work for the CPU, in deep and shallow stacks, some of it in functions that the engine cannot tell apart (same line, no name).

let sink = 0;

function spin(rounds) {
  for (let i = 0; i < rounds * 100; i++) sink = (sink * 31 + i) | 0;
}

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function descend(depth, then) {
  return depth === 0 ? then() : descend(depth - 1, then);
}

function tree(depth) {
  return depth === 0 ? { leaf: true } : { left: tree(depth - 1), right: tree(depth - 1) };
}

/** Objects that live a short while, and some that live longer: both kinds of garbage collection. */
function litter(rounds) {
  const kept = [];
  for (let i = 0; i < rounds; i++) {
    const things = Array.from({ length: 2000 }, (_, k) => ({ k, text: `thing ${k}` }));
    if (i % 10 === 0) kept.push(things);
  }
  return kept.length;
}

/** Through the engine's own functions and back, and through code made of text. */
function builtins() {
  const numbers = Array.from({ length: 4000 }, (_, i) => (i * 7919) % 4001);
  numbers.sort((a, b) => a - b).map((n) => (() => n * 2)()).filter((n) => n % 3).reduce((a, b) => a + b, 0);
  JSON.parse(JSON.stringify(numbers), (key, value) => value);
  "a-b-c-d".repeat(500).replace(/[a-d]/g, (letter) => letter.toUpperCase());
  eval("(function generated() { for (let i = 0; i < 50000; i++) sink ^= i; })()");
  new Function("spin", "spin(300)")(spin);
}
