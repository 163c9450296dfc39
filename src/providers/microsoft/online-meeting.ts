/** Chooses the provider of online meetings in a calendar. */
import type { Calendar as GraphCalendar, OnlineMeetingProviderType } from '@microsoft/microsoft-graph-types';

import { UnsupportedByProvider } from '../../calendars/provider-error.ts';

/** Returns the calendar's default, else the first allowed one. Fails as `conference_not_supported_by_calendar`. */
export function chooseMeetingProvider({
  allowedOnlineMeetingProviders,
  defaultOnlineMeetingProvider,
}: GraphCalendar): OnlineMeetingProviderType {
  const allowed = (allowedOnlineMeetingProviders ?? []).filter((provider) => provider !== 'unknown');
  const provider = allowed.find((provider) => provider === defaultOnlineMeetingProvider) ?? allowed[0];
  if (provider !== undefined) return provider;
  throw new UnsupportedByProvider(
    'conference_not_supported_by_calendar',
    'This calendar does not support online meetings',
    'conferenceData',
  );
}
