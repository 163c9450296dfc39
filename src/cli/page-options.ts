/** Options of lists that are read page by page. */
import { type CommandOption, type Input, usageError } from './command.ts';
import { text } from './option-values.ts';

const MOST = 1_000;
const USUAL = 50;

export const LIMIT: CommandOption = {
  name: 'limit',
  value: 'NUMBER',
  doc: `How many, from 1 to ${MOST}; ${USUAL} by default.`,
};

export const PAGE_OPTIONS: readonly CommandOption[] = [
  LIMIT,
  { name: 'after', value: 'NEXT', doc: 'Behind the page whose `next` that is.' },
];

/** Throws a usage error for another number. */
export function limitIn({ limit = String(USUAL) }: Input['options']): number {
  const number = /^\d{1,4}$/.test(String(limit)) ? Number(limit) : 0;
  if (number < 1 || number > MOST) throw usageError(`--limit must be a number from 1 to ${MOST}.`);
  return number;
}

/** The place as one word, for `--after`. */
export const nextOf = (place: object | undefined): string | null =>
  place === undefined ? null : Buffer.from(JSON.stringify(place)).toString('base64url');

/** The place that `--after` names; undefined without the option. Throws a usage error for what is none. */
export function placeIn<Place>(
  { after }: Input['options'],
  isPlace: (value: unknown) => value is Place,
): Place | undefined {
  const word = text(after);
  if (word === undefined) return undefined;
  const place = parsed(Buffer.from(word, 'base64url').toString());
  if (!isPlace(place)) throw usageError('--after must be the `next` of the page before.');
  return place;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The line behind a table that goes on. */
export const nextLine = (next: string | null): string => (next === null ? '' : `\n\nMore: --after ${next}`);

/** Whether it is an object whose members of these names are of these types. */
export function hasMembers(
  value: unknown,
  types: Readonly<Record<string, 'string' | 'number'>>,
): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map(Object.entries(value));
  return Object.entries(types).every(([name, type]) => typeof members.get(name) === type);
}
