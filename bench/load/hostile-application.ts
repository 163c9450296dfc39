/**
 * An application that takes what it can get: slow endpoints, some of them at its neighbor's origin, users at slow calendar servers,
 * long polls, resends without end, and wrong passwords at the dashboard from many addresses of one network.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { NewAccount } from '../../src/calendars/account-store.ts';
import { registerClient } from '../../src/oauth/client-registration.ts';
import type { Stores } from '../../src/start/open-storage.ts';
import { addEndpoint } from '../../src/webhooks/endpoints.ts';
import type { Kalends } from '../kalends.ts';
import { changeCalendars, finishLinking, linkedBy, meeting, seedUser } from '../mirror-seed.ts';
import { type Application, REDIRECT_URI, type Tokens, tokensFor } from './oauth-calls.ts';
import { basicOf, sendPlain } from './plain-request.ts';
import { seedCodes } from './seed-codes.ts';
import type { SlowServer } from './slow-server.ts';

/** The default of KALENDS_LIMIT_ENDPOINTS_PER_APPLICATION. Half of them are at the neighbor's origin. */
const ENDPOINTS = 50;
const POLLS_OF_USER = 5;
const SLOW_HOSTS = 75;
/** With the long polls, fewer than KALENDS_LIMIT_CONNECTIONS. */
const GUESSES_AT_ONCE = 120;
const RESENDS_EVERY_MS = 1_000;
const REFUSED_MS = 2_000;
const [ENDPOINT_NETWORK, CALENDAR_NETWORK] = [1, 2];
/** Until this number of its polls wait nothing is measured, unless SETTLE_MS have passed. */
const LEAST_POLLS = 250;
const SETTLE_MS = 20_000;
const SETTLED_MS = 3_000;
const DAY_MS = 24 * 3_600_000;

export type HostilePace = { readonly users: number };
export type Hostile = {
  readonly application: Application;
  /** Has its load under way when it resolves. */
  begin(server: Kalends, like: NewAccount): Promise<void>;
  /** Starts no more requests. */
  end(): void;
};

/** Seeds the application before the server starts: paused endpoints, and users with a mirrored calendar each. */
export async function seedHostile(stores: Stores, slow: SlowServer, pace: HostilePace): Promise<Hostile> {
  const registered = { name: 'Hostile', redirectUri: REDIRECT_URI };
  const { client, clientSecret = '' } = await registerClient(registered, { ...stores, by: undefined });
  const { clientId } = client;
  const hears = { events: true, calendars: false, connections: false, own: false };
  for (let i = 0; i < ENDPOINTS; i += 1) {
    const origin = i % 2 === 0 ? slow.origin(0, 1) : slow.origin(ENDPOINT_NETWORK, i);
    const url = `${origin}/hook/${i}`;
    await addEndpoint({ clientId, url, hears, shared: false }, { ...stores, by: undefined });
  }
  for (let i = 0; i < pace.users; i += 1)
    await seedUser(stores, { clientId, userId: `user-${i}` }, [meeting(0)]);
  await stores.db.write('DELETE FROM job');
  await seedCodes(stores, clientId, { from: 0, count: pace.users });
  let isEnded = false;
  const application = { clientId, clientSecret };
  return {
    application,
    end() {
      isEnded = true;
    },
    async begin(server, like) {
      const { port } = server;
      const codes = Array.from({ length: pace.users }, (_, i) => `user-${i}`);
      const tokens = await tokensFor({ port, application }, codes);
      const loop = async (work: () => Promise<unknown>) => {
        // A refusal or an ended server is what it provokes.
        while (!isEnded) await work().catch(() => sleep(100));
      };
      await untilDelivered(server, clientId);
      slow.hold();
      await changeAll(server.stores, clientId);
      await linkSlowAccounts(server.stores, { clientId, users: pace.users }, slow, like);
      await resendAll(port, application);
      void loop(() => resendAll(port, application));
      const polls = { waiting: 0 };
      const each = Array.from({ length: POLLS_OF_USER }, () => tokens).flat();
      for (const token of each) void loop(pollOf(port, token, polls));
      const until = performance.now() + SETTLE_MS;
      const least = Math.min(LEAST_POLLS, each.length);
      while (polls.waiting < least && performance.now() < until) await sleep(100);
      for (let i = 0; i < GUESSES_AT_ONCE; i += 1) void loop(() => guess(port));
      await sleep(SETTLED_MS);
    },
  };
}

