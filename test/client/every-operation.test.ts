/** The published client has a call for every public operation, at the program as it is shipped. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import Schema from 'typebox/schema';

import {
  AccountNeedsReconnect,
  createPkce,
  type Kalends,
  KalendsError,
  kalends,
  type ListenedDelivery,
  type UserCalendars,
} from '../../packages/client/src/kalends.ts';
import type { OpenApiDocument } from '../../src/api-reference/openapi-document.ts';
import { closed, operationsOf } from '../api-reference/openapi-checks.ts';
import { openBrowser } from '../e2e/browser.ts';
import { allow, linkAccount } from '../e2e/flow.ts';
import { until } from '../harness/until.ts';
import { ADA, type ClientSite, memoryStore, network, openClientSite, STATE } from './client-site.ts';

const DOCUMENT: OpenApiDocument = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8'),
);
/** Operations for operators and for libraries of the protocol. */
const WITHOUT_CALL = [
  'getHealth',
  'getReadiness',
  'getServerMetadata',
  'getStrictServerMetadata',
  'getSigningKeys',
  'getStrictSigningKeys',
  'getOpenApiDocument',
];
const HOUR = { start: '2026-03-02T09:00:00Z', end: '2026-03-02T10:00:00Z' };
const DAY = { start: '2026-03-02', end: '2026-03-03' };

