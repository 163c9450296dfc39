/**
 * Passkeys in the shipped program, with Chromium's own authenticator: the whole flow, and responses that must be
 * refused.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';

import type { Browser as Chromium, Page } from 'playwright-core';

import { close as closeServer, listen } from '../harness/loopback.ts';
import { type Program, prepareProgram } from '../harness/program.ts';
import { launchChromium, openPage, type Watched, WITHOUT_CHROMIUM } from './connect-chromium.ts';

const PASSWORD = 'seven kettles sing at noon';

describe('passkeys in Chromium', { skip: WITHOUT_CHROMIUM }, () => {
  let program: Program;
  let chromium: Chromium;
  before(async () => {
    program = await prepareProgram();
    await program.start();
    chromium = await launchChromium();
  });
  after(async () => {
    await chromium?.close();
    await program?.dispose();
  });

  const origin = () => program.url.replace('127.0.0.1', 'localhost');
  const dashboard = () => `${origin()}/dashboard`;

  /** Opens a browser with an authenticator that verifies its user at once, or never. */
  async function opened({ verifies = true } = {}) {
    const watched = await openPage(chromium, { viewport: { width: 1280, height: 800 } });
    const session = await watched.page.context().newCDPSession(watched.page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: verifies, automaticPresenceSimulation: true },
      },
    });
    return { ...watched, session, authenticatorId };
  }
  const auditOf = async () => {
    const { entries } = (await program.command('audit', 'list', '--limit', '100')) as {
      entries: { action: string }[];
    };
    return entries.map(({ action }) => action);
  };
  const join = async (page: Page, role: string, login: string) => {
    const { url } = await program.command('admin', 'invite', '--role', role);
    await page.goto(String(url));
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('E-mail address').fill(login);
  };
  const joinWithPasskey = async ({ page }: Pick<Watched, 'page'>, login: string) => {
    await join(page, 'viewer', login);
    await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click();
    await page.waitForURL(dashboard());
  };
  const signOut = async ({ page }: Pick<Watched, 'page'>) => {
    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await page.waitForURL(/sign-in/);
  };

  /** Returns the browser's response to a sign-in challenge, on any page. */
  async function answered(page: Page, change: object = {}): Promise<string> {
    const sent = await page.context().request.post(`${dashboard()}/sign-in/passkey/options`, { form: {} });
    assert.equal(sent.status(), 200);
    const options = { ...(await sent.json()), ...change };
    return page.evaluate(`(async () => JSON.stringify(await navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })))()`);
  }
  async function comeIn(page: Page, credential: string): Promise<{ status: number; body: string }> {
    const form = { credential, next: '/dashboard' };
    const { request } = page.context();
    const answer = await request.post(`${dashboard()}/sign-in/passkey`, { form, maxRedirects: 0 });
    return { status: answer.status(), body: await answer.text() };
  }

  it('is added, signs in, proves that it is still the same person, and is removed', async () => {
    const browser = await opened();
    const { page, complaints } = browser;
    await join(page, 'owner', 'ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join and sign in' }).click();
    await page.waitForURL(dashboard());
    await page.goto(`${dashboard()}/account`);
    await page.getByLabel('Name of the passkey').fill('The <b>laptop</b>');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('The passkey was added.').waitFor();
    await page.getByText('The <b>laptop</b>').waitFor();

    await signOut(browser);
    await page.goto(`${dashboard()}/sign-in?next=/dashboard/account`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`${dashboard()}/account`);

    await page.goto(`${dashboard()}/confirm?next=/dashboard/people`);
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await page.waitForURL(`${dashboard()}/people`);

    await page.goto(`${dashboard()}/account`);
    await page.getByRole('button', { name: 'Remove passkey: The <b>laptop</b>' }).click();
    await page.getByText('The passkey was removed.').waitFor();
    await page.getByText('No passkeys yet.').waitFor();
    await signOut(browser);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This passkey does not belong to this dashboard.').waitFor();
    assert.deepEqual(complaints, []);
    const actions = await auditOf();
    for (const action of ['person.passkey_added', 'person.passkey_removed', 'person.signed_in'])
      assert.ok(actions.includes(action), action);
    await browser.close();
  });

  it('joins by a link without a password, stays while it is the only way in', async () => {
    const browser = await opened();
    const { page, complaints } = browser;
    await joinWithPasskey(browser, 'bob@example.com');
    await page.goto(`${dashboard()}/account`);
    await page.getByRole('button', { name: 'Remove passkey: Passkey' }).click();
    await page.getByText('This is your only sign-in method').waitFor();
    await page.goto(`${dashboard()}/confirm?next=/dashboard/account`);
    assert.equal(await page.getByLabel('Password').count(), 0);
    assert.deepEqual(complaints, []);
    await browser.close();
  });

  it('takes an answer once, from the browser that was asked, and of no other challenge', async () => {
    const browser = await opened();
    const { page } = browser;
    await joinWithPasskey(browser, 'replay@example.com');
    const stale = await answered(page);
    const cookies = await page.context().cookies();
    const credential = await answered(page);
    const other = await comeIn(page, stale);
    assert.equal(other.status, 401);
    assert.match(other.body, /does not belong to this dashboard/);
    assert.equal((await comeIn(page, credential)).status, 409, 'the challenge is spent by the wrong answer');

    const right = await answered(page);
    const kept = await page.context().cookies();
    const stranger = await opened();
    assert.equal((await comeIn(stranger.page, right)).status, 409, 'without the cookie');
    assert.equal((await comeIn(page, right)).status, 303);
    await page.context().addCookies(kept);
    assert.equal((await comeIn(page, right)).status, 409, 'replayed');
    await page.context().addCookies(cookies);
    assert.equal((await comeIn(page, right)).status, 401, 'with the cookie of another challenge');
    for (const text of ['', '{}', 'null', '[]', '{"id":1}', '{"id":"x","response":{}}', 'x'.repeat(9000)]) {
      await answered(page);
      assert.equal((await comeIn(page, text)).status, 401, text.slice(0, 30));
    }
    await stranger.close();
    await browser.close();
  });

  it('takes no answer that was given at another origin, or without its user verified', async () => {
    const site = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<title>A false site</title>'),
    );
    const elsewhere = (await listen(site)).replace('127.0.0.1', 'localhost');
    const browser = await opened();
    const { page, session, authenticatorId } = browser;
    await joinWithPasskey(browser, 'origin@example.com');
    await page.goto(elsewhere);
    assert.equal((await comeIn(page, await answered(page))).status, 401);
    await page.goto(`${dashboard()}/account`);
    assert.equal((await comeIn(page, await answered(page))).status, 303);
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    const unverified = await answered(page, { userVerification: 'discouraged' });
    assert.equal((await comeIn(page, unverified)).status, 401);
    await browser.close();
    await closeServer(site);
  });

  it('of a counter that falls nobody comes in, and the audit log says so', async () => {
    const browser = await opened();
    const { page, session, authenticatorId } = browser;
    await joinWithPasskey(browser, 'copied@example.com');
    assert.equal((await comeIn(page, await answered(page))).status, 303);
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
    const [copied] = credentials;
    assert.ok(copied !== undefined && copied.signCount > 0);
    const { credentialId } = copied;
    await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    await session.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...copied, signCount: 0 },
    });
    assert.equal((await comeIn(page, await answered(page))).status, 401);
    assert.ok((await auditOf()).includes('person.passkey_refused'));
    await browser.close();
  });

  it('somebody else’s passkey proves nothing in an open session', async () => {
    const [ada, eve] = [await opened(), await opened()];
    await joinWithPasskey(ada, 'ada2@example.com');
    await joinWithPasskey(eve, 'eve@example.com');
    const page = ada.page;
    await page.goto(`${dashboard()}/confirm?next=/dashboard/account`);
    const { credentials } = await eve.session.send('WebAuthn.getCredentials', {
      authenticatorId: eve.authenticatorId,
    });
    await ada.session.send('WebAuthn.clearCredentials', { authenticatorId: ada.authenticatorId });
    for (const credential of credentials)
      await ada.session.send('WebAuthn.addCredential', { authenticatorId: ada.authenticatorId, credential });
    // The page would ask for one of her passkeys; an attacker's page would ask for any.
    await page.route('**/confirm/passkey/options', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), allowCredentials: [] } });
    });
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await page.getByText('This passkey does not belong to this dashboard.').waitFor();
    await ada.close();
    await eve.close();
  });

  it('without scripts no button is there that would do nothing', async () => {
    const context = await chromium.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${dashboard()}/sign-in`);
    assert.equal(await page.getByRole('button', { name: 'passkey' }).count(), 0);
    await context.close();
  });
});
