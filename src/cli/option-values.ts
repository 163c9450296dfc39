/** Values of options that several groups of options have. */
import { type Input, usageError } from './command.ts';

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
