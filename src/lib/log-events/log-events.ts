/** The table of all log events. The docs are generated from it, and a line with another event does not compile. */
import { ACCESS_EVENTS } from './access-events.ts';
import { CALENDAR_EVENTS } from './calendar-events.ts';
import type { LogLevel } from './log-event.ts';
import { PROGRAM_EVENTS } from './program-events.ts';

export const LOG_EVENTS = { ...ACCESS_EVENTS, ...CALENDAR_EVENTS, ...PROGRAM_EVENTS } as const;

type Table = typeof LOG_EVENTS;
export type LogEventName = keyof Table;

type EventsOf<L extends LogLevel> = {
  [E in LogEventName]: Table[E]['level'] extends L ? E : never;
}[LogEventName];

/** The fields of a line of that level: an event of the table and the fields that the table allows for it. */
export type LogLine<L extends LogLevel> = {
  readonly [E in EventsOf<L>]: { readonly event: E } & {
    readonly [F in Table[E]['fields'][number]]?: unknown;
  };
}[EventsOf<L>];
