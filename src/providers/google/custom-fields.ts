/**
 * Maps the fields that applications store with an event to `extendedProperties`. Fields of this copy (`private`) are
 * written; those shared with all guests are read as well. Google stores texts by name. A text is written unchanged, so
 * that others can read it and search for it; every other value as JSON behind a mark.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import { jsonIn } from '../../lib/rendered-json.ts';
import { isObject, withoutUndefined } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { CONFERENCE_PROPERTY } from './conference.ts';

type Properties = calendar_v3.Schema$Event['extendedProperties'];
/** `null` takes a property away. */
export type PropertiesPatch = {
  readonly private?: Readonly<Record<string, string | null>>;
  readonly shared?: Readonly<Record<string, string | null>>;
};

const MARK = 'kalends-json:';
/**
 * Google's limits: of a name, of a value (counted in bytes here, to be sure), of their number and of them all. No
 * source here confirms them.
 */
const LONGEST_NAME = 44;
const LONGEST_VALUE = 1024;
const MOST_PROPERTIES = 300;
const MOST_BYTES = 32_768;

/** `undefined` when there is nothing. */
export function customOf(properties: Properties): Readonly<Record<string, unknown>> | undefined {
  const listed = (list: unknown) => (isObject(list) ? Object.entries(list) : []);
  const privateEntries = listed(properties?.private).filter(([name]) => name !== CONFERENCE_PROPERTY);
  const entries = [...listed(properties?.shared), ...privateEntries];
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, parseValue(value)]));
}

function parseValue(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
  const parsed = jsonIn(value.slice(MARK.length));
  // A text that is no JSON belongs to another program.
  return parsed === undefined ? value : parsed;
}

/**
 * Makes `custom` all there is. Fails as UnsupportedByProvider for what Google cannot keep: names over 44 characters,
 * values over 1,024 bytes as written, more than 300 of them, more than 32 kB in all.
 */
export function customPatch(
  custom: Readonly<Record<string, unknown>>,
  former: Properties,
): PropertiesPatch | undefined {
  const entries = Object.entries(custom).map(([name, value]) => [name, serializeValue(value)] as const);
  checkLimits(entries);
  const names = new Set([...Object.keys(custom), CONFERENCE_PROPERTY]);
  const removedFrom = (list: unknown) =>
    (isObject(list) ? Object.keys(list) : [])
      .filter((name) => !names.has(name))
      .map((name) => [name, null] as const);
  const privateChanges = [...entries, ...removedFrom(former?.private)];
  const sharedChanges = removedFrom(former?.shared);
  if (privateChanges.length === 0 && sharedChanges.length === 0) return undefined;
  return withoutUndefined({
    private: privateChanges.length === 0 ? undefined : Object.fromEntries(privateChanges),
    shared: sharedChanges.length === 0 ? undefined : Object.fromEntries(sharedChanges),
  });
}

/** Marked too: texts that begin like a mark, and the empty one, which Google may take for none. */
const serializeValue = (value: unknown): string =>
  typeof value === 'string' && value !== '' && !value.startsWith(MARK)
    ? value
    : `${MARK}${JSON.stringify(value ?? null)}`;

function checkLimits(entries: readonly (readonly [name: string, value: string])[]): void {
  const bytes = (text: string) => Buffer.byteLength(text);
  const refuse = (message: string): never => {
    throw unsupportedField('custom', message);
  };
  for (const [name, value] of entries) {
    if (name === CONFERENCE_PROPERTY) refuse(`${name} is a name that Kalends keeps for itself`);
    if (name === '' || bytes(name) > LONGEST_NAME)
      refuse(`A name in custom has 1 to ${LONGEST_NAME} characters at Google`);
    if (bytes(value) > LONGEST_VALUE)
      refuse(`A value in custom has at most ${LONGEST_VALUE} bytes at Google: ${name} is longer`);
  }
  if (entries.length > MOST_PROPERTIES) refuse(`Google keeps at most ${MOST_PROPERTIES} values in custom`);
  const total = entries.reduce((sum, [name, value]) => sum + bytes(name) + bytes(value), 0);
  if (total > MOST_BYTES) refuse('Google keeps at most 32 kB in custom');
}
