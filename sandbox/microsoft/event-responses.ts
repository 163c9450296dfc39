/** Responses to invitations: accept, tentativelyAccept, decline. */
import { Type } from 'typebox';
import { Value } from 'typebox/value';

import { hasEffect } from '../core/faults.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { addressesOf } from './directory.ts';
import { eventOfCall } from './event-operations.ts';
import { editable, refuseStale } from './event-writes.ts';
import { type GraphCall, type GraphDeps, jsonBody } from './graph-request.ts';
import { stampOf } from './graph-time.ts';
import { eventId } from './item-id.ts';
import type { EventContent, StoredEvent } from './mailbox.ts';
import type { LocatedEvent } from './mailbox-store.ts';
import { withoutOccurrence } from './write-occurrence.ts';

const Response = Type.Object({
  sendResponse: Type.Optional(Type.Boolean()),
  comment: Type.Optional(Type.String()),
});

type Answered = 'accepted' | 'tentativelyAccepted' | 'declined';

/** Responds with 202 without a body, like Graph's actions. */
export const answerResponse =
  (response: Answered) =>
  (call: GraphCall, { store, now }: GraphDeps): SandboxAnswer => {
    const located = eventOfCall(call);
    const calendar = editable(located.calendar);
    refuseStale(located, call);
    const { sendResponse = true, comment } = bodyOf(call);
    const { event, instance } = located;
    const { account } = call;
    refuse(event, sendResponse);
    store.write({ account, calendar, key: event.key }, (change) =>
      responded(located, response, {
        ...{ addresses: addressesOf(account), now: now(), change },
        keepsDeclined: hasEffect(call.effects, 'declined_kept'),
      }),
    );
    if (sendResponse)
      account.mailbox.responses.push({
        eventId: eventId(event.key, 'immutable'),
        original: instance?.original,
        response,
        comment,
      });
    return { status: 202 };
  };

function bodyOf({ request }: GraphCall) {
  const body = request.body === '' ? {} : jsonBody(request);
  if (Value.Check(Response, body)) return body;
  throw new SandboxRefusal(400, 'RequestBodyRead', 'The parameters of the action cannot be read.');
}

function refuse({ content }: StoredEvent, sendResponse: boolean): void {
  if (content.responseStatus?.response === 'organizer')
    throw new SandboxRefusal(
      400,
      'ErrorInvalidRequest',
      "Your request can't be completed. You can't respond to this meeting because you're the meeting organizer.",
    );
  if (sendResponse && content.responseRequested === false)
    throw new SandboxRefusal(
      400,
      'ErrorInvalidRequest',
      "Your request can't be completed. The organizer hasn't requested a response.",
    );
}

type By = {
  readonly addresses: ReadonlySet<string>;
  readonly now: number;
  readonly change: number;
  readonly keepsDeclined: boolean;
};

/**
 * Returns the event after the response. A declined event moves to Deleted Items, or stays as free if the person prefers
 * that; a tentatively accepted one becomes tentative.
 */
function responded(
  { event, instance }: Pick<LocatedEvent, 'event' | 'instance'>,
  response: Answered,
  by: By,
): StoredEvent | undefined {
  const { now, change } = by;
  if (response === 'declined' && !by.keepsDeclined)
    return instance === undefined ? undefined : withoutOccurrence(instance, by);
  const stamps = { modifiedAt: now, change };
  if (instance?.original === undefined)
    return { ...event, ...stamps, content: { ...event.content, ...answered(event.content, response, by) } };
  const { original, exception } = instance;
  const whole = { ...event.content, ...exception?.content };
  const changed = {
    createdAt: exception?.createdAt ?? now,
    ...stamps,
    content: { ...exception?.content, ...answered(whole, response, by) },
  };
  return { ...event, ...stamps, exceptions: new Map(event.exceptions).set(original, changed) };
}

const SHOWN_AS = { accepted: 'busy', tentativelyAccepted: 'tentative', declined: 'free' } as const;

function answered(
  { attendees }: EventContent,
  response: Answered,
  { addresses, now }: By,
): Partial<EventContent> {
  const status = { response, time: stampOf(now) };
  const isUser = (address: string | null | undefined) => addresses.has(address?.toLowerCase() ?? '');
  return {
    responseStatus: status,
    showAs: SHOWN_AS[response],
    attendees:
      attendees?.map((guest) => (isUser(guest.emailAddress?.address) ? { ...guest, status } : guest)) ?? [],
  };
}
