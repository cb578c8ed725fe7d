// Two workers that run an interpreted function of a known name and then wait, each in one of its own, for a second.
const { execFileSync } = require('node:child_process');
const { Worker, isMainThread, workerData } = require('node:worker_threads');

function work(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum * 31 + i) | 0;
  return sum;
}

function firstWait() {
  execFileSync('sleep', ['1']);
}

function secondWait() {
  execFileSync('sleep', ['1']);
}

if (isMainThread) {
  for (const name of ['first', 'second']) new Worker(__filename, { workerData: name });
} else {
  for (let i = 0; i < 20; i++) work(1e6);
  if (workerData === 'first') firstWait();
  else secondWait();
}
