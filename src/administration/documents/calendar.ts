/** A calendar of an account as operators see it. */
import { failureText, type SyncedCalendar } from '../../user-data/account-calendars.ts';
import { type DocumentField, toTime } from './field.ts';

const failure = ({ failure: text }: SyncedCalendar) => (text === undefined ? undefined : failureText(text));

export const CALENDAR: readonly DocumentField<SyncedCalendar>[] = [
  { name: 'key', value: ({ calendarKey }) => calendarKey },
  {
    name: 'title',
    value: ({ title }) => title,
    text: ({ title, isLeftOut }) => (isLeftOut ? `${title} (left out)` : title),
  },
  { name: 'primary', value: ({ isPrimary }) => isPrimary },
  { name: 'left_out', value: ({ isLeftOut }) => isLeftOut },
  { name: 'event_count', value: ({ eventCount }) => eventCount },
  {
    name: 'synced_at',
    value: ({ syncedAt }) => toTime(syncedAt),
    text: ({ syncedAt }) => toTime(syncedAt) ?? 'not yet',
  },
  { name: 'next_at', value: ({ nextAt }) => toTime(nextAt), text: ({ nextAt }) => toTime(nextAt) ?? '' },
  {
    name: 'pushed_until',
    value: ({ pushedUntil }) => toTime(pushedUntil),
    text: ({ pushedUntil }) => toTime(pushedUntil) ?? '',
  },
  { name: 'failure', value: (calendar) => failure(calendar) ?? null, text: failure },
];
