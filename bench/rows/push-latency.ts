/**
 * Measures how long a change takes from a provider that sends push notifications at once to the receiver, one at a
 * time.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { completeSignIn } from '../../sandbox/google/complete-sign-in.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { recordingLog } from '../../test/servers/recording-log.ts';
import { type Kalends, startKalends } from '../kalends.ts';
import { type DeliveryReceiver, openDeliveryReceiver } from '../load/delivery-receiver.ts';
import { tokensFor } from '../load/oauth-calls.ts';
import { linkedBy } from '../mirror-seed.ts';
import { SANDBOX_APP, SANDBOX_REDIRECT_URI } from '../peers/provider-sandbox.ts';
import { type Verdict, verdictOf } from '../report.ts';
import { noticeAnswers } from './notice-answers.ts';

/** The number of people; each has one calendar besides the first. */
const PEOPLE = 8;
const CHANGE_EVERY_MS = 20;
const P50 = { required: 500, outFor: 500 };
const P95 = { required: 1_000, outFor: 1_000 };

export type PushPace = {
  readonly pushes: number;
  /** Seconds during which push notifications are sent as fast as they get a response. */
  readonly noticeSeconds: number;
};

export async function pushLatency(
  folder: string,
  { pushes, noticeSeconds: seconds }: PushPace,
): Promise<Verdict[]> {
  const apps = [{ ...SANDBOX_APP, redirectUris: [SANDBOX_REDIRECT_URI] }];
  const sandbox = await googleSandbox({ clock: sandboxClock(), faults: faultBoard(), apps });
  const receiver = await openDeliveryReceiver();
  const server = await startKalends({ folder, env: environmentOf(sandbox) });
  try {
    const { clientId } = server.application;
    await server.stores.clients.updateClient(
      clientId,
      { webhookUrl: receiver.url },
      { now: Date.now(), by: undefined },
    );
    const calendars: { readonly email: string; readonly calendarId: string }[] = [];
    for (let i = 0; i < PEOPLE; i += 1) calendars.push(await connectPerson(i, sandbox, server));
    const codes = await server.seedCodes(PEOPLE);
    // The exchange completes the connection: from then on the accounts are synced.
    await server.stores.db.write("UPDATE token_family SET finishes = 1 WHERE token_hash = ''");
    const synced = receiver.next(2 * PEOPLE, '"isInitialSync":true');
    await tokensFor(server, codes);
    await synced;
    const create = (i: number, title: string) => {
      const { email, calendarId } = calendars[i % PEOPLE] ?? { email: '', calendarId: '' };
      return sandbox.manual.createEvent(email, calendarId, { title, ...AT });
    };
    const change = (i: number) => toReceiver(receiver, `Change ${i}`, (title) => create(i, title));
    // The first change of each calendar may come before Google sends push notifications for it.
    for (let i = 0; i < 2 * PEOPLE; i += 1) await change(i);
    const times: number[] = [];
    for (let i = 0; i < pushes; i += 1) times.push(await change(2 * PEOPLE + i));
    const answers = await noticeAnswers(server, {
      seconds,
      change: async (i) => {
        await create(i, 'Told of under load');
        await sleep(CHANGE_EVERY_MS);
      },
    });
    return [...verdictsOf(times), answers];
  } finally {
    await server.stop();
    receiver.close();
    await sandbox.close();
  }
}

const AT = {
  start: { dateTime: '2026-12-01T09:00:00', timeZone: 'Europe/Vienna' },
  end: { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Vienna' },
};

const environmentOf = ({ issuer, apiUrl }: GoogleSandbox) => ({
  KALENDS_PRIVATE_NETWORK: 'loopback',
  KALENDS_GOOGLE_CLIENT_ID: SANDBOX_APP.clientId,
  KALENDS_GOOGLE_CLIENT_SECRET: SANDBOX_APP.clientSecret,
  KALENDS_GOOGLE_ISSUER: issuer,
  KALENDS_GOOGLE_API_URL: apiUrl,
});

/** Creates a person with an additional calendar, and connects their account. */
async function connectPerson(index: number, sandbox: GoogleSandbox, { stores, application }: Kalends) {
  const { clientId } = application;
  const userId = `user-${index}`;
  const email = `${userId}@bench.example`;
  await sandbox.manual.addPerson({ email, name: userId });
  const calendarId = await sandbox.manual.addCalendar(email, { title: 'Work', timeZone: 'Europe/Vienna' });
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  try {
    const { issuer, apiUrl } = sandbox;
    const { signIn } = googleProvider({ egress, log: recordingLog().log, now: Date.now, issuer, apiUrl });
    const request = { app: SANDBOX_APP, redirectUri: SANDBOX_REDIRECT_URI, scope: 'read' } as const;
    const { url, pending } = await signIn.begin({ ...request, state: 'bench', language: 'en' });
    const signedIn = await signIn.complete(await completeSignIn(url, { email }), pending, SANDBOX_APP);
    await stores.users.loadOrCreateUser(clientId, userId, Date.now());
    const account = { clientId, userId, provider: 'google' as const, ...linkedBy(userId), ...signedIn };
    await stores.accounts.linkAccount(account, Date.now());
  } finally {
    await egress.close();
  }
  return { email, calendarId };
}

/** Returns the milliseconds until the receiver gets the change. */
async function toReceiver(
  receiver: DeliveryReceiver,
  title: string,
  change: (title: string) => Promise<unknown>,
): Promise<number> {
  const told = receiver.next(1, `"${title}"`);
  const began = performance.now();
  await change(title);
  const [at = 0] = await told;
  return at - began;
}

function verdictsOf(times: readonly number[]): Verdict[] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return [
    verdictOf('Google’s push to the delivery, p50', { measured: at(0.5), unit: 'ms' }, P50),
    verdictOf('Google’s push to the delivery, p95', { measured: at(0.95), unit: 'ms' }, P95),
  ];
}
