/* A program that says what it does.
 *
 *     npm install ./bindings/node
 *     sonde record node bindings/node/examples/requests.js
 */
'use strict';

const sonde = require('..');

const cache = sonde.category('Cache', 'orange');
const queue = new sonde.Counter('Queue length', 'Queue', 'Requests that wait');
const request = new sonde.MarkerType('HTTP request', { url: 'url', status: 'integer', size: 'bytes', wait: 'duration' },
  { tableLabel: '{marker.data.status} {marker.data.url}' });

function compute(rounds) {
  let sum = 0;
  for (let i = 0; i < rounds * 1000; i++) sum += Math.sqrt(i);
  return sum;
}

function answer(number) {
  const interval = request.start('GET', { url: `https://example.org/item/${number}` }, { category: sonde.categories.network });
  if (number % 4 === 0) sonde.mark('cache miss', { text: `item ${number}`, category: cache });
  sonde.measure('parse', () => compute(10));
  interval.end({ status: number % 7 === 0 ? 404 : 200, size: number * 100, wait: 2.5 });
}

async function main(requests) {
  const loading = sonde.start('load', { text: 'config.json' });
  compute(10);
  loading.end();
  for (let number = requests; number > 0; number--) {
    queue.set(number);
    answer(number);
  }
  queue.add(-1);
  await sonde.measure('render', () => new Promise((resolve) => setTimeout(resolve, 2)));
  try {
    sonde.measure('doomed', () => {
      throw new Error('ends it, too');
    });
  } catch {}
  performance.mark('half way');
  performance.measure('since half way', 'half way');
}

main(Number(process.argv[2] ?? 20));
