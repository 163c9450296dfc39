/** The playground for applications with security switches: its own DPoP key, and calls that need the application's key. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it, type TestContext } from 'node:test';
import { decodeJwt } from 'jose';
import { createSealer } from '../../src/lib/sealing.ts';
import type { ClientChange } from '../../src/oauth/client.ts';
import { Browser, passwordProvider, unescaped } from '../connect/connect-harness.ts';
import { openCalendarServer } from '../harness/calendar-server.ts';
import { FakeCalendarProvider } from '../harness/fake-calendar-provider.ts';
import { openWholeApp } from '../harness/whole-app.ts';
import { type Answer, dashboardBrowsers } from './dashboard-app.ts';

const HERE = '/dashboard/playground/acme';
const ORIGIN = 'https://kalends.example';
const SUCCEEDED = /<span class="state good">200<\/span>/;

const onward = ({ body }: Answer): string =>
  unescaped(/href="([^"]*)" data-goes-on/.exec(body)?.[1] ?? '').replace(ORIGIN, '');

/** Opens a playground whose test user is connected to an application with these settings. */
async function openConnected(t: TestContext, change: ClientChange) {
  const sealer = createSealer(randomBytes(32));
  const provider = new FakeCalendarProvider();
  const caldav = { ...provider.asProvider(), signIn: passwordProvider('caldav').signIn };
  const server = await openCalendarServer({ sealer, caldav });
  const { app } = await openWholeApp(server, sealer);
  t.after(async () => {
    await app.close();
    await server.close();
  });
  const { db, deps } = server;
  const set = (next: ClientChange) =>
    deps.clients.updateClient('acme', next, { now: deps.now(), by: undefined });
  await set(change);
  const browser = await dashboardBrowsers({ app, db, people: deps.people, now: deps.now }).signedIn(
    'developer',
  );
  const user = new Browser({ app });
  const started = await user.get(onward(await browser.post(HERE, {})));
  const selection = await user.link(await user.get(started.location));
  const { location } = await user.submit(selection, '/connect/approve');
  await browser.get(onward(await browser.get(location.replace(ORIGIN, ''))));
  const tokens = async () => {
    const found = await deps.testUsers.findTestUser(browser.personId, 'acme');
    assert.ok(found);
    return deps.testUsers.tokensOf(found);
  };
  return { browser, tokens, set, db };
}

const FAPI2 = { profile: 'fapi2', keys: { jwks: '{"keys":[]}' } } as const;

it('a test user of a strict application has a sealed key of its own, with which calls succeed', async (t) => {
  const { browser, tokens, db } = await openConnected(t, { ...FAPI2, dpopNonce: 'on' });

  const { accessToken = '', key } = (await tokens()) ?? {};
  assert.ok(key);
  assert.ok('jkt' in Object(decodeJwt(accessToken).cnf));
  assert.match((await browser.post(`${HERE}/listCalendars`, {})).body, SUCCEEDED);
  const code = (await browser.post(`${HERE}/listCalendars`, {})).body.replaceAll(
    /<span class="[a-z]">|<\/span>/g,
    '',
  );
  assert.match(
    code,
    /Authorization: DPoP \$ACCESS_TOKEN.*DPoP: \$DPOP_PROOF.*privateKey: .*dpop: true.*DPoP \{access_token\}/s,
  );
  assert.doesNotMatch(JSON.stringify(await db.all('SELECT * FROM playground_user')), new RegExp(key.d));
});

it('calls that need the private key of the application are shown and not run', async (t) => {
  const { browser, tokens } = await openConnected(t, FAPI2);
  const before = await tokens();
  const form = { 'body.grant_type': 'refresh_token', 'body.refresh_token': 'REFRESH_TOKEN' };

  const page = await browser.get(`${HERE}/issueTokens`);
  const { status, body } = await browser.post(`${HERE}/issueTokens`, form);

  for (const shown of [page.body, body]) {
    assert.match(shown, /Only the application can send this request: it needs its private key/);
    assert.doesNotMatch(shown, /name="secret"/);
  }
  assert.equal(status, 200);
  assert.match(body, /curl/);
  assert.doesNotMatch(body, /<span class="state (good|bad)">\d{3}/);
  assert.deepEqual(await tokens(), before);
});

it('tokens from before are bound by the next call once the application requires it', async (t) => {
  const { browser, tokens, set } = await openConnected(t, {});
  assert.equal((await tokens())?.key, undefined);

  await set({ senderConstraint: 'required' });
  assert.match((await browser.post(`${HERE}/listCalendars`, {})).body, SUCCEEDED);
  assert.ok((await tokens())?.key);
});

it('a public application has a test user', async (t) => {
  const { browser } = await openConnected(t, {
    ...{ clientAuthentication: 'none', codeFormat: 'opaque', pkce: 'required', senderConstraint: 'required' },
  });

  assert.match((await browser.post(`${HERE}/listCalendars`, {})).body, SUCCEEDED);
});
