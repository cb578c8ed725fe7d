// Functions that call each other at known lines. Runs until it has used the CPU time, in ms, that its argument says.
// prettier-ignore
function work(n) {
  let sum = 0;
  for (let i = 0; i < n; i++)
    sum = (sum * 31 + i) | 0; // line 6
  return sum;
}

function middle(n) {
  const sum = work(n); // line 11
  return sum + 1;
}

const object = {
  'GET /users'(n) {
    return middle(n) + 1; // line 17
  },
};

function sorted() {
  const values = Array.from({ length: 300 }, (_, i) => (i * 7919) % 1000);
  values.sort((a, b) => a - b); // line 23
  return values[0];
}

const deadline = Number(process.argv[2]) * 1000;
let result = 0;
while (process.cpuUsage().user < deadline) {
  for (let i = 0; i < 10; i++) {
    result ^= object['GET /users'](5000); // line 31
    result ^= sorted(); // line 32
  }
}
console.log(typeof result);
