/** Stores an application's custom fields in our own named properties (MAPI). */
import type {
  Event as GraphEvent,
  SingleValueLegacyExtendedProperty,
} from '@microsoft/microsoft-graph-types';

import { jsonIn } from '../../lib/rendered-json.ts';
import { isObject } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';

/** The GUID is ours alone. */
export const CUSTOM_PROPERTY = 'String {5f0e3c1a-8d9b-4c57-9a43-7b6d2c1e90af} Name kalends';
/** The property for a meeting's address that is unknown to Outlook. */
const CONFERENCE_PROPERTY = 'String {5f0e3c1a-8d9b-4c57-9a43-7b6d2c1e90af} Name kalends-conference';
export const KALENDS_PROPERTIES: readonly string[] = [CUSTOM_PROPERTY, CONFERENCE_PROPERTY];

/** Characters of a named property that Graph surely stores and returns whole; no source confirms its limit. */
const MOST_CUSTOM = 32_000;

/** A JSON object; anything else under the name is not ours. */
export function customOf(item: GraphEvent): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(propertyOf(item, CUSTOM_PROPERTY));
  return isObject(value) ? { ...value } : undefined;
}

/** The address of a meeting elsewhere, as it was given to us: Outlook has no member for it. */
export const storedConferenceOf = (item: GraphEvent): string | undefined =>
  propertyOf(item, CONFERENCE_PROPERTY) || undefined;

/**
 * `null` takes it away: Graph seems to have no way to delete a property in a change, which no source confirms, so that
 * it is emptied. Fails as `field_not_supported_by_provider` for more than a property holds.
 */
export function customProperty(
  custom: Readonly<Record<string, unknown>> | null,
): SingleValueLegacyExtendedProperty {
  const value = custom === null ? '' : JSON.stringify(custom);
  if (value.length > MOST_CUSTOM)
    throw unsupportedField(
      'custom',
      `Outlook keeps up to ${MOST_CUSTOM} characters of custom fields with an event; these are ${value.length}`,
    );
  return { id: CUSTOM_PROPERTY, value };
}

export const conferenceProperty = (url: string | null): SingleValueLegacyExtendedProperty => ({
  id: CONFERENCE_PROPERTY,
  value: url ?? '',
});

/** Graph seems to return the GUID in another case than it was written, which no source confirms. */
function propertyOf({ singleValueExtendedProperties }: GraphEvent, name: string): string {
  const lowerCaseName = name.toLowerCase();
  return singleValueExtendedProperties?.find(({ id }) => id?.toLowerCase() === lowerCaseName)?.value ?? '';
}
