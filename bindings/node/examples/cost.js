/* What calls cost, in nanoseconds, the least of five rounds: run it plainly for the cost while nothing is recorded, and under
 * `sonde record`. */
'use strict';

const sonde = require('..');

const step = new sonde.MarkerType('Step', { number: 'integer' });
const rounds = sonde.isRecording() ? 50_000 : 5_000_000;

const calls = {
  'nothing': () => {},
  'marker': () => sonde.mark('step'),
  'marker with a text': () => sonde.mark('step', { text: 'a text' }),
  'marker with a field': () => step.mark('step', { number: 1 }),
  'scope': () => sonde.start('step').end(),
  'measured': () => sonde.measure('step', calls.nothing),
};

function measure(call) {
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < rounds; i++) call();
    least = Math.min(least, Number(process.hrtime.bigint() - start) / rounds);
  }
  return least;
}

for (const [name, call] of Object.entries(calls)) console.log(`${name}\t${measure(call).toFixed(2)}`);
