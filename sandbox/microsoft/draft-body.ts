/** A draft as Outlook would write it. */
import type { DateTimeTimeZone } from '@microsoft/microsoft-graph-types';

import { weekdayOf } from '../../src/lib/recurrence/civil.ts';
import type { DraftRecurrence, DraftTime, EventDraft } from '../core/provider-sandbox.ts';
import type { Account } from './directory.ts';
import type { EventBody } from './event.schema.ts';
import { localMs, windowsNameOf } from './graph-time.ts';

/** Everything of the event: what the draft leaves out is put back. */
export function bodyOfDraft(draft: EventDraft, account: Account): EventBody {
  const { title, start, end, recurrence, description, location, attendees, availability, privacy } = draft;
  const local = 'date' in start ? `${start.date}T00:00:00` : start.dateTime;
  return {
    subject: title,
    start: timeOfDraft(start, account),
    end: timeOfDraft(end, account),
    isAllDay: 'date' in start,
    body: { contentType: 'text', content: description ?? '' },
    location: { displayName: location ?? '' },
    attendees: (attendees ?? []).map(({ email, name }) => ({
      emailAddress: { address: email, name: name ?? email },
      type: 'required',
    })),
    showAs: availability ?? 'busy',
    sensitivity: privacy === 'private' ? 'private' : 'normal',
    recurrence: recurrence === undefined ? null : recurrenceOf(recurrence, local),
  };
}

/** An all-day event's midnights are in the mailbox's zone. */
export function timeOfDraft(
  time: DraftTime,
  { mailbox }: Account,
): Required<DateTimeTimeZone> & { dateTime: string } {
  if ('date' in time) return { dateTime: `${time.date}T00:00:00`, timeZone: windowsNameOf(mailbox.timeZone) };
  return { dateTime: time.dateTime, timeZone: windowsNameOf(time.timeZone) };
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const SHORT_DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

function recurrenceOf(recurrence: DraftRecurrence, startLocal: string): NonNullable<EventBody['recurrence']> {
  const { frequency, interval = 1, count, until, weekdays } = recurrence;
  const startDate = startLocal.slice(0, 10);
  const dayOfMonth = Number(startDate.slice(8));
  const month = Number(startDate.slice(5, 7));
  const dayOfStart = SHORT_DAYS[weekdayOf(Math.floor(localMs(startLocal) / 86_400_000))] ?? 'MO';
  const daysOfWeek = (weekdays ?? [dayOfStart]).flatMap((day) => DAYS[SHORT_DAYS.indexOf(day)] ?? []);
  const pattern = {
    daily: { type: 'daily' as const, interval },
    // The week begins on Monday, as it does by default everywhere else.
    weekly: { type: 'weekly' as const, interval, daysOfWeek, firstDayOfWeek: 'monday' as const },
    monthly: { type: 'absoluteMonthly' as const, interval, dayOfMonth },
    yearly: { type: 'absoluteYearly' as const, interval, dayOfMonth, month },
  }[frequency];
  if (count !== undefined)
    return { pattern, range: { type: 'numbered', startDate, numberOfOccurrences: count } };
  if (until !== undefined) return { pattern, range: { type: 'endDate', startDate, endDate: until } };
  return { pattern, range: { type: 'noEnd', startDate } };
}
