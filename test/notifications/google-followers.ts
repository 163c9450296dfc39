/** The shipped program, one instance or two, which follows the sandbox's Google and sends deliveries to a receiver. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { completeSignIn } from '../../sandbox/google/complete-sign-in.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { openBrowser } from '../e2e/browser.ts';
import { type Application, allow, authorizeUrl, exchange, read, tokensOf } from '../e2e/flow.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { type Events, type ToldState, textOf, toldState } from './told-state.ts';

const APP = { clientId: '1234-kalends.apps.googleusercontent.com', clientSecret: 'canary-app-secret' };
/** Longer than what a killed process was at is left alone. */
const PATIENCE_MS = 180_000;
/** Each person has one besides the calendar that is made here. */
const CALENDARS_OF_EACH = 2;

export type Person = {
  readonly userId: string;
  readonly email: string;
  readonly calendarId: string;
  readonly accessToken: string;
};

export type Followers = {
  readonly programs: readonly Program[];
  readonly application: Application;
  readonly google: GoogleSandbox;
  readonly receiver: Receiver;
  readonly told: ToldState;
  readonly people: readonly Person[];
  /** The events at Google that were created here. */
  readonly held: Events;
  /** Makes an event with this title. */
  make(person: Person, title: string): Promise<string>;
  /** Gives one that was made another title. */
  change(person: Person, id: string, title: string): Promise<void>;
  remove(person: Person, id: string): Promise<void>;
  close(): Promise<void>;
};

export type FollowersOptions = {
  readonly people: number;
  /** A PostgreSQL URL, and then two instances; one on SQLite otherwise. */
  readonly databaseUrl?: string | undefined;
};

/** Links `count` people, and waits until the first sync of each calendar was delivered. */
export async function openFollowers({ people: count, databaseUrl }: FollowersOptions): Promise<Followers> {
  const google = await googleSandbox({ clock: sandboxClock(), faults: faultBoard() });
  const receiver = await openReceiver();
  const told = toldState((message) => message % 10 === 0);
  const programs: Program[] = [];
  const close = async () => {
    for (const program of programs) await program.dispose();
    receiver.close();
    await google.close();
  };
  try {
    const env = environmentOf(google);
    const instances = databaseUrl === undefined ? 1 : 2;
    for (let index = 0; index < instances; index += 1)
      programs.push(await startProgram({ databaseUrl, env }));
    const [first] = programs;
    assert.ok(first !== undefined);
    google.registerApp({ ...APP, redirectUris: [`${first.url}/connect/google/callback`] });
    const application = { ...(await first.createClient()), url: first.url };
    await first.command('client', 'update', application.clientId, '--webhook-url', receiver.url);
    let synced = 0;
    receiver.answer = (received) => {
      told.hear(received, true);
      synced += received.body.metadata.isInitialSync === true ? 1 : 0;
      receiver.received.length = 0;
      return { status: 204 };
    };
    const people: Person[] = [];
    for (let index = 0; index < count; index += 1) people.push(await connect(google, application, index));
    await until('the first syncs are told', () => synced >= count * CALENDARS_OF_EACH);
    return { programs, application, google, receiver, told, people, ...changing(google), close };
  } catch (reason) {
    await close();
    throw reason;
  }
}

/** Resolves when it holds; throws after three minutes, or `patienceMs`. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  for (const end = Date.now() + patienceMs; !(await holds()); await sleep(50))
    if (Date.now() > end) throw new Error(`Waited in vain until ${what}`);
}

const environmentOf = ({ issuer, apiUrl }: GoogleSandbox) => ({
  KALENDS_MASTER_KEY: randomBytes(32).toString('base64'),
  KALENDS_GOOGLE_CLIENT_ID: APP.clientId,
  KALENDS_GOOGLE_CLIENT_SECRET: APP.clientSecret,
  KALENDS_GOOGLE_ISSUER: issuer,
  KALENDS_GOOGLE_API_URL: apiUrl,
});

async function connect(google: GoogleSandbox, application: Application, index: number): Promise<Person> {
  const userId = `user-${index}`;
  const email = `${userId}@example.com`;
  await google.manual.addPerson({ email, name: userId });
  const calendarId = await google.manual.addCalendar(email, { title: 'Work', timeZone: 'UTC' });
  const browser = openBrowser();
  await browser.open(authorizeUrl(application, { userId, parameters: { scope: 'read' } }));
  const { destination } = await browser.press('Connect Google');
  assert.ok(destination !== undefined);
  await browser.open(await completeSignIn(destination, { email }));
  await allow(browser);
  const { accessToken } = await tokensOf(await exchange(application, userId));
  return { userId, email, calendarId, accessToken };
}

const AT = {
  start: { dateTime: '2026-12-01T09:00:00', timeZone: 'UTC' },
  end: { dateTime: '2026-12-01T10:00:00', timeZone: 'UTC' },
};

function changing({ manual }: GoogleSandbox): Pick<Followers, 'held' | 'make' | 'change' | 'remove'> {
  const held = new Map<string, string>();
  const hold = (id: string, title: string) =>
    held.set(id, textOf({ title, start: '2026-12-01T09:00:00.000Z' }));
  return {
    held,
    async make({ email, calendarId }, title) {
      const id = await manual.createEvent(email, calendarId, { title, ...AT });
      hold(id, title);
      return id;
    },
    async change({ email, calendarId }, id, title) {
      hold(id, title);
      await manual.updateEvent(email, calendarId, { id, title, ...AT });
    },
    async remove({ email, calendarId }, id) {
      held.delete(id);
      await manual.deleteEvent(email, calendarId, id);
    },
  };
}

/** Reads a person's calendars as the application does. */
export const askAs =
  (application: Application, { accessToken }: Person) =>
  async (path: string): Promise<string> => {
    const answer = await read(application, path, accessToken);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  };
