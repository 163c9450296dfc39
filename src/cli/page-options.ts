/** Lists: their result, and the options of those that are read page by page. */
import { type DocumentField, toDocument, toTable } from '../administration/documents/field.ts';
import { type CommandOption, type Input, type Result, usageError } from './command.ts';
import { text } from './option-values.ts';
import { tabulate } from './table.ts';

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

/** Returns the value of `--limit`. Throws a usage error if it is not a number from 1 to 1,000. */
export function limitIn({ limit = String(USUAL) }: Input['options']): number {
  const number = /^\d{1,4}$/.test(String(limit)) ? Number(limit) : 0;
  if (number < 1 || number > MOST) throw usageError(`--limit must be a number from 1 to ${MOST}.`);
  return number;
}

/** Returns the value of `--after` for the next page, which starts after `position`. */
export const toNext = (position: object | undefined): string | null =>
  position === undefined ? null : Buffer.from(JSON.stringify(position)).toString('base64url');

/** Returns the position in `--after`. Throws a usage error if `isPosition` rejects it. */
export function positionIn<Position>(
  { after }: Input['options'],
  isPosition: (value: unknown) => value is Position,
): Position | undefined {
  const token = text(after);
  if (token === undefined) return undefined;
  const position = parseJson(Buffer.from(token, 'base64url').toString());
  if (!isPosition(position)) throw usageError('--after must be the `next` of the previous page.');
  return position;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export type List<T> = {
  /** The name of the list in JSON. Wire: do not rename. */
  readonly name: string;
  readonly fields: readonly DocumentField<T>[];
  /** Fields that only the table has. */
  readonly textFields?: readonly DocumentField<T>[];
  readonly columns: readonly string[];
  readonly subjects: readonly T[];
  /** The text of an empty list. */
  readonly none: string;
  /** Undefined if the list has no pages, null on the last page. */
  readonly next?: string | null;
};

/** Returns a list as JSON documents and as a table. */
export function listResult<T>({ name, fields, textFields = [], subjects, next, ...list }: List<T>): Result {
  const table = tabulate(toTable([...fields, ...textFields], list.columns, subjects));
  return {
    json: {
      [name]: subjects.map((subject) => toDocument(fields, subject)),
      ...(next !== undefined && { next }),
    },
    text: subjects.length === 0 ? list.none : `${table}${nextLine(next ?? null)}`,
  };
}

/** Returns the line after a table that has a next page. */
export const nextLine = (next: string | null): string => (next === null ? '' : `\n\nMore: --after ${next}`);

/** Returns whether `value` is an object with members of these names and types. */
export function hasMembers(
  value: unknown,
  types: Readonly<Record<string, 'string' | 'number'>>,
): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map(Object.entries(value));
  return Object.entries(types).every(([name, type]) => typeof members.get(name) === type);
}