describe('the calls of the client', () => {
  let site: ClientSite;
  let wire: ReturnType<typeof network>;
  let client: Kalends;
  let user: UserCalendars;
  let onListening = () => {};
  before(async () => {
    site = await openClientSite();
    const { clientId } = site.options;
    await site.program.command('client', 'update', clientId, '--webhook-url', 'http://localhost:9/webhooks');
    const keys = `GET /.well-known/webhook-keys/${clientId}`;
    wire = network((request) => {
      if (request.startsWith('GET /webhooks/listeners/')) onListening();
      // Older services have one list for all applications.
      return request === keys ? new Response(null, { status: 404 }) : undefined;
    });
    client = kalends({ ...site.options, fetch: wire.fetch });
    const url = await site.authorize('ada');
    const tokens = await client.completeAuthorization({ url, state: STATE, userId: 'ada' });
    user = client.user(memoryStore(tokens));
  });
  after(() => site?.close());

  /**
   * Listens, makes a change after the first sync of the user's calendar, and returns the listener's deliveries after
   * that. A change that the first sync finds has no delivery.
   */
  async function listenFor(userId: string, change: () => Promise<unknown>) {
    await until(`the first sync of the calendar of ${userId}`, async () => {
      const logged = await Array.fromAsync(client.deliveries({ userId }));
      return logged.some(({ calendarId }) => calendarId === site.calendarId);
    });
    const deliveries = client.listen({ own: true, signal: AbortSignal.timeout(30_000) });
    const first = await whileListening(deliveries, change);
    let heard = (await first.next).value;
    while (heard && isFirstSync(heard)) heard = (await deliveries.next()).value;
    assert.ok(heard, 'the listener received nothing for 30 seconds');
    return { heard, deliveries };
  }

  /** Requests the next delivery, and makes the change once the service has the listener. */
  async function whileListening(deliveries: ReturnType<Kalends['listen']>, change: () => unknown) {
    const { promise, resolve } = Promise.withResolvers<void>();
    onListening = resolve;
    const next = deliveries.next();
    await promise;
    await change();
    return { next };
  }

  async function callForUser(): Promise<void> {
    const made = await user.createCalendar({ provider: 'caldav' }, { title: 'Trips' });
    const place = { provider: made.provider, calendarId: made.id };
    await user.updateCalendar(place, { title: 'Travel' });
    await user.calendars();
    const { id } = await user.createEvent(place, { title: 'Trip', ...HOUR });
    const address = { ...place, eventId: id };
    await user.updateEvent(address, { title: 'Long trip' });
    assert.deepEqual(await user.eventById(id), await user.event(address));
    // Nobody invited the user.
    await assert.rejects(user.respond(address, 'accepted'), KalendsError);
    await user.eventsPage(DAY);
    await user.changesPage();
    await user.freeBusy(DAY);
    await user.availability({ ...DAY, duration: 30 });
    const { channelId } = await user.subscribe(place, { channelId: 'trips', expiration: '2999-01-01' });
    const channels = (await user.subscriptions()).subscriptions.map((one) => one.channelId);
    assert.ok(channels.includes(channelId));
    await user.unsubscribe({ provider: 'caldav', channelId });
    await user.deleteEvent(address);
    await user.deleteCalendar(place);
  }

  async function callForDeliveries({ heard: { id, headers, body } }: { heard: ListenedDelivery }) {
    await client.webhook({ headers, body });
    const [logged] = await Array.fromAsync(client.deliveries({ userId: 'ada' }));
    assert.ok(logged);
    assert.equal((await client.delivery(id)).attemptLog.length, 1);
    assert.deepEqual(await client.replay(id), { success: true, id });
    const period = { from: new Date(0), to: new Date(Date.now() + 60_000) };
    assert.ok((await client.replayAll(period)).count > 0);
  }

  it('the client has a call for every public operation, and each succeeds', async () => {
    const { connections } = await user.connectionStatus();
    const [account] = connections.caldav;
    assert.ok(account);
    const place = { provider: 'caldav', calendarId: site.calendarId } as const;
    const listened = await listenFor('ada', () => user.createEvent(place, { title: 'Heard', ...HOUR }));
    await callForDeliveries(listened);
    await listened.deliveries.return();
    await callForUser();
    await client.pushedAuthorizationUrl({ userId: 'ada', state: STATE });
    await client.reconnectLink('ada', { provider: 'caldav', account: account.id });
    await client.getUser('ada');
    await user.disconnect('caldav');
    assert.deepEqual(await client.introspect('unknown'), { active: false });
    await client.revoke('unknown');
    await client.deleteUser('ada');

    const called = ['GET /authorize', ...wire.sent.map(({ request }) => request)];
    const missing = operationsOf(DOCUMENT).filter(
      ({ method, path: place, operation: { summary } }) =>
        !summary.startsWith('Alias of') && !called.some((request) => isRequestOf(request, method, place)),
    );
    const names = missing.map(({ operation }) => operation.operationId);
    assert.deepEqual(names.toSorted(), WITHOUT_CALL.toSorted());
  });

  it('a delivery of the listener has the documented form, and its payload is known by its topic', async () => {
    const tokens = await site.tokensOf('grace');
    const grace = client.user(memoryStore(tokens));
    const place = { provider: 'caldav', calendarId: site.calendarId } as const;

    const { heard, deliveries } = await listenFor('grace', () =>
      grace.createEvent(place, { title: 'Known', ...HOUR }),
    );
    await deliveries.return();

    const { payload } = heard;
    assert.ok(payload.eventType === undefined);
    assert.deepEqual(
      payload.events.map(({ title, changeType, own }) => [title, changeType, own]),
      [['Known', 'created', true]],
    );
    const { requestBody } = DOCUMENT.webhooks?.events?.post ?? {};
    const schema = requestBody?.content['application/json']?.schema ?? {};
    const [valid, errors] = Schema.Compile({ ...closed(schema, DOCUMENT) }).Errors(payload);
    assert.ok(valid, JSON.stringify(errors));
  });

  it('a listener ends when its signal is aborted', async () => {
    const ending = new AbortController();
    const deliveries = client.listen({ signal: ending.signal });

    const { next } = await whileListening(deliveries, () => ending.abort());

    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it('an application that must push its requests completes one with its PKCE verifier', async () => {
    const registration = await site.program.createClient();
    await site.program.command('client', 'update', registration.clientId, '--pushed-requests', 'required');
    const pushing = kalends({ url: site.program.url, ...registration });
    const { codeVerifier, codeChallenge } = await createPkce();
    const flow = { userId: 'hedy', state: STATE };

    const browser = openBrowser();
    const request = { ...flow, codeChallenge, language: 'en', userName: 'Hedy', loginHint: ADA };
    await browser.open(await pushing.pushedAuthorizationUrl(request));
    await linkAccount(browser, site.login);
    const url = String((await allow(browser)).destination);

    assert.ok((await pushing.completeAuthorization({ ...flow, url, codeVerifier })).accessToken);
  });

  it('a write to an account that needs reconnecting names it, and a pushed request reconnects it', async () => {
    const joan = client.user(memoryStore(await site.tokensOf('joan')));
    const place = { provider: 'caldav', calendarId: site.calendarId } as const;
    await joan.calendars();
    await site.sandbox.manual.revokeAccess(ADA);

    const refused = await joan.createEvent(place, { title: 'Late', ...HOUR }).catch((error) => error);

    assert.ok(refused instanceof AccountNeedsReconnect);
    const [account] = (await joan.connectionStatus()).connections.caldav;
    assert.deepEqual(refused.accounts, [{ provider: 'caldav', account: account?.id }]);
    const [reconnect] = refused.accounts;
    assert.ok(reconnect);
    const url = await client.pushedAuthorizationUrl({ userId: 'joan', state: STATE, reconnect });
    assert.equal((await fetch(url, { redirect: 'manual' })).status, 302);
  });
});

const isFirstSync = ({ payload }: ListenedDelivery): boolean =>
  payload.eventType === undefined && payload.metadata.isInitialSync;

/** Returns whether a request is one of an operation, whose path may have variable parts. */
function isRequestOf(request: string, method: string, template: string): boolean {
  const [sentMethod = '', sent = ''] = request.split(' ');
  const isOther = sent === '/events/changes' && template !== sent;
  if (sentMethod.toLowerCase() !== method || isOther) return false;
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(sent);
}
