/** Readers of option values. */

import { createInterface } from 'node:readline/promises';
import { DURATION_FORM, parseDuration } from '../lib/duration.ts';
import { CommandError, type CommandOption, type Context, type Input, usageError } from './command.ts';

/** Returns the value of an option. Throws a usage error with the message `problem` unless it is one of `values`. */
export function oneOf<const T extends string>(
  value: string | true | undefined,
  values: readonly T[],
  problem: string,
): T | undefined {
  const match = values.find((candidate) => candidate === value);
  if (match === undefined && value !== undefined) throw usageError(problem);
  return match;
}

/** Returns the value of `--name`. Throws a usage error unless it is one of `values`. */
export const choiceIn = <const T extends string>(
  options: Input['options'],
  name: string,
  values: readonly T[],
): T | undefined => oneOf(options[name], values, `--${name} must be ${values.join(' or ')}.`);

/** Returns whether `--name` is `yes`; undefined if it is absent. Throws a usage error unless it is `on` or `off`. */
export function readSwitch(
  options: Input['options'],
  name: string,
  yes: 'on' | 'off' = 'on',
): boolean | undefined {
  const value = choiceIn(options, name, ['on', 'off']);
  return value === undefined ? undefined : value === yes;
}

/** Returns the value of an option that takes one. */
export const text = (value: string | true | undefined): string | undefined =>
  value === true ? undefined : value;

/** Returns the option `--overlap` of a rotation. `usual` is its default, such as `24h`. */
export const overlapOption = (meaning: string, usual: string): CommandOption => ({
  name: 'overlap',
  value: 'TIME',
  doc: `${meaning}, ${DURATION_FORM}; ${usual} by default, 0 for no overlap.`,
});

/** Returns `--overlap` in milliseconds. Throws a usage error if it is not a duration. */
export function overlapIn({ overlap }: Input['options'], usual: string): number {
  const overlapMs = parseDuration(text(overlap) ?? usual);
  if (overlapMs === undefined) throw usageError(`--overlap must be a time ${DURATION_FORM}.`);
  return overlapMs;
}

/** The option of every command that deletes. */
export const YES = { name: 'yes', doc: 'Do not ask for confirmation; required without a terminal.' } as const;

/** Resolves if --yes was given or the person at the terminal types yes, otherwise throws. */
export async function confirm(what: string, { options }: Input, { io, json }: Context): Promise<void> {
  if (options.yes) return;
  if (!io.stdin.isTTY || json) throw usageError(`${what} cannot be undone. Add --yes to confirm.`);
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await reader.question(`${what} cannot be undone. Type yes to do it: `);
    if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('refused', 'Nothing was changed.');
  } finally {
    reader.close();
  }
}

const MOST = 1_000;
const USUAL = 50;

export const LIMIT: CommandOption = {
  name: 'limit',
  value: 'NUMBER',
  doc: `The page size, from 1 to ${MOST}; ${USUAL} by default.`,
};

export const PAGE_OPTIONS: readonly CommandOption[] = [
  LIMIT,
  { name: 'after', value: 'NEXT', doc: 'The `next` of the previous page.' },
];

/** Returns the value of an option. Throws a usage error with the message `problem` unless it is from 1 to `most`. */
export function numberIn(
  value: string | true | undefined,
  most: number,
  problem: string,
): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d{1,15}$/.test(String(value)) ? Number(value) : 0;
  if (number < 1 || number > most) throw usageError(problem);
  return number;
}

/** Returns the value of `--limit`. Throws a usage error if it is not a number from 1 to 1,000. */
export const limitIn = ({ limit }: Input['options']): number =>
  numberIn(limit, MOST, `--limit must be a number from 1 to ${MOST}.`) ?? USUAL;

/** Returns the line after a table that has a next page. */
export const nextLine = (next: string | null): string => (next === null ? '' : `\n\nMore: --after ${next}`);
