/** Stores an application's custom fields in our own named properties (MAPI). */
import type {
  Event as GraphEvent,
  SingleValueLegacyExtendedProperty,
} from '@microsoft/microsoft-graph-types';

import { jsonIn } from '../../lib/json.ts';
import { isObject } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';

/** The GUID is used only by Kalends. */
export const CUSTOM_PROPERTY = 'String {5f0e3c1a-8d9b-4c57-9a43-7b6d2c1e90af} Name kalends';
/** For the link of a meeting elsewhere: Outlook has no member for it. */
const CONFERENCE_PROPERTY = 'String {5f0e3c1a-8d9b-4c57-9a43-7b6d2c1e90af} Name kalends-conference';
export const KALENDS_PROPERTIES: readonly string[] = [CUSTOM_PROPERTY, CONFERENCE_PROPERTY];

/** Maximum characters, which Graph surely stores and returns. No source confirms its limit. */
const MOST_CUSTOM = 32_000;

/** Parses our property. Anything but a JSON object is ignored. */
export function parseCustom(item: GraphEvent): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(readProperty(item, CUSTOM_PROPERTY));
  return isObject(value) ? { ...value } : undefined;
}

/** Returns the link of a meeting elsewhere, as the application wrote it. */
export const readStoredConference = (item: GraphEvent): string | undefined =>
  readProperty(item, CONFERENCE_PROPERTY) || undefined;

/** Builds our property; fails if it is too long. `null` empties it, as Graph seems to have no way to delete one. */
export function customProperty(
  custom: Readonly<Record<string, unknown>> | null,
): SingleValueLegacyExtendedProperty {
  const value = custom === null ? '' : JSON.stringify(custom);
  if (value.length > MOST_CUSTOM)
    throw unsupportedField(
      'custom',
      `Outlook stores at most ${MOST_CUSTOM} characters of custom fields per event; these are ${value.length}`,
    );
  return { id: CUSTOM_PROPERTY, value };
}

export const conferenceProperty = (url: string | null): SingleValueLegacyExtendedProperty => ({
  id: CONFERENCE_PROPERTY,
  value: url ?? '',
});

/** Reads a property. Graph seems to change the case of the GUID, which no source confirms. */
function readProperty({ singleValueExtendedProperties }: GraphEvent, name: string): string {
  const lowerCaseName = name.toLowerCase();
  return singleValueExtendedProperties?.find(({ id }) => id?.toLowerCase() === lowerCaseName)?.value ?? '';
}
