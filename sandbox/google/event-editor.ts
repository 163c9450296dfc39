/** The events in Google's own app, by their ids. */
import { toDraftTime } from '../core/draft-time.ts';
import type { EventEditor } from '../core/provider-sandbox.ts';
import { replaceEvent } from './calendar-events.ts';
import { timeOfDraft } from './event-times.ts';
import { lookups, type ManualChangesDeps } from './manual-changes.ts';

export function googleEventEditor({ store, channels, now }: ManualChangesDeps): EventEditor {
  const { calendarOf, eventOf } = lookups(store);
  return {
    calendars(email) {
      const list = store.people.get(email)?.list;
      return list && [...list].flatMap(([id, { deleted }]) => (deleted ? [] : [id]));
    },
    events: (email, calendarId) =>
      [...calendarOf(email, calendarId).events.values()].flatMap(
        ({ id, details, start, end, instanceOf, status }) =>
          instanceOf !== undefined || status === 'cancelled'
            ? []
            : [{ id, title: details.summary ?? '', start: toDraftTime(start), end: toDraftTime(end) }],
      ),
    changeEvent(email, calendarId, { id, title, start, end }) {
      const calendar = calendarOf(email, calendarId);
      const event = eventOf(calendar, id);
      const input = {
        start: start === undefined ? event.start : timeOfDraft(start),
        end: end === undefined ? event.end : timeOfDraft(end),
        recurrence: event.recurrence,
        details: { ...event.details, ...(title === undefined ? {} : { summary: title }) },
      };
      replaceEvent({ calendar, event }, input, { email, now: now() });
      channels.changed(calendarId);
    },
  };
}
