/** What an application keeps with an event, in named properties of ours. */
import type {
  Event as GraphEvent,
  SingleValueLegacyExtendedProperty,
} from '@microsoft/microsoft-graph-types';

import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import { jsonIn } from '../../lib/json.ts';
import { CONFERENCE_PROPERTY, CUSTOM_PROPERTY, MOST_CUSTOM } from './event-queries.ts';

/** A JSON object; anything else under the name is not ours. */
export function customOf(item: GraphEvent): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(propertyOf(item, CUSTOM_PROPERTY));
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : undefined;
}

/** The address of a meeting elsewhere, as it was given to us: Outlook has no member for it. */
export const ownConferenceOf = (item: GraphEvent): string | undefined =>
  propertyOf(item, CONFERENCE_PROPERTY) || undefined;

/**
 * `null` takes it away: (k) Graph cannot delete a property in a change, so that it is emptied. Fails as
 * `field_not_supported_by_provider` for more than a property holds.
 */
export function customProperty(
  custom: Readonly<Record<string, unknown>> | null,
): SingleValueLegacyExtendedProperty {
  const value = custom === null ? '' : JSON.stringify(custom);
  if (value.length > MOST_CUSTOM) {
    throw new UnsupportedByProvider(
      'field_not_supported_by_provider',
      `Outlook keeps up to ${MOST_CUSTOM} characters of custom fields with an event; these are ${value.length}`,
      'custom',
    );
  }
  return { id: CUSTOM_PROPERTY, value };
}

export const conferenceProperty = (url: string | null): SingleValueLegacyExtendedProperty => ({
  id: CONFERENCE_PROPERTY,
  value: url ?? '',
});

/** (k) Graph answers the GUID in a case of its own. */
function propertyOf({ singleValueExtendedProperties }: GraphEvent, name: string): string {
  const wanted = name.toLowerCase();
  return singleValueExtendedProperties?.find(({ id }) => id?.toLowerCase() === wanted)?.value ?? '';
}
