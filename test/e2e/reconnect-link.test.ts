/** Reconnect links in a real browser: the program as shipped, and a Radicale whose user got another password. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Browser as Chromium, Page } from 'playwright-core';

import { type Program, startProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { type ManagedCalDavServer, USERS } from '../servers/process.ts';
import { startRadicale } from '../servers/radicale.ts';
import { launchChromium, openPage, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import { type Application, connect, exchange, jsonOf, read } from './flow.ts';
import { loginOf, WITHOUT_RADICALE } from './site.ts';

/** The parts of a connected account that these tests read (docs/wire.md 2.2). */
type Connected = { readonly id: string; readonly syncState: string };

describe('a reconnect link in Chromium', { skip: WITHOUT_CHROMIUM || WITHOUT_RADICALE }, () => {
  let calendars: ManagedCalDavServer;
  let program: Program;
  let browser: Chromium;
  let application: Application;
  before(async () => {
    calendars = await startRadicale();
    browser = await launchChromium();
    program = await startProgram({ env: { KALENDS_LOG_LEVEL: 'trace' } });
    application = { ...(await program.createClient({ displayName: 'Acme Planner' })), url: program.url };
  });
  after(async () => {
    await browser?.close();
    await program?.dispose();
    await calendars?.stop();
  });

  /** Connects the user's account at Radicale, gives it another password, and waits until Kalends notices. */
  async function breakAccount(userId: string, former: string, password: string) {
    await calendars.setPassword('ada', former);
    const login = { ...loginOf(calendars, 'ada'), password: former };
    const { accessToken } = await connect(application, { userId, login, parameters: { scope: 'read' } });
    const account = async (): Promise<Connected> => {
      const { connections } = await jsonOf(await read(application, '/connection-status', accessToken));
      const { caldav } = connections as { caldav: Connected[] }; // as documented
      assert.ok(caldav[0] && caldav.length === 1);
      return caldav[0];
    };
    const before = await account();
    await calendars.setPassword('ada', password);
    await program.command('user', 'sync', application.clientId, userId);
    const isRefused = async () => (await account()).syncState === 'reauth_required';
    await until('the account needs reconnecting', isRefused);
    return { account, before };
  }

  async function createLink(userId: string, account: string): Promise<string> {
    const { clientId, clientSecret } = application;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const answer = await fetch(`${program.url}/users/${userId}/reconnect-links`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'caldav', account }),
    });
    assert.equal(answer.status, 201);
    return String((await jsonOf(answer)).url);
  }

  async function enter(page: Page, password: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Reconnect', exact: true }).click();
  }

  for (const javaScriptEnabled of [true, false]) {
    it(`repairs an account at Radicale and says so when it is opened again, JavaScript: ${javaScriptEnabled}`, async () => {
      const userId = `user-${javaScriptEnabled}`;
      const password = `canary-${userId}`;
      const { account, before } = await breakAccount(userId, USERS.ada ?? '', password);
      const url = await createLink(userId, before.id);
      const { page, complaints, close } = await openPage(browser, { javaScriptEnabled });

      await page.goto(url);
      await page.getByRole('heading', { name: 'Reconnect a•••' }).waitFor();
      assert.equal(await page.getByRole('textbox').count(), 1, 'only the password');
      await enter(page, 'wrong');
      await page.getByRole('alert').waitFor();
      assert.equal((await account()).syncState, 'reauth_required');
      await enter(page, password);
      await page.getByRole('heading', { name: 'ada (127.0.0.1' }).waitFor();

      const { id, syncState } = await account();
      assert.deepEqual([id, syncState], [before.id, 'active']);
      assert.equal((await exchange(application, userId)).status, 400, 'it gave no code');
      await page.goto(url);
      await page.getByRole('heading', { name: 'The account is connected' }).waitFor();
      assert.deepEqual(complaints, []);
      await close();
      await assertUnseen(url.split('/').at(-1) ?? '', password);
    });
  }

  /** Asserts that these texts are in no line of the log and in no entry of the request log. */
  async function assertUnseen(...secrets: string[]): Promise<void> {
    const { requests } = await program.command('requests', 'list', '--limit', '1000');
    const { stdout, stderr } = program.output();
    assert.match(stderr, /"event":"account_reconnected"/);
    const texts = stdout + stderr + JSON.stringify(requests);
    assert.deepEqual(
      secrets.filter((secret) => secret.length < 8 || texts.includes(secret)),
      [],
    );
  }
});
