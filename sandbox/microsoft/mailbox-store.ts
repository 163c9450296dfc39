/** Finding and writing the contents of mailboxes. */
import { type FaultEffect, hasEffect } from '../core/faults.ts';
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
  /**
   * Takes the mailbox's next change number, creates the event with it, and stores it. `undefined` deletes the event.
   */
  write(
    place: { readonly account: Account; readonly calendar: StoredCalendar; readonly key: string | undefined },
    make: (change: number) => StoredEvent | undefined,
  ): StoredEvent | undefined;
};

/** Returns the store; it calls `onChange` after every change. */
export function mailboxStore(onChange: (change: Change) => void): MailboxStore {
  return {
    write({ account, calendar, key }, make) {
      // The event is created before the change is counted: an error leaves the mailbox unchanged.
      const next = account.mailbox.change + 1;
      const event = make(next);
      const itemKey = event?.key ?? key;
      if (itemKey === undefined) return undefined;
      const exists = calendar.events.has(itemKey);
      nextChange(account.mailbox);
      if (event === undefined) remove(calendar, itemKey, { to: account.mailbox.deletedItems, change: next });
      else calendar.events.set(itemKey, event);
      calendar.eventsChange = next;
      const type = event === undefined ? 'deleted' : exists ? 'updated' : 'created';
      onChange({ account, calendar, key: itemKey, type, change: next });
      return event;
    },
  };
}

/**
 * Moves an event from a calendar to Deleted Items, or deletes it there. Without the habit, clients never see Deleted
 * Items.
 */
function remove(
  calendar: StoredCalendar,
  key: string,
  { to, change }: { readonly to: StoredCalendar; readonly change: number },
): void {
  const event = calendar.events.get(key);
  calendar.events.delete(key);
  // No source confirms that a move gives an item another version.
  if (event !== undefined && calendar !== to) to.events.set(key, { ...event, change });
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

/** An event found by an id, or one of its occurrences. */
export type LocatedEvent = {
  readonly calendar: StoredCalendar;
  readonly event: StoredEvent;
  readonly instance: EventInstance | undefined;
};

/** The scope in which an event is searched. */
export type EventPlace = {
  readonly account: Account;
  readonly calendarId: string | undefined;
  readonly effects: readonly FaultEffect[];
};

/**
 * Finds an event by an id in that calendar, or in any of the user's own: a shared calendar's event is found only
 * through its calendar. Throws a 404.
 */
export function findEvent(place: EventPlace, id: string): LocatedEvent {
  const parsedId = parseEventId(id);
  if (parsedId === undefined) throw itemNotFound();
  for (const calendar of calendarsOf(place)) {
    const event = calendar.events.get(parsedId.key);
    if (event === undefined) continue;
    if (parsedId.original === undefined) return { calendar, event, instance: undefined };
    const instance = instanceAt(event, parsedId.original);
    if (instance !== undefined) return { calendar, event, instance };
  }
  throw itemNotFound();
}

function calendarsOf({ account, calendarId, effects }: EventPlace): readonly StoredCalendar[] {
  const { calendars, deletedItems } = account.mailbox;
  const calendar = calendarId === undefined ? undefined : calendarOf(account, calendarId);
  const isOwn = calendar?.sharedBy === undefined;
  const ownCalendars = [...calendars.values()].filter(({ sharedBy }) => sharedBy === undefined);
  const isAnywhere = calendar === undefined || (isOwn && hasEffect(effects, 'any_calendar'));
  const places = isAnywhere ? ownCalendars : [calendar];
  return isOwn && hasEffect(effects, 'deleted_items') ? [...places, deletedItems] : places;
}
