/** At level info no line of the log contains an e-mail address, whatever was done and whatever failed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CalDavSandbox, caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { type Faults, faultBoard } from '../../sandbox/core/faults.ts';
import { type Browser, openBrowser, textOf } from './browser.ts';
import {
  allow,
  authorizeUrl,
  type CalendarLogin,
  exchange,
  jsonOf,
  linkAccount,
  read,
  tokensOf,
} from './flow.ts';
import { ADA, BOB, type GoogleSite, openGoogleSite, passGoogle } from './google-site.ts';

/** Matches every e-mail address in these tests. */
const ADDRESS = /[\w.+-]+(@|%40)([\w-]+\.)*(example|invalid)/i;
const MARA = { email: 'mara.canary@people.example', name: 'Mara' };
const THEO = { email: 'theo.canary@people.example', name: 'Theo' };

describe('the log at level info', () => {
  let site: GoogleSite;
  let caldav: CalDavSandbox;
  let faults: Faults;
  before(async () => {
    faults = faultBoard();
    caldav = await caldavSandbox({ kind: 'caldav', clock: sandboxClock(), faults });
    for (const person of [MARA, THEO]) {
      await caldav.manual.addPerson(person);
      await caldav.manual.addCalendar(person.email, { title: 'Work', timeZone: 'UTC' });
    }
    site = await openGoogleSite({ KALENDS_LOG_LEVEL: 'info' });
  });
  after(async () => {
    await site?.close();
    await caldav?.close();
  });

  const login = (
    { email }: { readonly email: string },
    password = caldav.passwordOf(email),
  ): CalendarLogin => ({
    server: caldav.origin,
    username: email,
    password,
  });
  const open = async (userId: string, parameters: Record<string, string> = {}): Promise<Browser> => {
    const browser = openBrowser();
    await browser.open(authorizeUrl(site.application, { userId, parameters }));
    return browser;
  };
  const signInAtGoogle = async (browser: Browser, email: string) => {
    await browser.press('Connect Google');
    await passGoogle(browser, email);
  };
  const basic = () => {
    const { clientId, clientSecret } = site.application;
    return { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
  };
  /** Ends the program, so that its log is complete; asserts that it has these events and no address. */
  const assertLogged = async (...expected: readonly string[]) => {
    await site.program.stop();
    const { stdout, stderr } = site.program.output();
    const lines = (stdout + stderr).split('\n');
    assert.deepEqual(
      lines.filter((line) => ADDRESS.test(line)),
      [],
    );
    for (const event of expected) assert.ok(stderr.includes(`"event":"${event}"`), event);
    await site.program.start();
  };

  it('the log has no e-mail address of who connects, confirms, is refused, removes or disconnects', async () => {
    const first = await open('ada');
    await signInAtGoogle(first, ADA.email);
    await linkAccount(first, login(MARA));
    await linkAccount(first, login(THEO));
    await first.press(`Remove ${THEO.email} (${new URL(caldav.origin).host})`);
    await allow(first);
    const { accessToken } = await tokensOf(await exchange(site.application, 'ada'));
    for (const path of ['/calendars', '/events', '/connection-status']) {
      assert.equal((await read(site.application, path, accessToken)).status, 200);
    }

    const stranger = await open('ada');
    await stranger.press(/^Confirm it is yours: a•••@/);
    await passGoogle(stranger, BOB.email);
    assert.match(textOf(stranger.page().body), /This is not the account you wanted to confirm/);
    await stranger.press(/^Confirm it is yours: m•••@/);
    assert.ok(!stranger.page().body.includes(MARA.email), 'nothing is prefilled');
    await stranger.follow('Enter the server address');
    const typed = { 'Server URL': caldav.origin, Username: MARA.email, Password: 'wrong password' };
    assert.equal((await stranger.press('Connect', typed)).status, 422);
    await stranger.press('Connect', { ...typed, Password: caldav.passwordOf(MARA.email) });
    await allow(stranger);
    await tokensOf(await exchange(site.application, 'ada'));

    await first.open(authorizeUrl(site.application, { userId: 'ada' }));
    await first.press(/^Disconnect ada@/);
    await first.press('Disconnect');
    await assertLogged(
      'account_linked',
      'account_confirmed',
      'account_removed',
      'proof_refused',
      'access_allowed',
      'account_disconnected',
    );
  });

  it('the log has no e-mail address that is typed where none is found, or pushed with a request', async () => {
    const browser = await open('lost');
    await browser.press('Connect CalDAV');
    const typed = { 'E-mail address': 'nobody.canary@nowhere.invalid', Password: 'a password' };
    assert.equal((await browser.press('Connect', typed)).status, 422);

    const form = { user_id: 'pushed', login_hint: MARA.email, user_name: MARA.email, scope: 'read' };
    const pushed = await fetch(`${site.application.url}/par`, {
      method: 'POST',
      headers: basic(),
      body: new URLSearchParams(form),
    });
    const { request_uri: uri } = await jsonOf(pushed);
    const query = new URLSearchParams({ client_id: site.application.clientId, request_uri: String(uri) });
    const page = await openBrowser().open(`${site.application.url}/authorize?${query}`);
    assert.ok(textOf(page.body).includes(MARA.email));
    await assertLogged();
  });

  it('the log has no e-mail address of an account whose provider fails, and none when its user is forgotten', async () => {
    const browser = await open('failing');
    await signInAtGoogle(browser, BOB.email);
    await linkAccount(browser, login(THEO));
    await allow(browser);
    const { accessToken } = await tokensOf(await exchange(site.application, 'failing'));
    await caldav.manual.revokeAccess(THEO.email);
    await site.google.manual.revokeAccess(BOB.email);
    faults.set({ provider: 'caldav', effect: { kind: 'status', status: 503 } });
    for (const path of ['/events', '/calendars', '/changes', '/connection-status']) {
      await read(site.application, path, accessToken);
    }

    const user = `${site.application.url}/users/failing`;
    const shown = await (await fetch(user, { headers: basic() })).text();
    assert.ok(shown.includes(THEO.email), 'the application itself is told');
    assert.ok((await fetch(user, { method: 'DELETE', headers: basic() })).ok);
    await assertLogged('users_forgotten');
  });
});
