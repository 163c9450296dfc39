/** Values of options that several groups of options have. */
import { type CommandOption, type Input, usageError } from './command.ts';
import { DURATION_FORM, parseDuration } from './duration.ts';

/** The word given with `--name`; undefined where the option is absent. Throws a usage error for another word. */
export function oneOf<const T extends string>(
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

/** The value of an option that takes one. */
export const text = (value: string | true | undefined): string | undefined =>
  value === true ? undefined : value;

/** The option of a rotation that says for how long what it takes the place of stays. */
export const overlapOption = (meaning: string, usual: string): CommandOption => ({
  name: 'overlap',
  value: 'TIME',
  doc: `${meaning}, ${DURATION_FORM}; ${usual} by default, 0 ends it at once.`,
});

/** Its value in milliseconds. Throws a usage error for what is no time. */
export function overlapIn({ overlap }: Input['options'], usual: string): number {
  const overlapMs = parseDuration(text(overlap) ?? usual);
  if (overlapMs === undefined) throw usageError(`--overlap must be a time ${DURATION_FORM}.`);
  return overlapMs;
}
