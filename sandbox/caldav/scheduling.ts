/**
 * A server that sends invitations and responses itself when objects are written (implicit scheduling, RFC 6638): into
 * the calendars and inboxes of its own people, and by email to everybody else. Emails are only recorded, not sent.
 */
import { randomUUID } from 'node:crypto';

import type { Account, Accounts } from './accounts.ts';
import type { CalendarCollection, CalendarObject } from './collection.ts';
import { failedCondition } from './dav-answer.ts';
import { guestMessages, refuseForeignChanges } from './guest-messages.ts';
import type { ItipMessage, ObjectChange } from './itip-message.ts';
import { organizerMessages } from './organizer-messages.ts';
import {
  acceptedRequest,
  answeredObject,
  cancelledObject,
  rewritten,
  scheduled,
} from './received-message.ts';
import {
  addressIn,
  comparable,
  type ScheduledObject,
  scheduledObject,
  withParameters,
} from './scheduled-object.ts';
import type { ServerBehaviour } from './server-behaviour.ts';
import { addressesOf } from './user-address.ts';

/** A message that was sent; emails are only recorded. */
export type SentMessage = Pick<ItipMessage, 'method' | 'uid' | 'title' | 'icalendar'> & {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Addresses, without `mailto:` if they have it. */
  readonly from: string;
  readonly to: string;
  readonly by: 'inbox' | 'mail';
};

export type ObjectWrite = {
  readonly account: Account;
  /** The texts: undefined before the object was created, or after it is removed. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** `Schedule-Reply: F` (§8.1): a guest removes an event without notifying anyone. */
  readonly isSilent?: boolean;
};

export interface Scheduling {
  /**
   * Sends the messages that the write causes. Returns the text to store: that of the client with the delivery status of
   * each message. Throws the errors of §3.2.4 before it sends anything.
   */
  write(change: ObjectWrite): string | undefined;
  /** Receives a message from a person of another server. */
  receive(account: Account, icalendar: string): void;
  /** Returns the messages in the order in which they were sent. */
  sent(): readonly SentMessage[];
  /** Returns addresses with `mailto:`, first the one that the person invites under. */
  addressesOf(account: Account): readonly string[];
}

export type SchedulingDeps = {
  readonly accounts: Accounts;
  readonly behaviour: ServerBehaviour;
  readonly now: () => number;
  /** The messages sent so far; changed in place. */
  readonly sent: SentMessage[];
};

export function scheduling(deps: SchedulingDeps): Scheduling {
  const { sent } = deps;
  const server: Server = deps;
  return {
    write: (change) => write(change, server),
    receive(account, icalendar) {
      const method = /^METHOD:\s*(REQUEST|CANCEL|REPLY)\s*$/im.exec(icalendar)?.[1]?.toUpperCase();
      const message = scheduled(icalendar);
      const [guest] = message.events.flatMap(({ attendees }) => [...attendees.keys()]);
      if (method !== 'REPLY') deliver(account, { method: methodOf(method), icalendar, from: '' }, server);
      else deliver(account, { method, icalendar, from: guest ?? '' }, server);
    },
    sent: () => sent,
    addressesOf: (account) => addressesOf(account, deps.behaviour),
  };
}

function methodOf(method: string | undefined): 'REQUEST' | 'CANCEL' {
  if (method === 'REQUEST' || method === 'CANCEL') return method;
  throw new Error('A message says REQUEST, CANCEL or REPLY');
}

type Server = SchedulingDeps;

function write(
  { account, before, after, isSilent = false }: ObjectWrite,
  server: Server,
): string | undefined {
  const change: ObjectChange = {
    before: before === undefined ? undefined : scheduledObject(before),
    after: after === undefined ? undefined : scheduledObject(after),
  };
  const userAddresses = ownAddresses(account, server);
  const sender = { own: userAddresses, now: server.now() };
  const organizer = change.before?.organizer ?? change.after?.organizer;
  if (organizer === undefined) return after;
  if (userAddresses.has(organizer)) {
    refuseOtherOrganizer(change);
    return withStatuses(after, change, send(organizerMessages(change, sender), server));
  }
  const isGuest = [change.before, change.after].some((object) =>
    object?.events.some(({ attendees }) =>
      [...attendees.keys()].some((address) => userAddresses.has(address)),
    ),
  );
  if (!isGuest) return after;
  refuseForeignChanges(change, userAddresses);
  if (after === undefined && isSilent) return undefined;
  return withStatuses(after, change, send(guestMessages(change, sender), server));
}

