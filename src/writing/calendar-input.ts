/** The requests that write calendars, parsed. */
import type { CalendarChange, CalendarDraft } from '../calendars/calendar-writing.ts';
import { type Fields, readBody, SENTENCES, text } from '../http/request-fields.ts';
import { present, zoneInput } from './event-input.ts';
import {
  type AccountName,
  accountInput,
  type CalendarName,
  calendarInput,
  deletionBody,
  type SentDeletion,
} from './write-requests.ts';

const LONGEST = { title: 250, color: 50, description: 5_000 };
/** RGB, or the name that a provider has for one of its own. */
const COLOR = /^(#[\da-f]{6}|[a-z]{3,30})$/i;

export type NewCalendarRequest = { readonly account: AccountName; readonly draft: CalendarDraft };

/** Throws 400 with every mistake, as do the functions below. */
export function newCalendarRequest(body: unknown): NewCalendarRequest {
  return readBody(body, (fields) => {
    const account = accountInput(fields);
    const { title = '', color, description } = changeInput(fields);
    if (title === '' && !fields.failed('title')) fields.mistake('title', SENTENCES.missing);
    // A new calendar has no description to remove.
    const draft = { title, color, description: description || undefined, timeZone: zoneInput(fields) };
    return { account, draft };
  });
}

export type CalendarUpdate = { readonly calendar: CalendarName; readonly change: CalendarChange };

export function calendarUpdate(body: unknown): CalendarUpdate {
  return readBody(body, (fields) => ({ calendar: calendarInput(fields), change: changeInput(fields) }));
}

export function calendarDeletion(sent: SentDeletion): CalendarName {
  return readBody(deletionBody(sent), calendarInput);
}

/** An empty title or colour changes nothing. An empty description removes the one there is. */
function changeInput(fields: Fields): CalendarChange {
  const color = fields.optional('color', text(LONGEST.color))?.trim();
  if (color && !COLOR.test(color))
    fields.mistake('color', 'must be a colour such as #1a73e8, or one of the provider’s names');
  return present({
    title: fields.optional('title', text(LONGEST.title))?.trim() || undefined,
    color: color?.startsWith('#') ? color.toLowerCase() : color || undefined,
    description: fields.optional('description', text(LONGEST.description)),
  });
}
