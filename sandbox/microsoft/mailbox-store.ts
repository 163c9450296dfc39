/** Finding and writing what mailboxes hold. */
import type { Account } from './directory.ts';
import { itemNotFound } from './graph-error.ts';
import { parseEventId } from './item-id.ts';
import { nextChange, type StoredCalendar, type StoredEvent } from './mailbox.ts';
import { type EventInstance, instanceAt } from './series-instances.ts';

export type Change = {
  readonly account: Account;
  readonly calendar: StoredCalendar;
  readonly key: string;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly change: number;
};

export type MailboxStore = {
  /** Takes the mailbox's next state, makes the event with it, stores it. `undefined` deletes. */
  write(
    place: { readonly account: Account; readonly calendar: StoredCalendar; readonly key: string | undefined },
    make: (change: number) => StoredEvent | undefined,
  ): StoredEvent | undefined;
};

/** `onChange` is called after every change. */
export function mailboxStore(onChange: (change: Change) => void): MailboxStore {
  return {
    write({ account, calendar, key }, make) {
      // Made before anything is counted: a refusal leaves the mailbox as it is.
      const next = account.mailbox.change + 1;
      const event = make(next);
      const itemKey = event?.key ?? key;
      if (itemKey === undefined) return undefined;
      const exists = calendar.events.has(itemKey);
      nextChange(account.mailbox);
      if (event === undefined) calendar.events.delete(itemKey);
      else calendar.events.set(itemKey, event);
      calendar.eventsChange = next;
      const type = event === undefined ? 'deleted' : exists ? 'updated' : 'created';
      onChange({ account, calendar, key: itemKey, type, change: next });
      return event;
    },
  };
}

/** Throws a 404. */
export function calendarOf({ mailbox }: Account, calendarId: string | undefined): StoredCalendar {
  const calendar =
    calendarId === undefined
      ? [...mailbox.calendars.values()].find(({ isDefault }) => isDefault)
      : mailbox.calendars.get(calendarId);
  if (calendar === undefined) throw itemNotFound();
  return calendar;
}

/** An event found by an id: itself, or one of its occurrences. */
export type LocatedEvent = {
  readonly calendar: StoredCalendar;
  readonly event: StoredEvent;
  readonly instance: EventInstance | undefined;
};

/**
 * The event of an id, in that calendar or in any of the user's own: what others shared is found only by way of its
 * calendar. Throws a 404.
 */
export function findEvent(account: Account, calendarId: string | undefined, id: string): LocatedEvent {
  const named = parseEventId(id);
  if (named === undefined) throw itemNotFound();
  const calendars =
    calendarId === undefined
      ? [...account.mailbox.calendars.values()].filter(({ sharedBy }) => sharedBy === undefined)
      : [calendarOf(account, calendarId)];
  for (const calendar of calendars) {
    const event = calendar.events.get(named.key);
    if (event === undefined) continue;
    if (named.original === undefined) return { calendar, event, instance: undefined };
    const instance = instanceAt(event, named.original);
    if (instance !== undefined) return { calendar, event, instance };
  }
  throw itemNotFound();
}
