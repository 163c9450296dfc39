/** Reads the complete event or series of an id on the wire from the mirror, for writes. */
import type { CalendarEvent } from '../calendars/event.ts';
import type { EventMembers } from '../calendars/mirrored-event.ts';
import type { RenderedMembers, RenderedObject } from '../lib/rendered-json.ts';

/** An event in the mirror. Instants are epoch milliseconds. */
export type StoredEvent = {
  readonly event: CalendarEvent;
  readonly href: string;
  readonly etag: string | undefined;
  /** The event's id on the wire. An override in its master's resource has the master's. */
  readonly eventId: string;
  /** The id of its series, if it is a master or an override. */
  readonly seriesId: string | undefined;
  readonly startsAt: number;
  /** For a series, the end of its last occurrence. */
  readonly endsAt: number;
  readonly content: RenderedMembers<EventMembers>;
  /** Empty if `originalDigest` is present. */
  readonly original: RenderedObject;
  /** The hexadecimal SHA-256 of the original's JSON, if it was too large to store. */
  readonly originalDigest?: string;
};

export interface StoredEvents {
  /**
   * Returns the event with that id. For a master, or an override that is a separate resource, returns the whole series,
   * the master first, with cancelled events. Empty if there is none.
   */
  findEvents(calendarKey: string, eventId: string): Promise<StoredEvent[]>;
}
