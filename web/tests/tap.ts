// Results as TAP lines, for tests/run.

/** What a test cannot be made without is missing. */
export class Skipped extends Error {}

/** Something is not as it has to be. */
export class Wrong extends Error {}

export function need(condition: boolean, ...what: readonly unknown[]): asserts condition {
  if (!condition) throw new Wrong(what.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(' ') || 'this is not so');
}

const show = (value: unknown): string => JSON.stringify(value, null, 1)?.replaceAll('\n ', ' ').replaceAll('\n', ' ') ?? 'undefined';

export function needEqual(found: unknown, expected: unknown, what = ''): void {
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  throw new Wrong(`${what}${what && ': '}found\n  ${show(found)}\ninstead of\n  ${show(expected)}`);
}

type Body = () => Promise<void> | void;
const tests: { readonly name: string; readonly body: Body }[] = [];

export function test(name: string, body: Body): void {
  tests.push({ name, body });
}

function tellFailure(error: unknown): void {
  const text = error instanceof Wrong ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  for (const line of text.split('\n')) console.log(`#   ${line}`);
}

/** Whether it is passed, and what is said of it. */
interface Result {
  readonly passed: boolean;
  readonly skipped?: string;
  readonly error?: unknown;
}

async function resultOf(body: Body): Promise<Result> {
  try {
    await body();
    return { passed: true };
  } catch (error) {
    return error instanceof Skipped ? { passed: true, skipped: error.message } : { passed: false, error };
  }
}

/** Runs those whose name has `only` in it, so many at once; what is said of them keeps their order. */
export async function runTests(only = '', atOnce = 1): Promise<void> {
  const chosen = tests.filter(({ name }) => name.includes(only)), results: Promise<Result>[] = [];
  for (const [i, { body }] of chosen.entries()) results.push((results[i - atOnce] ?? Promise.resolve()).then(() => resultOf(body)));
  console.log(`1..${chosen.length}`);
  for (const [i, { name }] of chosen.entries()) {
    const { passed, skipped, error } = await results[i]!;
    console.log(`${passed ? 'ok' : 'not ok'} ${i + 1} - ${name}${skipped === undefined ? '' : ` # SKIP ${skipped}`}`);
    if (passed) continue;
    tellFailure(error);
    process.exitCode = 1;
  }
}
