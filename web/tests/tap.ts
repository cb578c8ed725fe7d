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

/** Runs those whose name has `only` in it, one after the other. */
export async function runTests(only = ''): Promise<void> {
  const chosen = tests.filter(({ name }) => name.includes(only));
  console.log(`1..${chosen.length}`);
  for (const [i, { name, body }] of chosen.entries()) {
    try {
      await body();
      console.log(`ok ${i + 1} - ${name}`);
    } catch (error) {
      if (error instanceof Skipped) {
        console.log(`ok ${i + 1} - ${name} # SKIP ${error.message}`);
        continue;
      }
      console.log(`not ok ${i + 1} - ${name}`);
      tellFailure(error);
      process.exitCode = 1;
    }
  }
}
