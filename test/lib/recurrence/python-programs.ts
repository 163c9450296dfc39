/** Other calendar programs that Debian has for Python. Each is called by a script of this folder. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PYTHON = '/usr/bin/python3';

/** Returns why a test is skipped if this Python statement fails; false if it runs, or if nothing may be skipped. */
const unlessRuns = (statement: string, debianPackage: string): string | false =>
  process.env.KALENDS_TEST_ALL !== '1' &&
  spawnSync(PYTHON, ['-c', statement]).status !== 0 &&
  `${debianPackage} is not installed`;

export const withDateutil = () => ({ skip: unlessRuns('import dateutil', 'python3-dateutil') });
export const withLibical = () => ({
  skip: unlessRuns('import ctypes; ctypes.CDLL("libical.so.3")', 'libical3'),
});

/** Gives the script each input as a line of JSON, and returns the values of the lines that it prints. */
export function askScript<Output>(script: string, inputs: readonly object[], ...args: string[]): Output[] {
  const input = inputs.map((one) => JSON.stringify(one)).join('\n');
  const file = fileURLToPath(new URL(script, import.meta.url));
  const options = { input, encoding: 'utf8', maxBuffer: 1 << 30 } as const;
  const { status, stdout, stderr } = spawnSync(PYTHON, [file, ...args], options);
  assert.equal(status, 0, stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export type RuleCase = { readonly start: string; readonly rrule: string };
export type ExpandedRule = {
  readonly rrule: string;
  readonly dtstart: string;
  readonly occurrences: readonly string[];
};

/** Returns the first `limit` times of each rule by dateutil, for at most `rounds` rules that name any. */
export const expandWithDateutil = (
  cases: readonly RuleCase[],
  { limit, rounds }: { readonly limit: number; readonly rounds: number },
): ExpandedRule[] =>
  askScript(
    'dateutil-expand.py',
    cases.map((one) => ({ ...one, limit })),
    String(rounds),
  );
