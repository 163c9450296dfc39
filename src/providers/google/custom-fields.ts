/**
 * What applications keep with an event, in its `extendedProperties`: those of this copy alone (`private`) are written;
 * those shared with all guests are read as well. Google keeps texts by name. A text is written as it is, so that others
 * can read it and search for it; every other value as JSON behind a mark.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import { jsonIn } from '../../lib/json.ts';
import { isObject, withoutUndefined } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { CONFERENCE_PROPERTY } from './conference.ts';

type Properties = calendar_v3.Schema$Event['extendedProperties'];
/** `null` takes a property away. */
export type PropertiesPatch = {
  readonly private?: Readonly<Record<string, string | null>>;
  readonly shared?: Readonly<Record<string, null>>;
};

const MARK = 'kalends-json:';
/**
 * Google's limits: of a name, of a value (counted in bytes here, to be sure), of their number and of them all. No source
 * here confirms them.
 */
const LONGEST_NAME = 44;
const LONGEST_VALUE = 1024;
const MOST_PROPERTIES = 300;
const MOST_BYTES = 32_768;

/** `undefined` when there is nothing. */
export function customOf(properties: Properties): Readonly<Record<string, unknown>> | undefined {
  const listed = (list: unknown) => (isObject(list) ? Object.entries(list) : []);
  const own = listed(properties?.private).filter(([name]) => name !== CONFERENCE_PROPERTY);
  const entries = [...listed(properties?.shared), ...own];
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, readValue(value)]));
}

function readValue(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
  const kept = jsonIn(value.slice(MARK.length));
  // What is no JSON is somebody else's text.
  return kept === undefined ? value : kept;
}

/**
 * Makes `custom` all there is. Fails as UnsupportedByProvider for what Google cannot keep: names over 44 characters,
 * values over 1,024 bytes as written, more than 300 of them, more than 32 kB in all.
 */
export function customPatch(
  custom: Readonly<Record<string, unknown>>,
  former: Properties,
): PropertiesPatch | undefined {
  const written = Object.entries(custom).map(([name, value]) => [name, writtenValue(value)] as const);
  checkLimits(written);
  const kept = new Set([...Object.keys(custom), CONFERENCE_PROPERTY]);
  const taken = (list: unknown) =>
    (isObject(list) ? Object.keys(list) : [])
      .filter((name) => !kept.has(name))
      .map((name) => [name, null] as const);
  const own = [...written, ...taken(former?.private)];
  const shared = taken(former?.shared);
  if (own.length === 0 && shared.length === 0) return undefined;
  return withoutUndefined({
    private: own.length === 0 ? undefined : Object.fromEntries(own),
    shared: shared.length === 0 ? undefined : Object.fromEntries(shared),
  });
}

/** Marked too: texts that begin like a mark, and the empty one, which Google may take for none. */
const writtenValue = (value: unknown): string =>
  typeof value === 'string' && value !== '' && !value.startsWith(MARK)
    ? value
    : `${MARK}${JSON.stringify(value ?? null)}`;

function checkLimits(written: readonly (readonly [name: string, value: string])[]): void {
  const bytes = (text: string) => Buffer.byteLength(text);
  const refuse = (message: string): never => {
    throw unsupportedField('custom', message);
  };
  for (const [name, value] of written) {
    if (name === CONFERENCE_PROPERTY) refuse(`${name} is a name that Kalends keeps for itself`);
    if (name === '' || bytes(name) > LONGEST_NAME)
      refuse(`A name in custom has 1 to ${LONGEST_NAME} characters at Google`);
    if (bytes(value) > LONGEST_VALUE)
      refuse(`A value in custom has at most ${LONGEST_VALUE} bytes at Google: ${name} is longer`);
  }
  if (written.length > MOST_PROPERTIES) refuse(`Google keeps at most ${MOST_PROPERTIES} values in custom`);
  const total = written.reduce((sum, [name, value]) => sum + bytes(name) + bytes(value), 0);
  if (total > MOST_BYTES) refuse('Google keeps at most 32 kB in custom');
}
