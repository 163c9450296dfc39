/** Changes to a calendar that people may make, drawn by chance from a seed and played at any provider. */
import type {
  DraftRecurrence,
  DraftTime,
  EventDraft,
  ManualChanges,
} from '../../sandbox/core/provider-sandbox.ts';

export type Pick = (below: number) => number;

/** A small generator that gives the same whole numbers for a seed (mulberry32). */
export function random(seed: number): Pick {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Made = { readonly id: string; readonly draft: EventDraft };

export type ChangedCalendar = {
  readonly manual: ManualChanges;
  readonly email: string;
  readonly calendarId: string;
  /** People who may be invited. */
  readonly guests?: EventDraft['attendees'] & {};
};

/** Makes one change at each call: a creation, a replacement, a deletion, or one to an occurrence. */
export function randomChanges({ manual, email, calendarId, guests }: ChangedCalendar, pick: Pick) {
  const events: Made[] = [];
  const newDraft = () => {
    const draft = draftOf(pick);
    return guests === undefined || pick(2) === 0 ? draft : { ...draft, attendees: guests };
  };

  return async (): Promise<void> => {
    const index = pick(Math.max(events.length, 1));
    const made = events[index];
    const draft = newDraft();
    if (made === undefined || pick(3) === 0) {
      events.push({ id: await manual.createEvent(email, calendarId, draft), draft });
      return;
    }
    const original = occurrenceOf(made.draft, pick(6));
    const kind = pick(5);
    if (kind === 0) {
      await manual.deleteEvent(email, calendarId, made.id);
      events.splice(index, 1);
    } else if (kind === 1) {
      await manual.updateEvent(email, calendarId, { ...draft, id: made.id });
      events[index] = { id: made.id, draft };
    } else if (original !== undefined) {
      const changed =
        kind === 2
          ? manual.deleteOccurrence(email, calendarId, { id: made.id, original })
          : manual.changeOccurrence(email, calendarId, {
              ...changeOf(original, pick),
              id: made.id,
              original,
            });
      // Refused where the occurrence is gone, or would pass its neighbour: then it stays as it is.
      await changed.catch(() => undefined);
    }
  };
}

const DAY = 86_400_000;
/** The days drafts begin on: 120 from 1 September 2026, over a clock change in most zones. */
const FIRST_DAY = Date.UTC(2026, 8, 1);
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC'];

const two = (value: number) => String(value).padStart(2, '0');
const dayText = (day: number) => new Date(FIRST_DAY + day * DAY).toISOString().slice(0, 10);

function draftOf(pick: Pick): EventDraft {
  const [day, hour] = [pick(120), pick(22)];
  const timeZone = ZONES[pick(ZONES.length)] ?? 'UTC';
  const title = `Event ${pick(1000)}`;
  const at = (time: string) => ({ dateTime: `${dayText(day)}T${time}:00`, timeZone });
  const recurrence = pick(2) === 0 ? undefined : recurrenceOf(day, pick);
  // Outlook refuses occurrences that overlap.
  const days = recurrence?.frequency === 'daily' ? 1 : 1 + pick(3);
  const times: Times =
    pick(4) === 0
      ? { start: { date: dayText(day) }, end: { date: dayText(day + days) } }
      : { start: at(`${two(hour)}:00`), end: at(`${two(hour + 1)}:30`) };
  return { title, ...times, ...(recurrence && { recurrence }) };
}

function recurrenceOf(day: number, pick: Pick): DraftRecurrence {
  const frequency = (['daily', 'weekly', 'monthly', 'yearly'] as const)[pick(4)] ?? 'daily';
  if (frequency === 'yearly') return { frequency, count: 1 + pick(3) };
  const interval = 1 + pick(2);
  if (pick(4) === 0) return { frequency, interval, until: dayText(day + 10 + pick(90)) };
  return { frequency, interval, count: 3 + pick(10) };
}

type Times = { readonly start: DraftTime; readonly end: DraftTime };

/** A start that the rule of a daily or weekly draft names. */
function occurrenceOf({ start, recurrence }: EventDraft, index: number): DraftTime | undefined {
  const frequency = recurrence?.frequency;
  if (frequency !== 'daily' && frequency !== 'weekly') return undefined;
  const days = index * (recurrence?.interval ?? 1) * (frequency === 'weekly' ? 7 : 1);
  if ('date' in start) return { date: shifted(start.date, days) };
  return { ...start, dateTime: `${shifted(start.dateTime.slice(0, 10), days)}${start.dateTime.slice(10)}` };
}

const shifted = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);

function changeOf(original: DraftTime, pick: Pick): Partial<EventDraft> {
  const title = `Changed ${pick(1000)}`;
  if (pick(2) === 0) return { title };
  // Mostly on the same day: Outlook refuses what would pass a neighbour.
  const days = pick(3) === 0 ? pick(60) - 20 : 0;
  if ('date' in original) {
    const start = shifted(original.date, days);
    return { title, start: { date: start }, end: { date: shifted(start, 1 + pick(2)) } };
  }
  const hour = pick(22);
  const day = shifted(original.dateTime.slice(0, 10), days);
  const at = (time: number) => ({ ...original, dateTime: `${day}T${two(time)}:15:00` });
  return { title, start: at(hour), end: at(hour + 1) };
}
