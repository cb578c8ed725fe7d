// Workers of known functions: two that run one each at the same time, and then many short ones, one after the other. Says how many
// have ended. workers.js SHORT [ROUNDS]: so many short ones, and how long the first two run.
const { Worker, isMainThread, workerData } = require('node:worker_threads');

function firstWork(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum * 31 + i) | 0;
  return sum;
}

function secondWork(n) {
  let sum = 1;
  for (let i = 0; i < n; i++) sum = (sum * 37 + i) | 0;
  return sum;
}

function run(name) {
  return new Promise((done, failed) => {
    const worker = new Worker(__filename, { workerData: name });
    worker.on('error', failed);
    worker.on('exit', () => done());
  });
}

async function main() {
  const short = Number(process.argv[2]);
  await Promise.all([run('first'), run('second')]);
  for (let i = 0; i < short; i += 4) await Promise.all([run('short'), run('short'), run('short'), run('short')]);
  console.log(`${2 + short} ended`);
}

if (isMainThread) main();
else for (let i = 0; i < (workerData === 'short' ? 1 : Number(process.argv[3] ?? 300)); i++) workerData === 'first' ? firstWork(1e6) : secondWork(1e6);
