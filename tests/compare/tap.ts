// Test results as TAP lines, for tests/run.

let count = 0;

/** One test: `check` returns the differences it found, or throws where an answer could not be had at all. */
export async function test(name: string, check: () => Promise<string[]>): Promise<void> {
  let problems: string[];
  try {
    problems = await check();
  } catch (error) {
    problems = [error instanceof Error ? error.message : String(error)];
  }
  console.log(`${problems.length ? "not ok" : "ok"} ${++count} - ${name}`);
  for (const line of problems.flatMap((problem) => problem.trimEnd().split("\n"))) {
    console.log(`#   ${line}`);
  }
}

/** A test that cannot be made here, and why. */
export function skip(name: string, why: string): void {
  console.log(`ok ${++count} - ${name} # SKIP ${why}`);
}

export function plan(): void {
  console.log(`1..${count}`);
}
