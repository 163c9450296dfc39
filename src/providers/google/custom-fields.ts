/**
 * Maps custom fields to `extendedProperties`. They are written to this copy (`private`); those shared with all guests
 * are read too. Google stores texts by name. A text is written unchanged, so that others can search for it; other
 * values are JSON behind a mark.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import { jsonIn } from '../../lib/json.ts';
import { isObject, withoutUndefined } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { CONFERENCE_PROPERTY } from './conference.ts';

type Properties = calendar_v3.Schema$Event['extendedProperties'];
/** `null` removes a property. */
export type PropertiesPatch = {
  readonly private?: Readonly<Record<string, string | null>>;
  readonly shared?: Readonly<Record<string, string | null>>;
};

const MARK = 'kalends-json:';
/** Google's limits, which no source confirms. Lengths are counted in bytes to be safe. */
const LONGEST_NAME = 44;
const LONGEST_VALUE = 1024;
const MOST_PROPERTIES = 300;
const MOST_BYTES = 32_768;

/** Returns the custom fields; `undefined` if there are none. */
export function parseCustom(properties: Properties): Readonly<Record<string, unknown>> | undefined {
  const listed = (list: unknown) => (isObject(list) ? Object.entries(list) : []);
  const privateEntries = listed(properties?.private).filter(([name]) => name !== CONFERENCE_PROPERTY);
  const entries = [...listed(properties?.shared), ...privateEntries];
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, parseValue(value)]));
}

function parseValue(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
  const parsed = jsonIn(value.slice(MARK.length));
  // If it is not JSON, another program wrote it.
  return parsed === undefined ? value : parsed;
}

/** Returns the patch that leaves only `custom`. Fails as UnsupportedByProvider if it exceeds Google's limits. */
export function buildCustomPatch(
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

/** Marks texts that begin with the mark, and the empty text, which Google may treat as absent. */
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
    if (name === CONFERENCE_PROPERTY) refuse(`${name} is reserved for Kalends`);
    if (name === '' || bytes(name) > LONGEST_NAME)
      refuse(`A name in custom has 1 to ${LONGEST_NAME} characters at Google`);
    if (bytes(value) > LONGEST_VALUE)
      refuse(`A value in custom has at most ${LONGEST_VALUE} bytes at Google: ${name} is longer`);
  }
  if (entries.length > MOST_PROPERTIES) refuse(`Google stores at most ${MOST_PROPERTIES} values in custom`);
  const total = entries.reduce((sum, [name, value]) => sum + bytes(name) + bytes(value), 0);
  if (total > MOST_BYTES) refuse('Google stores at most 32 kB in custom');
}
