// What pages do, in all the ways in which a browser runs scripts. `finished` is a promise that the recorder waits for.
import { Counter, counting } from "./module.js";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const frame = () => new Promise(requestAnimationFrame);
const idle = () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 50 }));

/** Layout asked for in the middle of a script, so that events lie within calls. */
function layout(place) {
  place.innerHTML = "";
  for (let i = 0; i < 60; i++) {
    const box = document.createElement("div");
    box.className = "box";
    box.innerHTML = `<span>${i}</span>`;
    place.append(box);
    if (i % 10 === 0) {
      box.classList.toggle("wide");
      sink += box.offsetWidth;
    }
  }
}

async function microtasks() {
  const counter = new Counter();
  for (let i = 0; i < 10; i++) await counter.add();
  await Promise.all([...counting(20)].map(async (n) => descend(n, () => spin(10))));
  await new Promise((resolve) => queueMicrotask(() => (spin(100), queueMicrotask(resolve))));
}

function events() {
  const button = document.createElement("button");
  button.addEventListener("click", () => descend(5, () => spin(200)));
  button.addEventListener("click", () => fibonacci(15));
  button.click();
  button.dispatchEvent(new CustomEvent("click"));
  performance.mark("clicked");
  performance.measure("clicking", { start: 0, end: "clicked" });
  console.timeStamp("now");
  console.time("timed");
  spin(100);
  console.timeEnd("timed");
}

function worker() {
  const one = new Worker("worker.js");
  return new Promise((resolve) => {
    one.onmessage = ({ data }) => {
      spin(100);
      if (data < 3) one.postMessage(data);
      else resolve(one.terminate());
    };
    one.postMessage(0);
  });
}

function inner() {
  const frame = document.createElement("iframe");
  frame.src = "frame.html";
  return new Promise((resolve) => {
    addEventListener("message", ({ data }) => {
      if (data === "ready") frame.contentWindow.postMessage("work", "*");
      else resolve(frame.remove());
    });
    document.body.append(frame);
  });
}

async function work() {
  const place = document.getElementById("place");
  const done = [worker(), inner()];
  for (let round = 0; round < 30; round++) {
    await pause(1);
    fibonacci(20);
    layout(place);
    await microtasks();
    await frame();
    events();
    builtins();
    litter(15);
    tree(12);
    await idle();
  }
  const text = await (await fetch("work.js")).text();
  done.push(import(URL.createObjectURL(new Blob([`spin(${text.length % 100 + 200});`], { type: "text/javascript" }))));
  await Promise.all(done);
  await pause(5);
  return "done";
}

globalThis.finished = new Promise((resolve) => addEventListener("load", () => resolve(work())));
