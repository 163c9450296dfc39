/** Writing events: POST, PATCH, DELETE. */

import { messagesOf } from '../core/mailed-messages.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { readEventBody } from './event.schema.ts';
import { eventOfCall, oneEvent } from './event-operations.ts';
import { accessDenied, itemNotFound } from './graph-error.ts';
import { type GraphCall, type GraphDeps, jsonBody } from './graph-request.ts';
import { etagOf, type StoredCalendar, type StoredEvent } from './mailbox.ts';
import { calendarOf, type LocatedEvent } from './mailbox-store.ts';
import { instanceAt } from './series-instances.ts';
import { changedEvent, newEvent, writeDeps } from './write-event.ts';
import { withException, withoutOccurrence } from './write-occurrence.ts';

export function answerCreate(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  const calendar = editable(calendarOf(call.account, call.parts.calendarId));
  const body = readEventBody(jsonBody(call.request));
  const { transactionId } = body;
  // The same transactionId means the same event: a client that lost the response gets it again.
  const same = [...calendar.events.values()].find(
    (event) => transactionId && event.transactionId === transactionId,
  );
  if (same !== undefined) return oneEvent({ event: same, instance: undefined }, call, 201);
  const event = deps.store.write({ account: call.account, calendar, key: undefined }, (change) =>
    newEvent(body, writeDeps(call.account, change, { ...deps, effects: call.effects })),
  );
  announce(deps, call, { after: event });
  return oneEvent(stored({ event, instance: undefined }), call, 201);
}

export function answerUpdate(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  const located = eventOfCall(call);
  const calendar = editable(located.calendar);
  refuseStale(located, call);
  const body = readEventBody(jsonBody(call.request));
  const { event, instance } = located;
  const updated = deps.store.write({ account: call.account, calendar, key: event.key }, (change) => {
    const by = writeDeps(call.account, change, { ...deps, effects: call.effects });
    return instance === undefined ? changedEvent(event, body, by) : withException(instance, body, by);
  });
  const original = instance?.original;
  const after = updated === undefined || original === undefined ? undefined : instanceAt(updated, original);
  announce(deps, call, { before: event, after: updated, original });
  return oneEvent(stored({ event: updated, instance: after }), call);
}

/** Deletes the whole event or series, or one occurrence. */
export function answerDelete(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  const located = eventOfCall(call);
  const calendar = editable(located.calendar);
  refuseStale(located, call);
  const { event, instance } = located;
  deps.store.write({ account: call.account, calendar, key: event.key }, (change) =>
    instance === undefined ? undefined : withoutOccurrence(instance, { now: deps.now(), change }),
  );
  announce(deps, call, { before: event, original: instance?.original });
  return { status: 204 };
}

type EventWrite = {
  readonly before?: StoredEvent;
  readonly after?: StoredEvent | undefined;
  /** The original start, if an occurrence was written. */
  readonly original?: string | undefined;
};

/** Records the emails that Exchange sends for every write of an organizer. */
function announce(
  { sent, now }: GraphDeps,
  { account: { email: from } }: GraphCall,
  { before, after, original }: EventWrite,
): void {
  const event = after ?? before;
  if (event?.content.responseStatus?.response !== 'organizer') return;
  const contentOf = (one: StoredEvent | undefined) => ({
    ...one?.content,
    ...one?.exceptions.get(original ?? '')?.content,
  });
  const guestsOf = (one: StoredEvent | undefined) =>
    (contentOf(one).attendees ?? []).flatMap(({ emailAddress }) => emailAddress?.address ?? []);
  const title = contentOf(event).subject ?? '';
  const message = {
    ...({ provider: 'microsoft', at: now(), title, from, uid: event.iCalUId } as const),
    occurrence: original,
  };
  sent.push(...messagesOf({ ...message, before: guestsOf(before), after: guestsOf(after) }));
}

/** Checks If-Match on events. No source confirms that Graph honors it, or the error's code. */
export function refuseStale({ event, instance }: LocatedEvent, { request }: GraphCall): void {
  const ifMatch = request.headers['if-match'];
  if (ifMatch === undefined || ifMatch === '*') return;
  const current = etagOf((instance?.exception ?? event).change);
  if (ifMatch.split(',').some((etag) => etag.trim() === current)) return;
  throw new SandboxRefusal(
    412,
    'ErrorIrresolvableConflict',
    'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
  );
}

export function editable(calendar: StoredCalendar): StoredCalendar {
  if (!calendar.canEdit) throw accessDenied();
  return calendar;
}

function stored(result: {
  readonly event: StoredEvent | undefined;
  readonly instance: LocatedEvent['instance'];
}): Pick<LocatedEvent, 'event' | 'instance'> {
  const { event, instance } = result;
  if (event === undefined) throw itemNotFound();
  return { event, instance };
}
