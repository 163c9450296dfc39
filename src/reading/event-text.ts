/** Renders events (docs/wire.md 2.5) from the JSON that the mirror stores. */
import { createHmac, hkdfSync } from 'node:crypto';
import type { InstanceMembers } from '../calendars/mirrored-event.ts';
import {
  dateText,
  instantText,
  type RenderedMembers,
  type RenderedObject,
  readMembers,
  renderMember,
  renderMembers,
  renderObject,
} from '../lib/rendered-json.ts';
import type { EventName } from './change-feed.ts';
import type { EventContent, EventPosition, MirroredAccount, ReadableCalendar } from './event-reader.ts';
import type { RecurrenceObject } from './recurrence-object.ts';

export type ListedEvent = EventPosition &
  EventContent & {
    /** The times of an instance or a master, which its content lacks. */
    readonly times?: {
      readonly start: number;
      readonly end: number;
      readonly recurringEventId?: string;
      /** If true, the event also has dates. */
      readonly allDay: boolean;
    };
    readonly recurrence?: RecurrenceObject;
  };

export type EventOwner = {
  readonly calendar: Pick<ReadableCalendar, 'calendarKey' | 'href' | 'timeZone'>;
  readonly account: Pick<MirroredAccount, 'provider' | 'accountId' | 'display' | 'scope'>;
};

export type EventText = (event: ListedEvent, of: EventOwner) => RenderedObject;

/** Returns the full renderer. `account` tells two accounts of a provider apart; `accountName` is its display name. */
export function eventText(): EventText {
  const heads = new Map<string, RenderedMembers>();
  return (event, { calendar, account }) => {
    let head = heads.get(calendar.calendarKey);
    if (head === undefined) {
      const { provider, accountId, display } = account;
      const names = { account: accountId, accountName: display };
      head = renderMembers({ provider, ...names, calendarId: calendar.href });
      heads.set(calendar.calendarKey, head);
    }
    const { content, etag, recurrence, original } = event;
    return renderObject(
      head,
      event.times && toInstanceMembers(event.id, event.times),
      content,
      recurrence && { recurrence },
      etag === undefined ? undefined : { etag },
      original === undefined ? { originalTruncated: true } : renderMember('original', original),
    );
  };
}

/** Returns the fields that only the content of single events has. */
function toInstanceMembers(id: string, times: ListedEvent['times'] & {}): InstanceMembers {
  const { start, end, recurringEventId, allDay } = times;
  return {
    id,
    start: instantText(start),
    end: instantText(end),
    ...(allDay && { startDate: dateText(start), endDate: dateText(end) }),
    ...(recurringEventId !== undefined && { recurringEventId }),
  };
}

/** Returns a renderer that respects the reader's scope for each account. `key` is as for busyText. */
export function textByScope(key: Buffer): EventText {
  const [busy, whole] = [busyText(key), eventText()];
  return (event, owned) => (owned.account.scope === 'free-busy' ? busy : whole)(event, owned);
}

/** Returns an event's id for scope `free-busy`: stable, and unknown to providers. `key` is as for busyText. */
export function busyIds(key: Buffer): (event: EventName) => string {
  const idKey = Buffer.from(hkdfSync('sha256', key, '', 'ids of busy blocks', 32));
  return ({ calendarKey, id }) =>
    createHmac('sha256', idKey).update(`busy|${calendarKey}|${id}`).digest('base64url').slice(0, 22);
}

/** Returns the renderer for scope `free-busy`: only times, and whether they block, under an id of busyIds. */
export function busyText(key: Buffer): EventText {
  const idOf = busyIds(key);
  return (event, { calendar, account }) => {
    const { start, end, allDay, availability, status } = readMembers(event.content);
    return renderObject({
      provider: account.provider,
      id: idOf(event),
      calendarId: calendar.href,
      title: 'Busy',
      start: event.times === undefined ? start : instantText(event.times.start),
      end: event.times === undefined ? end : instantText(event.times.end),
      allDay,
      availability,
      status,
    });
  };
}
