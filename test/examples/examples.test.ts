/** The applications of examples/, all on one sandbox, used by people with plain browsers. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { registerApplications } from '../../sandbox/applications.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox.ts';
import { signingSecret } from '../client/webhook-signing.ts';
import { type Browser, openBrowser, textOf } from '../e2e/browser.ts';
import { connectAtGoogle, GOOGLE_USER } from '../e2e/sandbox-google.ts';
import { counterpart } from '../harness/counterpart.ts';
import { freePort } from '../harness/loopback.ts';
import { EXAMPLES, installExample, placeFor, type RunningExample, startExample } from './example-apps.ts';

/** The credentials of an application at the service. */
type Registered = { readonly clientId: string; readonly clientSecret: string };

const DAY = 86_400_000;
/** A delivery takes about a second: only a delivery that never comes exceeds this. */
const MOST_MS = 60_000;

describe('the examples', () => {
  let folder: string;
  let sandbox: Sandbox;
  let ports: number[];
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-examples-'));
    ports = await Promise.all(EXAMPLES.map(() => freePort()));
    const redirectUris = ports.map((port) => `http://localhost:${port}/callback`);
    sandbox = await startSandbox({ redirectUris });
    const applications = sandbox.ownApplications.map((application, i) => ({
      ...application,
      webhookUrl: `http://localhost:${ports[i]}/webhooks`,
    }));
    await registerApplications({ KALENDS_DATA_DIR: sandbox.dataDir }, applications);
  });
  after(async () => {
    await sandbox?.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [i, example] of EXAMPLES.entries()) {
    const { name, programs = [] } = example;
    const missing = programs.find((file) => !existsSync(file));
    it(
      `the example ${name} connects a user, shows and writes events, refreshes once, hears each change once, and asks again when the grant has ended`,
      counterpart(name, missing ?? process.execPath),
      async (context) => {
        const application = sandbox.ownApplications[i];
        assert.ok(application);
        const { clientId, clientSecret } = application;
        const settings = { url: sandbox.kalends.url, clientId, clientSecret, port: ports[i] ?? 0 };
        const webhookSecret = sandbox.webhookSecret;
        const place = await placeFor(example, folder);
        const start = () => startExample(example, { ...settings, webhookSecret }, place);
        context.after(() => rm(place, { recursive: true, force: true }));
        await installExample(example, place);
        let running = await start();
        try {
          const browser = openBrowser();
          await connects(browser, running);
          await writes(browser, name);
          const before = endAccessToken(running);
          if (example.holdsTokens) {
            // Killed: what it kept is all that it has.
            await running.stop();
            running = await start();
          }
          await refreshesOnce(browser, running, before);
          await hearsOnce(browser, running, clientId);
          await reconnects(browser, running);
          await asksAgain(browser, running, settings);
        } catch (failure) {
          throw new Error(`${name} said: ${running.output()}`, { cause: failure });
        } finally {
          await running.stop();
        }
      },
    );
  }

  async function connects(browser: Browser, { url }: RunningExample): Promise<void> {
    const welcome = await browser.open(url);
    assert.match(welcome.body, /Connect a calendar/);
    await browser.follow('Connect a calendar');
    await browser.open(browser.page().destination ?? '');
    const callback = await connectAtGoogle(browser);

    // Another browser cannot use this one's callback.
    const stranger = await openBrowser().open(callback);
    assert.equal(stranger.status, 400, stranger.body);
    const page = await browser.open(callback);

    assert.match(page.body, /Dentist/);
    assert.match(page.body, /<h2>Changes<\/h2>/);
  }

  async function writes(browser: Browser, name: string): Promise<void> {
    const start = new Date(Date.now() + 2 * DAY).toISOString().slice(0, 16);

    const page = await browser.press('Add', { Title: `<b>Written</b> by ${name}`, 'Start (UTC)': start });

    assert.equal(page.status, 200, page.body);
    assert.doesNotMatch(page.body, /<b>Written/);
    assert.match(page.body, new RegExp(`Written.* by ${name}`));
  }

  /** Asserts that concurrent requests spend one refresh token, and all succeed. */
  async function refreshesOnce(browser: Browser, { url, storage }: RunningExample, spent: string) {
    const headers = { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };

    const answers = await Promise.all([1, 2, 3].map(() => fetch(url, { headers })));

    for (const answer of answers) assert.match(await answer.text(), /Dentist/);
    const kept = withTokens(storage, (db) => db.prepare('SELECT * FROM tokens').get());
    assert.notEqual(kept?.refresh_token, spent);
    assert.ok(Number(kept?.expires_at) > Date.now());
  }

  /**
   * Asserts that a change at the provider is received once, also if it is delivered twice, and a forged delivery is
   * refused.
   */
  async function hearsOnce(browser: Browser, { url }: RunningExample, clientId: string): Promise<void> {
    const { manual } = sandbox.providers.google;
    const hour = (of: number) => ({ dateTime: `2026-12-01T0${of}:00:00`, timeZone: 'UTC' });
    const draft = { title: `Told to ${clientId}`, start: hour(8), end: hour(9) };
    await manual.createEvent(GOOGLE_USER, GOOGLE_USER, draft);
    const late = Date.now() + MOST_MS;
    while (!(await browser.open(url)).body.includes(`created: ${draft.title}`)) {
      assert.ok(Date.now() < late, browser.page().body);
      await sleep(100);
    }

    const [, userId] = /"userId":"([^"]+)"/.exec(await statusOf(clientId)) ?? [];
    const payload = {
      userId,
      metadata: { clientId },
      events: [{ changeType: 'deleted', title: 'Repeated' }],
    };
    const { headers, body } = signingSecret(sandbox.webhookSecret).deliver(JSON.stringify(payload));
    const send = (changed: string) =>
      fetch(`${url}/webhooks`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: changed,
      });
    const statuses = [await send(body), await send(body), await send(`${body} `)].map(({ status }) => status);

    assert.deepEqual(statuses, [204, 204, 401]);
    // The visible text, since Next.js repeats a page's content in a script.
    assert.equal(textOf((await browser.open(url)).body).split('deleted: Repeated').length, 2);
  }

  /** Asserts that the application offers to reconnect an account, in a read and after a write, and that this works. */
  async function reconnects(browser: Browser, { url }: RunningExample): Promise<void> {
    await sandbox.providers.google.manual.revokeAccess(GOOGLE_USER);
    const link = `Reconnect ${GOOGLE_USER}`;
    const late = Date.now() + MOST_MS;
    while (!textOf((await browser.open(url)).body).includes(link)) {
      assert.ok(Date.now() < late, browser.page().body);
      await sleep(100);
    }
    const start = new Date(Date.now() + DAY).toISOString().slice(0, 16);
    const refused = await browser.press('Add', { Title: 'Refused', 'Start (UTC)': start });
    assert.match(textOf(refused.body), new RegExp(link));

    await browser.follow(link);
    await browser.open(browser.page().destination ?? '');
    await browser.open(browser.page().destination ?? '');
    await browser.open((await browser.press('Continue')).destination ?? '');
    const page = await browser.open(browser.page().destination ?? '');

    assert.doesNotMatch(textOf(page.body), /Reconnect|Refused/);
    assert.match(page.body, /Dentist/);
  }

  /** Asserts that the application offers to connect again after its grant has ended. */
  async function asksAgain(
    browser: Browser,
    { url, storage }: RunningExample,
    at: Registered,
  ): Promise<void> {
    const kept = withTokens(storage, (db) => db.prepare('SELECT refresh_token FROM tokens').get());
    const revoked = await fetch(`${sandbox.kalends.url}/revoke`, {
      method: 'POST',
      headers: { authorization: basicOf(at), 'content-type': 'application/json' },
      body: JSON.stringify({ token: kept?.refresh_token }),
    });
    assert.equal(revoked.status, 200);

    const page = await browser.open(url);

    assert.match(textOf(page.body), /Please connect your calendar again\. Connect a calendar/);
  }

  /** Returns the list of the application's deliveries, as the application itself can read it. */
  async function statusOf(clientId: string): Promise<string> {
    const application = sandbox.ownApplications.find((one) => one.clientId === clientId);
    assert.ok(application);
    const answer = await fetch(`${sandbox.kalends.url}/webhooks/deliveries`, {
      headers: { authorization: basicOf(application) },
    });
    return answer.text();
  }
});

const basicOf = ({ clientId, clientSecret }: Registered): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

/** Replaces the access token with an ended one; returns the refresh token that must be spent next. */
const endAccessToken = ({ storage }: RunningExample): string =>
  withTokens(storage, (db) => {
    db.exec("UPDATE tokens SET access_token = 'ended', expires_at = 0");
    return String(db.prepare('SELECT refresh_token FROM tokens').get()?.refresh_token);
  });

function withTokens<T>(file: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}
