/**
 * A few people with believable calendars over the coming weeks, so that the sandbox has something to show. What they do is
 * written once, and played on each provider by its hand.
 */

import type { SandboxKind } from './core/faults.ts';
import type { DraftTime, EventDraft, Person, ProviderSandbox } from './core/provider-sandbox.ts';
import { CALENDARS } from './people-calendars.ts';

/** One account of one person, with what is in it. */
export type Life = { readonly person: Person; readonly calendars: readonly CalendarPlan[] };

export type CalendarPlan = {
  readonly title: string;
  readonly color: string;
  readonly timeZone: string;
  readonly readOnly?: boolean;
  readonly events: (week: Week) => readonly EventPlan[];
};

export type EventPlan = EventDraft & {
  readonly exceptions?: readonly OccurrencePlan[];
};

/** An occurrence that was moved, renamed or, without a change, deleted. */
export type OccurrencePlan = {
  readonly originalStart: DraftTime;
  readonly change?: Partial<Pick<EventDraft, 'title' | 'start' | 'end'>>;
};

/** Days and times counted from the Monday of the current week. */
export type Week = {
  /** A date; `0` is Monday, `-7` that of last week. */
  day(days: number): { readonly date: string };
  /** `time` is `HH:MM` in an IANA zone. */
  at(days: number, time: string, timeZone: string): { readonly dateTime: string; readonly timeZone: string };
};

/** Typed by hand, so easy to type. The first has the form Apple's passwords have. */
export const APPLE_PASSWORD = 'demo-demo-demo-demo';
export const CALDAV_PASSWORD = 'demo';

const MARA = 'Mara Lindqvist';
const THEO = 'Theo Okafor';

const { job, freelance, family, choir, travel, holidays, writing } = CALENDARS;

/** Who has which account. Mara has one of each kind; Theo works in another zone. Nobody has a calendar twice: it would look like a fault. */
export const LIVES: Readonly<Record<SandboxKind, readonly Life[]>> = {
  google: [
    { person: { email: 'mara@gmail.example', name: MARA }, calendars: [freelance, holidays] },
    { person: { email: 'theo@gmail.example', name: THEO }, calendars: [writing, travel] },
  ],
  microsoft: [
    { person: { email: 'mara@northwind.example', name: MARA }, calendars: [job] },
    { person: { email: 'theo@northwind.example', name: THEO }, calendars: [job] },
  ],
  icloud: [
    {
      person: { email: 'mara@icloud.example', name: MARA, password: APPLE_PASSWORD },
      calendars: [family, travel],
    },
    { person: { email: 'theo@icloud.example', name: THEO, password: APPLE_PASSWORD }, calendars: [family] },
  ],
  caldav: [
    { person: { email: 'mara', name: MARA, password: CALDAV_PASSWORD }, calendars: [choir] },
    { person: { email: 'theo', name: THEO, password: CALDAV_PASSWORD }, calendars: [choir] },
  ],
};

/** Lets everybody move in at one provider. `now` is epoch milliseconds. */
export async function settle(
  { kind, hand }: Pick<ProviderSandbox, 'kind' | 'hand'>,
  now: number,
): Promise<void> {
  const week = weekOf(now);
  for (const { person, calendars } of LIVES[kind]) {
    await hand.addPerson(person);
    for (const { title, color, timeZone, readOnly = false, events } of calendars) {
      const calendarId = await hand.addCalendar(person.email, { title, color, timeZone, readOnly });
      for (const { exceptions = [], ...draft } of events(week)) {
        const eventId = await hand.createEvent(person.email, calendarId, draft);
        for (const { originalStart, change } of exceptions) {
          if (change === undefined)
            await hand.deleteOccurrence(person.email, calendarId, eventId, originalStart);
          else await hand.changeOccurrence(person.email, calendarId, eventId, originalStart, change);
        }
      }
    }
  }
}

/** The week `now` is in, on UTC's calendar. */
export function weekOf(now: number): Week {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('UTC').toPlainDate();
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const day = (days: number) => ({ date: monday.add({ days }).toString() });
  return { day, at: (days, time, timeZone) => ({ dateTime: `${day(days).date}T${time}:00`, timeZone }) };
}
