/** The playground for an application of the strict issuer. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createSealer } from '../../src/lib/sealing.ts';
import { Browser, passwordProvider, unescaped } from '../connect/connect-harness.ts';
import { openCalendarServer } from '../harness/calendar-server.ts';
import { FakeCalendarProvider } from '../harness/fake-calendar-provider.ts';
import { withProfiles } from '../harness/profiles.ts';
import { openWholeApp } from '../harness/whole-app.ts';
import { type Answer, dashboardBrowsers } from './dashboard-app.ts';

const HERE = '/dashboard/playground/acme';
const ORIGIN = 'https://kalends.example';

const onward = ({ body }: Answer): string =>
  unescaped(/href="([^"]*)" data-goes-on/.exec(body)?.[1] ?? '').replace(ORIGIN, '');

it('the playground of a strict application uses its issuer', async (t) => {
  const sealer = createSealer(randomBytes(32));
  const provider = new FakeCalendarProvider();
  const caldav = { ...provider.asProvider(), signIn: passwordProvider('caldav').signIn };
  const server = await openCalendarServer({ sealer, caldav });
  const clients = withProfiles(server.deps.clients, new Set(['acme']));
  const { app } = await openWholeApp(server, sealer, { clients });
  t.after(async () => {
    await app.close();
    await server.close();
  });
  const { db, deps } = server;
  const browser = await dashboardBrowsers({ app, db, people: deps.people, now: deps.now }).signedIn(
    'developer',
  );

  const path = onward(await browser.post(HERE, {}));
  assert.match(path, /^\/fapi2\/authorize\?client_id=acme&request_uri=/);
  const user = new Browser({ app });
  const selection = await user.link(await user.get((await user.get(path)).location));
  const { location } = await user.submit(selection, '/connect/approve');
  assert.equal(new URL(location).searchParams.get('iss'), `${ORIGIN}/fapi2`);
  await browser.get(onward(await browser.get(location.replace(ORIGIN, ''))));

  const testUser = await deps.testUsers.findTestUser(browser.personId, 'acme');
  assert.ok(testUser);
  const token = (await deps.testUsers.tokensOf(testUser))?.accessToken ?? '';
  assert.equal(decodeProtectedHeader(token).alg, 'ES256');
  assert.equal(decodeJwt(token).iss, `${ORIGIN}/fapi2`);
});
