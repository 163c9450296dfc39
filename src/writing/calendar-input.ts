/** What the requests that write calendars say. */
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

/** Throws 400, as all of these. */
export function newCalendarRequest(body: unknown): NewCalendarRequest {
  return readBody(body, (fields) => {
    const account = accountInput(fields);
    const { title = '', color, description } = changeInput(fields);
    if (title === '' && !fields.failed('title')) fields.mistake('title', SENTENCES.missing);
    // There is nothing to take away yet.
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

/** Of a calendar that is there: an empty title or colour is as good as none, an empty description takes it away. */
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
