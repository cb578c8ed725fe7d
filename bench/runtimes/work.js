// Sorts, makes and reads JSON, calls itself, replaces text and fills a map, for the functions that bench/runtimes.ts compares.
'use strict';

const zlib = require('node:zlib');

function sortNumbers() {
  return Array.from({ length: 60000 }, (_, i) => (i * 7919) % 100003).sort((a, b) => b - a);
}

function makeText() {
  const rows = [];
  for (let i = 0; i < 9000; i++) rows.push({ number: i, square: i * i, name: `n${i}` });
  return JSON.stringify(rows, null, 1);
}

function readText(text) {
  return JSON.parse(text);
}

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function replace(text) {
  return text.slice(0, 200000).replace(/\d+/g, (digits) => String(digits.length));
}

function count(rows) {
  const counts = new Map();
  for (const row of rows) counts.set(row.number % 97, (counts.get(row.number % 97) ?? 0) + row.square);
  return counts.size;
}

function pack(text) {
  return zlib.deflateSync(text.slice(0, 100000)).length;
}

let result = 0;
for (let i = 0; i < Number(process.argv[2]); i++) {
  result += sortNumbers()[0];
  const text = makeText();
  for (let k = 0; k < 8; k++) result += count(readText(text));
  result += fibonacci(25) + replace(text).length + pack(text);
}
console.log(typeof result);
