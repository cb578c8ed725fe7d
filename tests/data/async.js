// What async.cpuprofile is a recording of; README.md has the command.

const { promisify } = require("util");
const sleep = promisify(setTimeout);

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function makeGarbage(rounds) {
  let kept = [];
  for (let i = 0; i < rounds; i++) {
    kept.push({ i, text: `number ${i}` });
    if (kept.length > 50000) kept = kept.slice(-10000);
  }
  return kept.length;
}

const sortNumbers = (n) => Array.from({ length: n }, (_, i) => (i * 7919) % n).sort((a, b) => a - b);

class Job {
  constructor(size) {
    this.size = size;
  }

  async run() {
    fibonacci(this.size);
    await sleep(5);
    return sortNumbers(20000).length;
  }
}

async function main() {
  for (let i = 0; i < 4; i++) {
    await new Job(24 + i).run();
    makeGarbage(100000);
  }
}

main();
