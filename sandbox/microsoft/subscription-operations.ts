/** /subscriptions: create, list, renew, reauthorize, delete. */
import type { Subscription } from '@microsoft/microsoft-graph-types';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { contextOf } from './calendar-operations.ts';
import { accessDenied } from './graph-error.ts';
import { type GraphCall, type GraphDeps, jsonAnswer, jsonBody } from './graph-request.ts';
import { calendarOf } from './mailbox-store.ts';
import { mayReadBasic } from './permission.ts';
import type { StoredSubscription } from './subscriptions.ts';

const Creation = Type.Object({
  changeType: Type.String(),
  notificationUrl: Type.String(),
  lifecycleNotificationUrl: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  resource: Type.String(),
  expirationDateTime: Type.String(),
  clientState: Type.Optional(Type.Union([Type.String({ maxLength: 128 }), Type.Null()])),
});
const Renewal = Type.Object({ expirationDateTime: Type.String() });

export async function answerSubscribe(call: GraphCall, deps: GraphDeps): Promise<SandboxAnswer> {
  const body = jsonBody(call.request);
  if (!Value.Check(Creation, body)) throw invalid('A required property is missing or not valid.');
  const subscription = await deps.subscriptions.add({
    account: call.account,
    clientId: call.clientId,
    ...readResource(body.resource, call),
    changeTypes: readChangeTypes(body.changeType),
    notificationUrl: readUrl('notificationUrl', body.notificationUrl),
    lifecycleNotificationUrl: readLifecycleUrl(body),
    clientState: body.clientState ?? undefined,
    idForm: call.view.idForm,
    expiresAt: readExpiry(body.expirationDateTime, deps),
  });
  return jsonAnswer({ '@odata.context': context(call), ...resourceOf(subscription) }, call, 201);
}

export function answerSubscriptions(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  return jsonAnswer(
    { '@odata.context': context(call), value: subscriptionsOf(call, deps).map(resourceOf) },
    call,
  );
}

export function answerSubscription(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  return jsonAnswer(
    { '@odata.context': context(call), ...resourceOf(requireSubscription(call, deps)) },
    call,
  );
}

export function answerRenewal(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  const subscription = requireSubscription(call, deps);
  const body = jsonBody(call.request);
  if (!Value.Check(Renewal, body)) throw invalid('expirationDateTime is missing or not valid.');
  if ('lifecycleNotificationUrl' in body)
    throw invalid('lifecycleNotificationUrl cannot be changed after creation.');
  subscription.expiresAt = readExpiry(body.expirationDateTime, deps);
  return jsonAnswer({ '@odata.context': context(call), ...resourceOf(subscription) }, call);
}

export function answerReauthorize(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  requireSubscription(call, deps);
  return { status: 204 };
}

export function answerUnsubscribe(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  deps.subscriptions.remove(requireSubscription(call, deps).id);
  return { status: 204 };
}

const context = (call: GraphCall): string => contextOf(call, 'subscriptions/$entity');

/** An app sees its own subscriptions for this user. */
function subscriptionsOf(
  { account, clientId }: GraphCall,
  { subscriptions }: GraphDeps,
): StoredSubscription[] {
  return subscriptions.list().filter((one) => one.account === account && one.clientId === clientId);
}

function requireSubscription(call: GraphCall, deps: GraphDeps): StoredSubscription {
  const subscription = subscriptionsOf(call, deps).find(({ id }) => id === call.parts.subscriptionId);
  if (subscription === undefined)
    throw new SandboxRefusal(404, 'ResourceNotFound', 'The object was not found.');
  return subscription;
}

/** `/me/events`, `/me/calendars/{id}/events`, with or without the first slash or the user's id. */
function readResource(
  resource: string,
  call: GraphCall,
): { resource: string; calendarId: string | undefined } {
  if (!mayReadBasic(call.permissions)) throw accessDenied();
  const [, calendar] =
    /^\/?(?:me|users\/[^/]+)(?:\/calendars\/([^/]+)|\/calendar)?\/events\/?$/.exec(resource) ?? [];
  if (calendar === undefined && !/\/events\/?$/.test(resource)) {
    throw invalid(`Resource '${resource}' is not supported here.`);
  }
  if (calendar === undefined) return { resource, calendarId: undefined };
  return { resource, calendarId: calendarOf(call.account, decoded(calendar)).id };
}

/** Clients write ids into resources as they are, or as in an address. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function readChangeTypes(text: string): string[] {
  const types = text.split(',').map((type) => type.trim());
  if (types.some((type) => !['created', 'updated', 'deleted'].includes(type)))
    throw invalid(`changeType '${text}' is not valid.`);
  return types;
}

/** Graph takes https only; the sandbox, being on loopback, plain http there as well. */
function readUrl(name: string, text: string): string {
  const url = URL.parse(text);
  const loopback = url !== null && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback))) {
    throw invalid(`${name} must be an absolute https address.`);
  }
  return text;
}

function readLifecycleUrl({ lifecycleNotificationUrl }: Static<typeof Creation>): string | undefined {
  return lifecycleNotificationUrl == null
    ? undefined
    : readUrl('lifecycleNotificationUrl', lifecycleNotificationUrl);
}

function readExpiry(text: string, { now, longestSubscription }: GraphDeps): number {
  const expiresAt = Date.parse(text);
  const minutes = longestSubscription();
  if (Number.isNaN(expiresAt) || expiresAt <= now())
    throw invalid('expirationDateTime must be in the future.');
  if (expiresAt > now() + minutes * 60_000) {
    throw invalid(`Subscription expiration can only be ${minutes} minutes in the future.`);
  }
  return expiresAt;
}

const invalid = (message: string): SandboxRefusal => new SandboxRefusal(400, 'InvalidRequest', message);

function resourceOf(subscription: StoredSubscription): Subscription {
  const { id, resource, changeTypes, clientId, account, notificationUrl } = subscription;
  return {
    id,
    resource,
    applicationId: clientId,
    changeType: changeTypes.join(','),
    clientState: subscription.clientState ?? null,
    notificationUrl,
    lifecycleNotificationUrl: subscription.lifecycleNotificationUrl ?? null,
    expirationDateTime: new Date(subscription.expiresAt).toISOString(),
    creatorId: account.oid,
    includeResourceData: null,
    latestSupportedTlsVersion: 'v1_2',
    encryptionCertificate: null,
    encryptionCertificateId: null,
    notificationUrlAppId: null,
    notificationQueryOptions: null,
  };
}