/** An organizer may remove an event, but not pass it to another person. */
function refuseOtherOrganizer({ before, after }: ObjectChange): void {
  if (before?.organizer === undefined || after?.organizer === undefined) return;
  if (before.organizer !== after.organizer)
    throw failedCondition(
      403,
      'c:allowed-organizer-scheduling-object-change',
      'The organizer stays the same',
    );
}

/** The delivery status of each message, by the address it was sent to: the codes of RFC 5546 §3.6. */
type Statuses = ReadonlyMap<string, string>;

function send(messages: readonly ItipMessage[], server: Server): Statuses {
  const statuses = new Map<string, string>();
  for (const message of messages) {
    const status = sendOne(message, server);
    if (status !== undefined) statuses.set(message.to, status);
  }
  return statuses;
}

/** Returns `undefined` if nothing was sent because the change was not worth an email. */
function sendOne(message: ItipMessage, server: Server): string | undefined {
  const recipient = server.accounts.all().find((account) => ownAddresses(account, server).has(message.to));
  if (recipient !== undefined) {
    keep(message, 'inbox', server);
    return deliver(recipient, message, server) ? '1.2' : '5.2';
  }
  if (!message.to.startsWith('mailto:')) return '3.7';
  if (!message.isSignificant) return undefined;
  keep(message, 'mail', server);
  return '1.1';
}

function keep(message: ItipMessage, by: SentMessage['by'], { sent, now }: Server): void {
  const { method, uid, title, icalendar, from, to } = message;
  sent.push({ method, uid, title, icalendar, at: now(), from: bare(from), to: bare(to), by });
}

const bare = (address: string): string => address.replace(/^mailto:/, '');

type Delivered = Pick<ItipMessage, 'method' | 'icalendar' | 'from'>;

/** Puts the message into the inbox and changes the recipient's copy. Returns false if there is no calendar for it. */
function deliver(account: Account, message: Delivered, server: Server): boolean {
  const object = scheduled(message.icalendar);
  const inboxName = `${randomUUID()}.ics`;
  account.inbox.put(inboxName, inboxName, message.icalendar);
  const place = copyOf(account, object.uid);
  if (message.method === 'REQUEST') {
    const calendar = place?.calendar ?? defaultCalendar(account);
    const name = place?.object.name ?? inboxName;
    calendar?.put(name, object.uid, acceptedRequest(message.icalendar));
    return calendar !== undefined;
  }
  if (place === undefined) return true;
  const copy = scheduled(place.object.icalendar);
  if (message.method === 'CANCEL') {
    place.calendar.put(place.object.name, object.uid, cancelledObject(copy, object));
    return true;
  }
  const answered = answeredObject(copy, object, message.from);
  // §3.2.10: a response is no new version to the organizer's clients.
  place.calendar.putAnswered(place.object, answered);
  const change = { before: copy, after: scheduled(answered) };
  const others = organizerMessages(change, { own: ownAddresses(account, server), now: server.now() });
  send(
    others.filter(({ to }) => to !== message.from),
    server,
  );
  return true;
}

type Copy = { readonly calendar: CalendarCollection; readonly object: CalendarObject };

function copyOf({ calendars }: Account, uid: string): Copy | undefined {
  for (const calendar of calendars.values()) {
    const object = calendar.objectOfUid(uid);
    if (object !== undefined) return { calendar, object };
  }
  return undefined;
}

/** Returns the calendar where invitations arrive (§9.2): the person's first one. */
export const defaultCalendar = ({ calendars }: Account): CalendarCollection | undefined =>
  [...calendars.values()].find(({ readOnly, components }) => !readOnly && components.includes('VEVENT'));

const ownAddresses = (account: Account, { behaviour }: Pick<Server, 'behaviour'>): ReadonlySet<string> =>
  new Set(addressesOf(account, behaviour).map(comparable));

/** §7.3: each guest's line, or the organizer's in a guest's copy, gets the delivery status of the message. */
function withStatuses(
  text: string | undefined,
  { after }: ObjectChange,
  statuses: Statuses,
): string | undefined {
  if (text === undefined || after === undefined || statuses.size === 0) return text;
  return statedIn(after, statuses);
}

const statedIn = (object: ScheduledObject, statuses: Statuses): string =>
  rewritten(object, ({ component }) => ({
    ...component,
    lines: component.lines.map((line) => {
      const status = /^\s*(ATTENDEE|ORGANIZER)\b/i.test(line) ? statuses.get(addressIn(line)) : undefined;
      if (status === undefined) return line;
      return withParameters(line, { 'SCHEDULE-STATUS': status, 'SCHEDULE-FORCE-SEND': undefined });
    }),
  }));
