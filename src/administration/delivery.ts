/** Deliveries as operators read and resend them: one with its body and the signatures of its last attempt. */
import type { By } from '../audit/audit-entry.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed, type Permission } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import { type CheckedSignature, checkSignatures, toSignedContent } from '../webhooks/check-signatures.ts';
import { type DeliveriesDeps, MOST_REPLAYS } from '../webhooks/deliveries.ts';
import { signWithSecrets } from '../webhooks/endpoint-secret.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import type { AttemptedMessage, MessageDetails, MessageFilter } from '../webhooks/message-log.ts';
import { visibleBody } from '../webhooks/visible-body.ts';
import type { WebhookSigner } from '../webhooks/webhook-signer.ts';

export type OpenDeliveryDeps = DeliveriesDeps & {
  readonly endpoints: Pick<EndpointStore, 'secretsOf'>;
  readonly webhookSigner: WebhookSigner;
};

export type NamedDelivery = { readonly clientId: string; readonly messageId: string };

/** A delivery, of any application that the actor may read if `clientId` is absent. */
export type SelectedDelivery = { readonly clientId?: string | undefined; readonly messageId: string };

/** Returns a delivery without its body. Throws PeopleRefusal. */
export async function findDelivery(
  actor: Actor,
  { clientId, messageId }: SelectedDelivery,
  { messages, needs = 'delivery.read' }: Messages & { readonly needs?: Permission },
): Promise<AttemptedMessage> {
  const delivery = await messages.findAttempts(clientId, messageId);
  mustBeAllowed(actor, needs, clientId ?? delivery?.clientId);
  if (delivery === undefined) throw new PeopleRefusal('not_there');
  return delivery;
}

type Messages = Pick<DeliveriesDeps, 'messages'>;
type ReplayDeps = Messages & Pick<DeliveriesDeps, 'now'> & By;

/** Schedules a resend of the delivery. Throws PeopleRefusal. */
export async function replayOne(
  actor: Actor,
  selected: SelectedDelivery,
  { messages, now, by }: ReplayDeps,
): Promise<void> {
  const needs = 'delivery.replay';
  const { clientId, messageId } = await findDelivery(actor, selected, { messages, needs });
  if (!(await messages.askReplay(clientId, messageId, { now: now(), by })))
    throw new PeopleRefusal('not_there');
}

/** A replay of the deliveries of one application that match a filter, within a past period. */
export type Replay = MessageFilter & {
  readonly clientId: string;
  readonly from: number;
  readonly to: number;
};

/** Schedules at most MOST_REPLAYS resends, oldest first, and returns their number. Throws PeopleRefusal. */
export function replayAll(actor: Actor, replay: Replay, { messages, now, by }: ReplayDeps) {
  mustBeAllowed(actor, 'delivery.replay', replay.clientId);
  return messages.askReplays(replay, { now: now(), limit: MOST_REPLAYS, by });
}

export type OpenedDelivery = {
  /** Undefined if no active grant covers its account. */
  readonly body: string | undefined;
  /** The signatures of the last attempt with the current keys and secrets; none before the first attempt. */
  readonly signatures: readonly CheckedSignature[];
};

/** Opens a delivery, which is audited. Throws PeopleRefusal. */
export async function openDelivery(
  actor: Actor,
  { clientId, messageId }: NamedDelivery,
  deps: OpenDeliveryDeps & By,
): Promise<OpenedDelivery> {
  mustBeAllowed(actor, 'delivery.body', clientId);
  const message = await deps.messages.findMessage(clientId, messageId, deps.by);
  if (message === undefined) throw new PeopleRefusal('not_there');
  const body = await visibleBody(message, deps);
  const last = message.log.at(-1);
  // A member who may not see the body needs no signatures of it.
  if (last === undefined || body === undefined) return { body, signatures: [] };
  const timestamp = String(Math.floor(last.startedAt / 1000));
  const content = toSignedContent({ messageId, timestamp, body: message.body });
  const secrets = (await deps.endpoints.secretsOf(message.endpointId)) ?? [];
  const line = [
    ...deps.webhookSigner.signaturesOf(clientId, content),
    ...signWithSecrets(content, secrets, deps.now()),
  ].join(' ');
  return { body, signatures: await checked(message, { timestamp, line }, deps) };
}

/** The signature that a receiver got with a delivery. */
export type ReceivedSignature = { readonly timestamp: string; readonly line: string };

/** Checks who made a received signature. It reveals no body, so it is not audited. Throws PeopleRefusal. */
export async function checkReceived(
  actor: Actor,
  { received, ...named }: NamedDelivery & { readonly received: ReceivedSignature },
  deps: OpenDeliveryDeps,
): Promise<CheckedSignature[]> {
  mustBeAllowed(actor, 'delivery.body', named.clientId);
  const message = await deps.messages.findMessage(named.clientId, named.messageId, undefined);
  if (message === undefined) throw new PeopleRefusal('not_there');
  return checked(message, received, deps);
}

async function checked(
  { clientId, messageId, endpointId, body }: MessageDetails,
  { timestamp, line }: ReceivedSignature,
  { endpoints, webhookSigner, now }: OpenDeliveryDeps,
): Promise<CheckedSignature[]> {
  const secrets = (await endpoints.secretsOf(endpointId)) ?? [];
  const keys = { published: webhookSigner.signing(clientId), secrets, now: now() };
  return checkSignatures(line, { messageId, timestamp, body }, keys);
}
