/** Reads the complete event or series for an id on the wire from the mirror, for writes. */
import type { CalendarEvent } from '../calendars/event.ts';
import type { EventMembers } from '../calendars/mirrored-event.ts';
import type { RenderedMembers, RenderedObject } from '../lib/rendered-json.ts';

/** An event in the mirror. */
export type StoredEvent = {
  readonly event: CalendarEvent;
  /** The href of its resource. */
  readonly href: string;
  readonly etag: string | undefined;
  /** The event's id on the wire. An override in its master's resource has the master's. */
  readonly eventId: string;
  /** The id of the series whose master or override it is. */
  readonly seriesId: string | undefined;
  /** Epoch milliseconds. */
  readonly startsAt: number;
  /** Epoch milliseconds; for a series, the end of its last occurrence. */
  readonly endsAt: number;
  /** In the form of EventContent. */
  readonly content: RenderedMembers<EventMembers>;
  /** Empty if `originalDigest` is present. */
  readonly original: RenderedObject;
  /** The SHA-256 of the original's JSON in hex digits, if the original was too large to store. */
  readonly originalDigest?: string;
};

export interface StoredEvents {
  /**
   * Returns the event with that id. For a master, or an override in a separate resource, returns its whole series, the
   * master first and cancelled ones included. Empty if there is none.
   */
  findEvents(calendarKey: string, eventId: string): Promise<StoredEvent[]>;
}
