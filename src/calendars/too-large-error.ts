import { ProviderError } from './provider-error.ts';

/** The storage quotas. Bytes are those of names and texts in UTF-8. */
export type StorageQuotas = {
  /** Counts an EventResource as one: in CalDAV a series with its overrides. */
  readonly eventsPerCalendar: number;
  readonly bytesPerCalendar: number;
  readonly bytesPerUser: number;
};

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1_000_000;
const HELP = 'Delete events that are no longer needed, or deselect the calendar';

/** Returns the failure of the sync of a calendar that exceeds a quota. It is tried again after a day. */
export function tooLargeError(
  title: string,
  quota: keyof StorageQuotas,
  quotas: StorageQuotas,
): ProviderError {
  const calendar = `The calendar “${title.slice(0, 100).toWellFormed()}”`;
  const most = quotas[quota];
  const megabytes = `${Math.floor(most / MEGABYTE).toLocaleString('en')} MB`;
  const messages = {
    eventsPerCalendar: `${calendar} has more than ${most.toLocaleString('en')} events, the limit of one calendar`,
    bytesPerCalendar: `${calendar} has more than ${megabytes} of events, the limit of one calendar`,
    bytesPerUser: `With ${calendar.replace('The', 'the')} there are more than ${megabytes} of events in all calendars, the limit of one user`,
  };
  return new ProviderError('too_large', `${messages[quota]}. ${HELP}`, {
    reason: 'calendar_too_large',
    retryAfter: DAY_MS,
  });
}
