/**
 * Graph's ids. An item has two: one that changes when the item is moved, and the immutable one that clients request
 * with `Prefer: IdType="ImmutableId"`; either finds the item. They are case-sensitive. An occurrence has a separate id
 * although it is not stored: it contains the series and the original start.
 */
import { randomBytes } from 'node:crypto';

export type IdForm = 'default' | 'immutable';

const PREFIXES: Readonly<Record<IdForm, string>> = { default: 'AAMkAGI2', immutable: 'AAkALgAA' };
const KEY_LENGTH = 32;

/** Returns a new key, which both forms of an item's id contain. */
export const newItemKey = (): string => randomBytes(24).toString('base64url');

export const eventId = (key: string, form: IdForm): string => `${PREFIXES[form]}${key}AAA=`;

/**
 * Returns an occurrence's id; `original` is the pattern's start in the zone of the series: `20261128T090000`, or
 * `20261128`.
 */
export function occurrenceId(key: string, original: string, form: IdForm): string {
  return `${PREFIXES[form]}${key}AFRAA${Buffer.from(original).toString('base64url')}EA==`;
}

export const newCalendarId = (): string => `${PREFIXES.default}${newItemKey()}AuAAAAAA==`;

export type NamedItem = { readonly key: string; readonly original?: string };

/** Returns `undefined` if the text is not an id of an event. */
export function parseEventId(id: string): NamedItem | undefined {
  const prefix = Object.values(PREFIXES).find((candidate) => id.startsWith(candidate));
  if (prefix === undefined) return undefined;
  const key = id.slice(prefix.length, prefix.length + KEY_LENGTH);
  const rest = id.slice(prefix.length + KEY_LENGTH);
  if (rest === 'AAA=') return { key };
  const [, coded] = /^AFRAA(.+)EA==$/.exec(rest) ?? [];
  if (coded === undefined) return undefined;
  return { key, original: Buffer.from(coded, 'base64url').toString() };
}
