/** Parses the requests that write calendars. */
import type { CalendarChange, CalendarDraft } from '../calendars/calendar-writing.ts';
import { BLANK, converted, parsedText, readBody, required, text } from '../http/fields.ts';
import { readQueryOrBody, type SentParameters } from '../http/sent-parameters.ts';
import { present, zone } from './event-input.ts';
import { ACCOUNT, type AccountName, CALENDAR, type CalendarName } from './write-requests.ts';

/** RGB, or the name of a provider's color. */
const COLOR = /^(#[\da-fA-F]{6}|[a-zA-Z]{3,30})$/;

/** A blank title or color changes nothing. */
const CHANGE = {
  title: converted(text({ max: 250, absent: BLANK, example: 'Bookings' }), (title) => title.trim()),
  color: parsedText(parseColor, {
    max: 50,
    absent: BLANK,
    doc: '`#rrggbb`, or one of the provider’s color names.',
    schema: { pattern: COLOR.source },
    also: { type: 'string', pattern: COLOR.source.replace('^', '^\\s*').replace('$', '\\s*$') },
    problem: 'must be a color such as #1a73e8, or one of the provider’s color names',
  }),
  description: text({ max: 5_000, absent: 'never', doc: 'An empty value removes it.' }),
};

export const NEW_CALENDAR = {
  ...ACCOUNT,
  ...CHANGE,
  title: required(CHANGE.title),
  timeZone: zone({ alias: 'timezone', doc: 'An IANA time zone.' }),
};
export const CALENDAR_UPDATE = { ...CALENDAR, ...CHANGE };

export type NewCalendarRequest = { readonly account: AccountName; readonly draft: CalendarDraft };

/** Throws ApiError 400 with all mistakes, as do the functions below. */
export function newCalendarRequest(body: unknown): NewCalendarRequest {
  const { provider, account, description, ...draft } = readBody(body, NEW_CALENDAR);
  // A new calendar has no description to remove.
  return { account: { provider, account }, draft: { ...draft, description: description || undefined } };
}

export type CalendarUpdate = { readonly calendar: CalendarName; readonly change: CalendarChange };

export function calendarUpdate(body: unknown): CalendarUpdate {
  const { provider, account, calendarId, ...change } = readBody(body, CALENDAR_UPDATE);
  return { calendar: { provider, account, calendarId }, change: present(change) };
}

export function calendarDeletion(sent: SentParameters): CalendarName {
  return readQueryOrBody(sent, CALENDAR);
}

function parseColor(text: string): string | undefined {
  const color = text.trim();
  if (!COLOR.test(color)) return undefined;
  return color.startsWith('#') ? color.toLowerCase() : color;
}
