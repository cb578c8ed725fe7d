// Functions of different kinds, which take different shares of the time: numbers, sorting, maps, regular expressions, generators,
// code that is optimised and given up again. Runs until it has used the CPU time, in ms, that its argument says.
'use strict';

function numbers() {
  let sum = 0;
  for (let i = 1; i < 15000; i++) sum += Math.sqrt(i) / i;
  return sum;
}

const unsorted = Array.from({ length: 400 }, (_, i) => (i * 7919) % 1000);
const scratch = [];

function sorting() {
  for (let i = 0; i < unsorted.length; i++) scratch[i] = unsorted[i];
  scratch.sort(function order(a, b) {
    return a - b;
  });
  return scratch[0];
}

const counts = new Map();

function counting() {
  for (let i = 0; i < 1500; i++) counts.set(i % 97, (counts.get(i % 97) ?? 0) + 1);
  return counts.size;
}

const line = 'GET /users/4711/orders?page=12&size=50 HTTP/1.1'.repeat(4);

function matching() {
  let found = 0;
  const pattern = /(\w+)=(\d+)/g;
  for (let i = 0; i < 60; i++) while (pattern.test(line)) found++;
  return found;
}

function* numbersFrom(start) {
  for (let i = start; i < start + 300; i++) yield i;
}

function generating() {
  let sum = 0;
  for (const number of numbersFrom(10)) sum += number;
  return sum;
}

function add(a, b) {
  return a + b;
}

function changing(round) {
  // prettier-ignore
  const values = [round, round + 0.5, `${round}`, [round], { valueOf() { return round; } }];
  let sum = 0;
  const first = values[round % values.length], second = values[(round >> 4) % values.length];
  for (let i = 0; i < 300; i++) sum = add(first, second);
  return sum;
}

function deep(n) {
  return n === 0 ? counting() : 1 + deep(n - 1);
}

const deadline = Number(process.argv[2]) * 1000;
let result = 0;
for (let round = 0; process.cpuUsage().user < deadline; round++) {
  for (let i = 0; i < 4; i++) {
    result += numbers() + sorting() + counting() + matching() + generating();
    result += String(changing(round)).length;
    [1, 2].forEach((n) => (result += deep(20 * n)));
  }
}
console.log(typeof result);
