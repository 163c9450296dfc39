/** A series and its instances. `T` is the caller's payload of an event. */
import type { EventTime, Recurrence } from './event-time.ts';

/** A main event, overrides of its instances, or both. An override without a main event is an instance of its own. */
export type Series<T> = {
  readonly master?: SeriesMaster<T> | undefined;
  readonly overrides: readonly SeriesOverride<T>[];
};

/** A single event is a master without recurrence. `end` is exclusive. */
export type SeriesMaster<T> = {
  readonly start: EventTime;
  readonly end: EventTime;
  readonly recurrence?: Recurrence | undefined;
  readonly payload: T;
};

export type SeriesOverride<T> = {
  /** The original start of the instance replaced. */
  readonly recurrenceId: EventTime;
  readonly start: EventTime;
  readonly end: EventTime;
  /** RANGE=THISANDFUTURE: later instances move by as much, take this length and this payload. */
  readonly thisAndFuture?: boolean | undefined;
  readonly cancelled: boolean;
  readonly payload: T;
};

/** Epoch milliseconds; `end` is exclusive. */
export type TimeWindow = { readonly start: number; readonly end: number };

export type Instance<T> = {
  /** Epoch milliseconds; an all-day instance is from midnight to midnight UTC (docs/wire.md 1.11). */
  readonly startsAt: number;
  readonly endsAt: number;
  /** The instance's start by the series' rule, in the type and zone of the master's start. It names the instance. */
  readonly originalStart: EventTime;
  readonly payload: T;
  readonly isOverride: boolean;
};

export type Expansion<T> = {
  /** By start, then by original start. */
  readonly instances: readonly Instance<T>[];
  /** Whether a rule was ignored because it cannot be followed: SECONDLY, an unknown calendar, or unreadable. */
  readonly unsupported: boolean;
};

/** The times of an event: a single one, a master, or an override, which has a `recurrenceId`. */
export type PlacedTimes = {
  readonly start: EventTime;
  readonly end: EventTime;
  readonly recurrence?: Recurrence;
  readonly recurrenceId?: EventTime;
  readonly thisAndFuture?: true;
  readonly cancelled?: true;
};

/** Returns the series of a main event and its overrides; `payload` is stored with each. */
export function buildSeries<T>(
  master: PlacedTimes,
  overrides: readonly PlacedTimes[],
  payload: (i: number) => T,
) {
  const shortened: Series<T> & { master: SeriesMaster<T> } = {
    master: { start: master.start, end: master.end, recurrence: master.recurrence, payload: payload(-1) },
    overrides: overrides.flatMap((timing, i) => toOverrides(timing, payload(i))),
  };
  return shortened;
}

function toOverrides<T>(timing: PlacedTimes, payload: T): SeriesOverride<T>[] {
  const { recurrenceId, start, end, thisAndFuture, cancelled } = timing;
  if (recurrenceId === undefined) return [];
  return [{ recurrenceId, start, end, thisAndFuture, cancelled: cancelled === true, payload }];
}
