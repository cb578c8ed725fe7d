importScripts("work.js");

onmessage = async ({ data }) => {
  fibonacci(22);
  descend(30, () => spin(500));
  litter(5);
  await null;
  builtins();
  postMessage(data + 1);
};
