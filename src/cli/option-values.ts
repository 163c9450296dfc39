/** Readers of option values. */
import { type CommandOption, type Input, usageError } from './command.ts';
import { DURATION_FORM, parseDuration } from './duration.ts';

/** Returns the value of `--name`; undefined if it is absent. Throws a usage error unless it is one of `values`. */
export function choiceIn<const T extends string>(
  options: Input['options'],
  name: string,
  values: readonly T[],
): T | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  const choice = values.find((candidate) => candidate === value);
  if (choice === undefined) throw usageError(`--${name} must be ${values.join(' or ')}.`);
  return choice;
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
