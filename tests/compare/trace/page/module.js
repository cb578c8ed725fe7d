export const answer = fibonacci(20);

export function* counting(n) {
  for (let i = 0; i < n; i++) {
    spin(5);
    yield i;
  }
}

export class Counter {
  #count = 0;

  get count() {
    spin(20);
    return this.#count;
  }

  async add() {
    this.#count++;
    await null;
    spin(50);
    return this.count;
  }
}
