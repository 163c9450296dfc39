/** The plan of a calendar: its events, with their days counted from the Monday of the current week. */
import type { DraftTime, EventDraft } from '../core/provider-sandbox.ts';

export type CalendarPlan = {
  readonly title: string;
  readonly color: string;
  readonly timeZone: string;
  readonly readOnly?: boolean;
  readonly events: (week: Week) => readonly EventPlan[];
};

export type EventPlan = EventDraft & { readonly exceptions?: readonly OccurrencePlan[] };

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

/** Returns the week of `now`, on UTC's calendar. */
export function weekOf(now: number): Week {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('UTC').toPlainDate();
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const day = (days: number) => ({ date: monday.add({ days }).toString() });
  return { day, at: (days, time, timeZone) => ({ dateTime: `${day(days).date}T${time}:00`, timeZone }) };
}
