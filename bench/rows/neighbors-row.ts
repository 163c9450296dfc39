/**
 * Measures how long an application waits for a delivery, a resend, a first sync, a long poll and its owner's sign-in: alone, and
 * beside a hostile application on the same instance.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import type { NewAccount } from '../../src/calendars/account-store.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import { hashPassword, passwordSlots } from '../../src/people/password.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import type { Stores } from '../../src/start/open-storage.ts';
import { addEndpoint } from '../../src/webhooks/endpoints.ts';
import { recordingLog } from '../../test/servers/recording-log.ts';
import { type Kalends, startKalends } from '../kalends.ts';
import { type Hostile, type HostilePace, seedHostile } from '../load/hostile-application.ts';
import { tokensFor } from '../load/oauth-calls.ts';
import { basicOf, sendPlain } from '../load/plain-request.ts';
import { seedCodes } from '../load/seed-codes.ts';
import { openSlowServer, QUIET_PATH, type SlowServer } from '../load/slow-server.ts';
import { median } from '../measure.ts';
import { finishLinking, linkedBy } from '../mirror-seed.ts';
import { SANDBOX_PERSON } from '../peers/provider-sandbox.ts';
import { type RowReport, type Verdict, verdictOf } from '../report.ts';

export type NeighborsPace = HostilePace & { readonly rounds: number; readonly patienceMs: number };

const OWNER = { login: 'owner@quiet.example', password: 'a password of the bench' };
/** Another network than that of the guesses. */
const OWNER_ADDRESS = '198.51.100.7';
const USER = 'user-0';
const EVENTS = 20;
/** No probe begins later than this after the first, so that a run stays under three minutes. */
const ROUNDS_MS = 45_000;
const LOOK_EVERY_MS = 20;

/** The probes, with the most milliseconds that each may take beside the hostile application. */
const PROBES = {
  delivery: 1_000,
  resend: 1_000,
  'first sync': 5_000,
  'long poll': undefined,
  'sign-in': undefined,
  /** Takes no slot: it says whether the server is busy for another reason. */
  'GET /health': undefined,
};
type ProbeName = keyof typeof PROBES;
const NAMES = Object.keys(PROBES) as ProbeName[]; // Its keys are the literal ones above.
/** `undefined` if it was refused. Rejects or never settles if it takes too long. */
type Probe = () => Promise<number | undefined>;
type Times = ReadonlyMap<ProbeName, readonly (number | undefined)[]>;

/** Runs at most three minutes. A probe that takes longer than the pace's patience counts as refused after that time. */
export async function neighborsRow(folder: string, pace: NeighborsPace): Promise<RowReport> {
  const sandbox = await caldavSandbox({ clock: sandboxClock(), faults: faultBoard(), kind: 'caldav' });
  const slow = await openSlowServer();
  let hostile: Hostile | undefined;
  const server = await startKalends({
    folder,
    env: { KALENDS_PRIVATE_NETWORK: 'loopback', KALENDS_TRUST_PROXY: '1' },
    seed: async (stores, { clientId }) => {
      // Its own writes are what is delivered.
      const hears = { events: true, calendars: false, connections: false, own: true };
      await addEndpoint(
        { clientId, url: slow.origin(0, 1) + QUIET_PATH, hears, shared: false },
        { ...stores, by: undefined },
      );
      hostile = await seedHostile(stores, slow, pace);
      await addOwner(stores);
    },
  });
  try {
    if (hostile === undefined) throw new Error('The hostile application was not seeded');
    await fillCalendar(sandbox);
    const account = await accountAt(sandbox.origin, server.application.clientId);
    const probes = await openProbes(server, slow, account);
    const alone = await measure(probes, pace);
    await hostile.begin(server, account);
    const beside = await measure(probes, pace);
    const title = `Beside a hostile application (${slow.held()} requests held by its servers)`;
    return { title, subjects: [], verdicts: verdictsOf(alone, beside, pace) };
  } finally {
    hostile?.end();
    await server.stop();
    slow.close();
    await sandbox.close();
  }
}

