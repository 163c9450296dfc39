/** What a write sees of the mirror: the event or series that an id on the wire names, whole. */
import type { CalendarEvent } from '../calendars/event.ts';
import type { EventMembers } from '../calendars/mirrored-event.ts';
import type { RenderedMembers, RenderedObject } from '../lib/rendered-json.ts';

/** One event as the mirror has it. */
export type StoredEvent = {
  readonly event: CalendarEvent;
  /** Of the resource it is in. */
  readonly href: string;
  readonly etag: string | undefined;
  /** Its id on the wire; of an override in its master's resource the master's. */
  readonly eventId: string;
  /** The id of the series it is a master or an override of. */
  readonly seriesId: string | undefined;
  /** Epoch milliseconds. */
  readonly startsAt: number;
  /** Epoch milliseconds; of a series the end of its last instance. */
  readonly endsAt: number;
  /** As EventContent has it. */
  readonly content: RenderedMembers<EventMembers>;
  /** Empty where `originalDigest` is there. */
  readonly original: RenderedObject;
  /** Of an original that was too large to keep: the SHA-256 of its JSON; hex digits. */
  readonly originalDigest?: string;
};

export interface StoredEvents {
  /**
   * The event of that very id; with a master, or an override that is a resource of its own, all of its series. A master
   * comes first. Cancelled ones are among them. Empty when there is none.
   */
  findEvents(calendarKey: string, eventId: string): Promise<StoredEvent[]>;
}
