/** What a request says of a calendar, checked field by field. */
import type { CalendarChange, CalendarDraft } from '../calendars/calendar-writing.ts';
import { present, zoneInput } from './event-input.ts';
import type { Fields } from './fields.ts';

const LONGEST = { title: 250, color: 50, description: 5_000 };
/** RGB, or the name that a provider has for one of its own. */
const COLOR = /^(#[\da-f]{6}|[a-z]{3,30})$/i;

/** Mistakes are noted in `fields`; the answer counts only when there is none. */
export function calendarDraft(fields: Fields): CalendarDraft {
  const { title = '', color, description } = calendarWords(fields);
  if (title === '' && !fields.failed('title')) fields.mistake('title', 'is missing');
  // There is nothing to take away yet.
  return { title, color, description: description || undefined, timeZone: zoneInput(fields) };
}

/** Of a calendar that is there: an empty title or colour is as good as none, an empty description takes it away. */
export function calendarWords(fields: Fields): CalendarChange {
  const color = fields.text('color', LONGEST.color)?.trim();
  if (color && !COLOR.test(color))
    fields.mistake('color', 'must be a colour such as #1a73e8, or one of the provider’s names');
  return present({
    title: fields.text('title', LONGEST.title)?.trim() || undefined,
    color: color?.startsWith('#') ? color.toLowerCase() : color || undefined,
    description: fields.text('description', LONGEST.description),
  });
}