const CALLER = { member: undefined, address: '127.0.0.1', signal: AbortSignal.timeout(60_000) };

async function addOwner({ db }: Stores): Promise<void> {
  await db.write(
    `INSERT INTO person (person_id, name, login, role, password, created_at)
     VALUES ('owner', 'Owner', :login, 'owner', :password, 1) RETURNING person_id`,
    {
      login: OWNER.login,
      password: await hashPassword(OWNER.password, CALLER, { passwordSlots: passwordSlots() }),
    },
  );
}

async function fillCalendar({ manual }: Awaited<ReturnType<typeof caldavSandbox>>): Promise<void> {
  const { email } = SANDBOX_PERSON;
  await manual.addPerson(SANDBOX_PERSON);
  const calendarId = await manual.addCalendar(email, { title: 'Work', timeZone: 'Europe/Vienna' });
  for (let i = 0; i < EVENTS; i += 1)
    await manual.createEvent(email, calendarId, { title: `Meeting ${i}`, ...AT });
}

const SETTLED_MS = 1_000;
const AT = {
  start: { dateTime: '2026-12-01T09:00:00', timeZone: 'Europe/Vienna' },
  end: { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Vienna' },
};

async function accountAt(origin: string, clientId: string): Promise<NewAccount> {
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  try {
    const { signIn } = caldavProvider({ egress, log: recordingLog().log, now: Date.now });
    if (signIn.method !== 'password') throw new Error('CalDAV takes a password');
    const { email: username, password } = SANDBOX_PERSON;
    const signedIn = await signIn.verify({ server: origin, username, password });
    return {
      ...{ clientId, userId: USER, provider: 'caldav', ...linkedBy(USER) },
      ...{ grantedScopes: [], calendarPermission: undefined },
      ...signedIn,
    };
  } finally {
    await egress.close();
  }
}

/** Links the account and resolves once its calendars are mirrored. */
async function sync({ stores }: Kalends, account: NewAccount): Promise<void> {
  const { users, accounts, mirror } = stores;
  await users.loadOrCreateUser(account.clientId, account.userId, Date.now());
  const { accountKey } = await accounts.linkAccount(account, Date.now());
  await finishLinking(stores, account);
  for (;;) {
    const calendars = await mirror.listCalendars(accountKey);
    if (calendars.length > 0 && calendars.every(({ syncedAt }) => syncedAt !== undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function openProbes(
  server: Kalends,
  slow: SlowServer,
  account: NewAccount,
): Promise<Record<ProbeName, Probe>> {
  const { port, application, stores } = server;
  await sync(server, account);
  const codes = await seedCodes(stores, application.clientId, { from: 0, count: 1, scope: 'read-write' });
  const [tokens] = await tokensFor(server, codes);
  const headers = { authorization: `Bearer ${tokens?.access_token}` };
  const get = async (path: string) => JSON.parse((await sendPlain(port, { path, headers })).body);
  const [{ id: calendarId }] = await get('/calendars');
  const since = async (began: number, end: Promise<number>) => (await end) - began;
  let lastId = '';
  const signIn = async (cookie: string) => {
    const sent = { 'x-forwarded-for': OWNER_ADDRESS, 'sec-fetch-site': 'same-origin', cookie };
    return sendPlain(port, { path: '/dashboard/sign-in', headers: sent, body: new URLSearchParams(OWNER) });
  };
  const cookies = (await signIn('')).headers['set-cookie'] ?? [];
  // Without the session: the owner comes back, and is not signed in.
  const known = cookies.find((cookie) => cookie.startsWith('kalends_known='))?.split(';')[0] ?? '';
  const probes = {
    async delivery() {
      const title = `Change ${randomBytes(6).toString('hex')}`;
      const arrival = slow.next(({ id, body }) => {
        const isIt = body.includes(title);
        if (isIt) lastId = id;
        return isIt;
      });
      const body = { provider: 'caldav', calendarId, title, start: AT.start.dateTime, end: AT.end.dateTime };
      const created = await sendPlain(port, { path: '/event', headers, body });

      if (created.status !== 200) throw new Error(`The event was not created: ${created.body}`);
      return since(performance.now(), arrival);
    },
    async resend() {
      const resent = lastId;
      const began = performance.now();
      const arrival = slow.next(({ id }) => id === resent);
      const path = `/webhooks/deliveries/${resent}/replay`;
      const { status } = await sendPlain(port, { method: 'POST', path, headers: basicOf(application) });
      const time = status === 200 ? await since(began, arrival) : undefined;
      // A resend that is asked for before the one under way has been logged is the same one.
      await sleep(SETTLED_MS);
      return time;
    },
    async 'first sync'() {
      const userId = `new-${randomBytes(6).toString('hex')}`;
      const began = performance.now();
      await sync(server, { ...account, userId, ...linkedBy(userId, userId) });
      return performance.now() - began;
    },
    async 'long poll'() {
      const { cursor } = await get('/events/changes');
      const began = performance.now();
      const path = `/events/changes?wait=1&cursor=${encodeURIComponent(cursor)}`;
      const { status } = await sendPlain(port, { path, headers });
      return status === 200 ? performance.now() - began : undefined;
    },
    async 'sign-in'() {
      const began = performance.now();
      const { status } = await signIn(known);
      return status === 303 ? performance.now() - began : undefined;
    },
    async 'GET /health'() {
      const began = performance.now();
      const { status } = await sendPlain(port, { path: '/health' });
      return status === 200 ? performance.now() - began : undefined;
    },
  };
  // The first resend needs a delivery.
  await probes.delivery();
  return probes;
}

/** Runs each probe again and again, all of them at once. */
async function measure(probes: Record<ProbeName, Probe>, pace: NeighborsPace): Promise<Times> {
  const until = performance.now() + ROUNDS_MS;
  const repeat = async (probe: Probe) => {
    const times: (number | undefined)[] = [];
    while (times.length < pace.rounds && performance.now() < until)
      times.push(await withPatience(probe, pace.patienceMs));
    return times;
  };
  const times = await Promise.all(NAMES.map(async (name) => [name, await repeat(probes[name])] as const));
  return new Map(times);
}

/** Resolves with the patience if the probe takes longer: it is measured as taking at least that. */
async function withPatience(probe: Probe, patienceMs: number): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<number>((resolve) => {
    timer = setTimeout(() => resolve(patienceMs), patienceMs);
  });
  try {
    return await Promise.race([probe(), patience]);
  } finally {
    clearTimeout(timer);
  }
}

function verdictsOf(alone: Times, beside: Times, { patienceMs }: NeighborsPace): Verdict[] {
  // A refusal counts as the longest time.
  const took = (times: readonly (number | undefined)[]) => median(times.map((time) => time ?? patienceMs));
  return NAMES.flatMap((name) => {
    const most = PROBES[name];
    const times = beside.get(name) ?? [];
    const [quiet, beset] = [took(alone.get(name) ?? []), took(times)];
    const accepted = times.filter((time) => time !== undefined && time < patienceMs);
    const share = accepted.length / times.length;
    return [
      verdictOf(`${name}, alone`, { measured: quiet, unit: 'ms' }, undefined),
      verdictOf(
        `${name}, beside`,
        { measured: beset, unit: 'ms' },
        most === undefined ? undefined : { required: most, outFor: most },
      ),
      verdictOf(`${name}, beside / alone`, { measured: beset / quiet, unit: '× as much' }, undefined),
      verdictOf(`${name}, accepted beside`, { measured: share, unit: '%' }, { required: 1, outFor: 1 }),
    ];
  });
}
