/** Events as the mirror stores them, with the JSON that answers show (render-event.ts). */
import type { RenderedMembers, RenderedObject } from '../lib/rendered-json.ts';
import type { CalendarEvent, EventResource } from './event.ts';

/** What a sync or a write changes in a calendar of the mirror. */
export type MirroredChanges = {
  readonly changed: readonly MirroredResource[];
  /** By href. */
  readonly removed: readonly string[];
};

export type MirroredResource = Pick<EventResource, 'href' | 'etag' | 'eventId' | 'seriesId'> & {
  readonly original: RenderedObject;
  /** Its events, a master first. Floating times are in the zone that the calendar has at that moment. */
  eventsIn(calendarZone: string): readonly MirroredEvent[];
};

export type MirroredEvent = {
  /** The id on the wire; of an override in its master's resource the master's. */
  readonly id: string;
  /** Of a master and of an instance. */
  readonly seriesId: string | undefined;
  readonly uid: string;
  readonly timing: Timing;
  readonly content: RenderedMembers<EventMembers>;
  /** Folded as search-text.ts does. */
  readonly searchText: string;
};

type TimingName = 'start' | 'end' | 'recurrence' | 'recurrenceId' | 'thisAndFuture';

/** The times as the calendar means them. */
export type Timing = Pick<CalendarEvent, TimingName> & { readonly cancelled?: true };

/** The members of an event in an answer (docs/wire.md 2.5) that the mirror stores. */
export type EventMembers = InstanceMembers &
  Omit<CalendarEvent, TimingName | 'uid' | 'lastModified'> & {
    readonly allDay: boolean;
    /** An IANA name. */
    readonly timeZone?: string;
    readonly lastModified?: string;
  };

/** What a calendar's last sync left out, with the name of one resource (its href) and a public sentence about it. */
export type LeftOutEvents = { readonly count: number; readonly name: string; readonly message: string };

/** These differ from instance to instance of a series. The content of a single event has them. */
export type InstanceMembers = {
  readonly id?: string;
  readonly start?: string;
  readonly end?: string;
  /** All-day events have dates. */
  readonly startDate?: string;
  readonly endDate?: string;
  readonly recurringEventId?: string;
};

export const INSTANCE_MEMBERS: ReadonlySet<keyof InstanceMembers> = new Set([
  'id',
  'start',
  'end',
  'startDate',
  'endDate',
  'recurringEventId',
]);
