/**
 * Change notifications: subscriptions with their validation handshake, the notifications of a change, and the life
 * cycle. Notifications that Graph delays are sent at once here, in at most three attempts.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

import type { ChangeNotification, LifecycleEventType } from '@microsoft/microsoft-graph-types';

import type { Faults } from '../core/faults.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { Account } from './directory.ts';
import { eventId, type IdForm } from './item-id.ts';
import { etagOf } from './mailbox.ts';
import type { Change } from './mailbox-store.ts';

export type StoredSubscription = {
  readonly id: string;
  readonly account: Account;
  readonly clientId: string;
  readonly resource: string;
  /** Every calendar of the user's own if absent. */
  readonly calendarId: string | undefined;
  readonly changeTypes: readonly string[];
  readonly notificationUrl: string;
  readonly lifecycleNotificationUrl: string | undefined;
  readonly clientState: string | undefined;
  /** Ids keep the form that they had when the subscription was created. */
  readonly idForm: IdForm;
  expiresAt: number;
};

export type Subscriptions = {
  /** Returns the subscriptions by id, without expired ones. */
  list(): readonly StoredSubscription[];
  /**
   * Validates both addresses and adds the subscription. Throws the 400 of an address whose response is not as required.
   */
  add(subscription: Omit<StoredSubscription, 'id'>): Promise<StoredSubscription>;
  remove(id: string): void;
  /** Sends the notifications of a change, without waiting for them. */
  changed(change: Change): void;
  /**
   * Sends a lifecycle notification to every subscription of the account that has an address for them; for
   * `subscriptionRemoved` it removes them.
   */
  lifecycle(account: Account, event: LifecycleEventType): void;
  /** Resolves when every notification that is due was delivered or given up. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

export type SubscriptionDeps = {
  readonly faults: Faults;
  now(): number;
  /** The subscriptions by id; changed in place. */
  readonly subscriptions: Map<string, StoredSubscription>;
};

const TIMEOUT = 10_000;
const ATTEMPTS = 3;
const FIRST_PAUSE = 200;

export function openSubscriptions({ faults, now, subscriptions }: SubscriptionDeps): Subscriptions {
  const closing = new AbortController();
  const deliveries = new Set<Promise<void>>();
  const queues = new Map<string, ChangeNotification[]>();

  const deliver = (url: string, notification: ChangeNotification, email: string) => {
    const effects = faults.take({ provider: 'microsoft', operation: 'push', user: email });
    if (effects.some(({ kind }) => kind === 'push_missing')) return;
    const times = effects.some(({ kind }) => kind === 'push_duplicate') ? 2 : 1;
    const notifications = Array.from({ length: times }, () => notification);
    const waiting = queues.get(url);
    if (waiting !== undefined) {
      waiting.push(...notifications);
      return;
    }
    queues.set(url, notifications);
    const delivery = flush(url).finally(() => deliveries.delete(delivery));
    deliveries.add(delivery);
  };
  /** Changes that happen together are sent together: one POST can contain many. */
  const flush = async (url: string) => {
    await nextTurn();
    const value = queues.get(url) ?? [];
    queues.delete(url);
    await post(url, { value }, closing.signal);
  };
  const current = () => {
    for (const [id, { expiresAt }] of subscriptions) if (expiresAt <= now()) subscriptions.delete(id);
    return [...subscriptions.values()];
  };

  return {
    list: current,
    async add(subscription) {
      await validate(subscription.notificationUrl, closing.signal);
      const { lifecycleNotificationUrl } = subscription;
      if (lifecycleNotificationUrl !== undefined) await validate(lifecycleNotificationUrl, closing.signal);
      const stored = { ...subscription, id: randomUUID() };
      subscriptions.set(stored.id, stored);
      return stored;
    },
    remove: (id) => void subscriptions.delete(id),
    changed(change) {
      for (const subscription of current().filter((one) => wants(one, change))) {
        deliver(subscription.notificationUrl, changeNotification(subscription, change), change.account.email);
      }
    },
    lifecycle(account, event) {
      for (const subscription of current().filter((one) => one.account === account)) {
        const { lifecycleNotificationUrl: url, id } = subscription;
        if (event === 'subscriptionRemoved') subscriptions.delete(id);
        if (url !== undefined) deliver(url, lifecycleNotification(subscription, event), account.email);
      }
    },
    async settled() {
      while (deliveries.size > 0) await Promise.allSettled(deliveries);
    },
    async close() {
      closing.abort();
      await Promise.allSettled(deliveries);
    },
  };
}

function wants({ account, calendarId, changeTypes }: StoredSubscription, change: Change): boolean {
  if (account !== change.account || !changeTypes.includes(change.type)) return false;
  return calendarId === undefined
    ? change.calendar.sharedBy === undefined
    : calendarId === change.calendar.id;
}

/** Returns the notification. A change of one occurrence is sent as a change of its series. No source confirms that. */
function changeNotification(
  subscription: StoredSubscription,
  { account, key, type, change }: Change,
): ChangeNotification {
  const id = eventId(key, subscription.idForm);
  const resource = `Users/${account.oid}/Events/${id}`;
  const resourceData = {
    '@odata.type': '#Microsoft.Graph.Event',
    '@odata.id': resource,
    '@odata.etag': etagOf(change),
    id,
  };
  return { ...common(subscription), changeType: type, resource, resourceData };
}

function lifecycleNotification(
  subscription: StoredSubscription,
  lifecycleEvent: LifecycleEventType,
): ChangeNotification {
  return { ...common(subscription), lifecycleEvent, resource: subscription.resource };
}

function common({ id, expiresAt, clientState, account }: StoredSubscription): ChangeNotification {
  return {
    subscriptionId: id,
    subscriptionExpirationDateTime: new Date(expiresAt).toISOString(),
    clientState: clientState ?? null,
    tenantId: account.tenant,
  };
}

/** Runs the handshake: the address must return a token, decoded, as plain text. */
async function validate(url: string, closing: AbortSignal): Promise<void> {
  const token = `Validation: Testing client application reachability for subscription Request-Id: ${randomUUID()}`;
  const address = new URL(url);
  address.searchParams.set('validationToken', token);
  const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT)]);
  const outcome = await fetch(address, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    signal,
  }).then(
    async (answer) => ({
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: await answer.text(),
    }),
    (error: unknown) => ({ status: 0, type: null, text: String(error) }),
  );
  if (outcome.status === 200 && outcome.type?.startsWith('text/plain') && outcome.text === token) return;
  const outcomeText =
    outcome.status === 0 ? 'The request was not answered' : `Status ${outcome.status}, type ${outcome.type}`;
  throw new SandboxRefusal(
    400,
    'ValidationError',
    `Subscription validation request failed. Notification endpoint must respond with 200 OK to validation request. ${outcomeText}.`,
  );
}

/** Graph repeats for four hours; the sandbox gives up after its third attempt. */
async function post(url: string, body: object, closing: AbortSignal): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT)]);
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const isDelivered = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: JSON.stringify(body),
      signal,
    }).then(
      async (answer) => {
        await answer.body?.cancel();
        return answer.ok;
      },
      // The next attempt may reach an address that cannot be reached now.
      () => false,
    );
    if (isDelivered || closing.aborted || attempt === ATTEMPTS) return;
    await sleep(FIRST_PAUSE * 2 ** attempt, undefined, { signal: closing }).catch(() => undefined);
  }
}