/** Waits until its first deliveries are over: they are what it has sent again. */
async function untilDelivered({ stores }: Kalends, clientId: string): Promise<void> {
  const open = `SELECT s.stream_id FROM webhook_stream s JOIN webhook_endpoint e ON e.endpoint_id = s.endpoint_id
                 WHERE e.client_id = :clientId AND s.due_at IS NOT NULL LIMIT 1`;
  while ((await stores.db.get(open, { clientId })) !== undefined) await sleep(100);
}

async function changeAll(stores: Stores, clientId: string): Promise<void> {
  const rows = await stores.db.all<{ key: string }>(
    `SELECT c.calendar_key AS "key" FROM calendar c JOIN account a ON a.account_key = c.account_key
      WHERE a.client_id = :clientId`,
    { clientId },
  );
  await changeCalendars(
    stores,
    rows.map(({ key }) => key),
    meeting(0, 'Moved'),
  );
  // Changes of this process: the server finds them when it looks.
  await stores.db.write('UPDATE webhook_stream SET due_at = 1 WHERE due_at = 0 AND lease_holder IS NULL');
}

/** Gives each user an account `like` the neighbor's, at a server that holds each request. */
async function linkSlowAccounts(
  stores: Stores,
  { clientId, users }: { readonly clientId: string; readonly users: number },
  slow: SlowServer,
  like: NewAccount,
): Promise<void> {
  const { origin } = new URL(like.accountId);
  for (let i = 0; i < users; i += 1) {
    const userId = `slow-${i}`;
    const slowOrigin = slow.origin(CALENDAR_NETWORK, 1 + (i % SLOW_HOSTS));
    const account: NewAccount = JSON.parse(JSON.stringify(like).replaceAll(origin, slowOrigin));
    const own = { clientId, userId, ...linkedBy(userId, userId) };
    await stores.users.loadOrCreateUser(clientId, userId, Date.now());
    await stores.accounts.linkAccount(
      { ...account, ...own, identity: `${account.accountId} ${i}`, calendarPermission: undefined },
      Date.now(),
    );
    await finishLinking(stores, own);
  }
}

/** Adds to `polls` when it has the cursor to wait with. */
function pollOf(port: number, { access_token: token }: Tokens, polls: { waiting: number }) {
  let cursor = '';
  return async () => {
    const query = cursor === '' ? '' : `?wait=25&cursor=${encodeURIComponent(cursor)}`;
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await sendPlain(port, { path: `/events/changes${query}`, headers });
    if (status !== 200) return sleep(REFUSED_MS);
    if (cursor === '') polls.waiting += 1;
    cursor = JSON.parse(body).cursor;
  };
}

async function resendAll(port: number, application: Application): Promise<void> {
  const from = new Date(Date.now() - DAY_MS).toISOString();
  const to = new Date(Date.now() + DAY_MS).toISOString();
  const headers = basicOf(application);
  await sendPlain(port, { path: '/webhooks/replay', headers, body: { from, to } });
  await sleep(RESENDS_EVERY_MS);
}

/** A wrong password from a random /64 of one /48. */
async function guess(port: number): Promise<void> {
  const part = () => Math.floor(Math.random() * 0x10000).toString(16);
  const body = new URLSearchParams({ login: `${part()}@hostile.example`, password: part() });
  const headers = { 'x-forwarded-for': `2001:db8:1:${part()}::${part()}`, 'sec-fetch-site': 'same-origin' };
  const { status } = await sendPlain(port, { path: '/dashboard/sign-in', headers, body });
  if (status !== 401) await sleep(REFUSED_MS);
}
