/** The playground on the whole program: its flows, its calls, and access that it must not give. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { createSealer, hashOfSecret } from '../../src/lib/sealing.ts';
import { DEFAULT_SWITCHES, type Switches } from '../../src/oauth/switches.ts';
import { deleteEndedTestUsers } from '../../src/playground/ended-test-users.ts';
import { Browser, passwordProvider, unescaped } from '../connect/connect-harness.ts';
import { calendar } from '../contract/mirror-rows.ts';
import { type CalendarServer, openCalendarServer } from '../harness/calendar-server.ts';
import { FakeCalendarProvider } from '../harness/fake-calendar-provider.ts';
import { JWT_TEXT } from '../harness/jwt-text.ts';
import { openWholeApp } from '../harness/whole-app.ts';
import { type Answer, type DashboardBrowser, dashboardBrowsers, leadsTo } from './dashboard-app.ts';

const HERE = '/dashboard/playground/acme';
const ORIGIN = 'https://kalends.example';
const SUCCEEDED = /<span class="state good">200<\/span>/;

/** Returns the page without the marks of highlighted code. */
const withoutColors = ({ body }: Answer): string => body.replaceAll(/<span class="[a-z]">|<\/span>/g, '');

describe('the playground', () => {
  let server: CalendarServer;
  let app: FastifyInstance;
  let signedIn: ReturnType<typeof dashboardBrowsers>['signedIn'];
  const provider = new FakeCalendarProvider();
  before(async () => {
    const sealer = createSealer(randomBytes(32));
    const { signIn } = passwordProvider('caldav');
    server = await openCalendarServer({ sealer, caldav: { ...provider.asProvider(), signIn } });
    ({ app } = await openWholeApp(server, sealer));
    const { db, deps } = server;
    ({ signedIn } = dashboardBrowsers({ app, db, people: deps.people, now: deps.now }));
  });
  after(async () => {
    await app?.close();
    await server?.close();
  });

  /** Returns the address to which a page redirects by itself. */
  const onward = ({ status, body }: Answer): string => {
    assert.equal(status, 200, body);
    return unescaped(/href="([^"]*)" data-goes-on/.exec(body)?.[1] ?? '').replace(ORIGIN, '');
  };

  /** Goes through the Connect pages in a new browser and returns the address that they lead back to. */
  async function allow(path: string, username = 'ada'): Promise<string> {
    const user = new Browser({ app });
    const started = await user.get(path);
    const selection = await user.link(await user.get(started.location), username);
    const allowed = await user.submit(selection, '/connect/approve');
    assert.equal(allowed.status, 303, allowed.body);
    return allowed.location;
  }

  /** Connects a test user, from the first page to the last. */
  async function connect(browser: DashboardBrowser, form: Record<string, string> = {}): Promise<Answer> {
    const back = await allow(onward(await browser.post(HERE, form)));
    assert.ok(back.startsWith(`${ORIGIN}/dashboard/playground/callback?`), back);
    const finished = await browser.get(onward(await browser.get(back.replace(ORIGIN, ''))));
    return browser.get(leadsTo(finished));
  }

  const testUserOf = ({ personId }: DashboardBrowser) => server.deps.testUsers.findTestUser(personId, 'acme');

  it('connects a test user of the playground’s own, and calls as it, without a token in any page', async () => {
    const browser = await signedIn('developer');
    assert.match((await browser.get(HERE)).body, /Connect a calendar/);

    const page = await connect(browser, { name: 'ada' });

    assert.match(page.body, /The test user is connected/);
    const user = await testUserOf(browser);
    assert.match(user?.userId ?? '', /^playground:ada-[\w-]{12}$/);
    const userPage = unescaped(/href="([^"]*\/user\?id[^"]*)"/.exec(page.body)?.[1] ?? '');
    assert.match((await browser.get(userPage)).body, /<h1><bdi[^>]*>playground:ada-/);
    const answer = await browser.post(`${HERE}/listCalendars`);
    assert.equal(answer.status, 200);
    assert.match(answer.body, SUCCEEDED);
    assert.match(answer.body, /<span>[\d,]+ ms<\/span> <code>[\w-]{10,}<\/code>/);
    assert.match(withoutColors(answer), /Authorization: Bearer \$ACCESS_TOKEN/);
    assert.match(withoutColors(answer), /user\.calendars\(\)/);
    const tokens = await server.deps.testUsers.tokensOf({ clientId: 'acme', userId: user?.userId ?? '' });
    const bodies = [page, answer, await browser.get('/dashboard/playground')].map(({ body }) => body).join();
    assert.ok(tokens !== undefined && !bodies.includes(tokens.accessToken));
    assert.doesNotMatch(bodies + server.log.lines.join('\n'), JWT_TEXT);
  });

  it('shows the response and the same call as code in tabs that need no script', async () => {
    const browser = await signedIn('developer');
    await connect(browser);

    const before = await browser.get(`${HERE}/getConnectionStatus`);
    const { body } = await browser.post(`${HERE}/getConnectionStatus`);

    assert.doesNotMatch(before.body, /name="view"/);
    const tabs = [
      ...body.matchAll(/<label><input type="radio" name="view"[^>]*?( checked)?>([^<]+)<\/label><div>/g),
    ];
    assert.deepEqual(
      tabs.map(([, isFirst, name]) => [name, isFirst !== undefined]),
      [
        ['Response', true],
        ['curl', false],
        ['TypeScript', false],
        ['Python', false],
      ],
    );
    assert.match(body, /<code class="language-json">[^<]+<span class="a">"[^"]+"<\/span>: /);
    assert.ok(Buffer.byteLength(body) <= 60 * 1024, `${Buffer.byteLength(body)} bytes`);
  });

  it('has no filled destructive button until a menu is opened', async () => {
    const browser = await signedIn('developer');
    const { body } = await connect(browser);

    assert.match(body, /class="destructive/);
    assert.doesNotMatch(body.replaceAll(/<details(?! open)[\s\S]*?<\/details>/g, ''), /class="destructive/);
  });

  it('shows text of a call and its response as text, whatever is in it', async () => {
    const browser = await signedIn('developer');
    await connect(browser);
    const hostile = `</code><b onx=1>"\u202e`;

    const answer = await browser.post(`${HERE}/createEvent`, {
      'body.title': hostile,
      'body.comment': hostile,
    });
    const read = await browser.post(`${HERE}/getEvent`, { 'query.eventId': hostile });

    for (const { body } of [answer, read]) {
      const result = body.slice(body.indexOf('<section class="result"'));
      assert.match(result, /b onx=1/);
      assert.doesNotMatch(result, /<b onx|\u202e/);
    }
  });

  it('shows refusals as they are, and makes no request of what cannot be one', async () => {
    const browser = await signedIn('developer');
    await connect(browser);

    const missing = await browser.post(`${HERE}/createEvent`, { 'body.title': 'x' });
    const unreadable = await browser.post(`${HERE}/createEvent`, { 'body.attendees': '[' });
    const split = await browser.post(`${HERE}/createEvent`, { 'header.Idempotency-Key': 'a\r\nb: c' });
    const elsewhere = await browser.post(`${HERE}/getEventById`, { 'path.id': '..' });
    const unknown = await browser.post(`${HERE}/startAuthorization`);

    assert.match(missing.body, /<span class="state warn">400<\/span>/);
    assert.match(missing.body, /<a href="\/dashboard\/requests\/[\w-]+"><code>/);
    assert.match(missing.body, /invalid_request/);
    assert.match(unreadable.body, /attendees is not valid JSON/);
    assert.deepEqual(
      [unreadable.status, split.status, elsewhere.status, unknown.status],
      [400, 400, 400, 404],
    );
  });

  it('renews its tokens by the interface’s own call, and shows words in their place', async () => {
    const browser = await signedIn('developer');
    await connect(browser);
    const user = (await testUserOf(browser)) ?? assert.fail();
    const before = await server.deps.testUsers.tokensOf(user);
    const secret = 'a-secret-of-acme';
    await server.deps.clients.rotateSecret({
      ...{ clientId: 'acme', secretHash: hashOfSecret(secret), now: server.clock.now },
      oldExpireAt: server.clock.now,
      by: undefined,
    });

    const form = { secret, 'body.grant_type': 'refresh_token', 'body.refresh_token': 'REFRESH_TOKEN' };
    const answer = await browser.post(`${HERE}/issueTokens`, form);

    assert.match(answer.body, SUCCEEDED);
    assert.doesNotMatch(answer.body, JWT_TEXT);
    assert.ok(!answer.body.includes(secret));
    const renewed = await server.deps.testUsers.tokensOf(user);
    assert.notEqual(renewed?.refreshToken, before?.refreshToken);
    server.clock.now += 3_600_000;
    const later = await browser.post(`${HERE}/listCalendars`);
    assert.match(later.body, SUCCEEDED);
    const { entries } = {
      entries: await server.deps.audit.listEntries({ action: 'playground.called' }, { limit: 5 }),
    };
    assert.deepEqual(entries[0]?.after, { operation: 'issueTokens', status: 200 });
  });

  it('ends a flow in the session that began it alone, and once', async () => {
    const [developer, other] = [await signedIn('developer'), await signedIn('owner')];
    const back = await allow(onward(await developer.post(HERE)));
    const finish = onward(await developer.get(back.replace(ORIGIN, '')));

    const stolen = await other.get(finish);
    const wrongCode = await developer.get(finish.replace(/code=[^&]*/, 'code=playground%3Aelse'));
    const late = await developer.get(finish);

    assert.deepEqual([stolen.status, wrongCode.status, late.status], [404, 404, 404]);
    assert.match(stolen.body, /started in another session/);
    assert.equal(await testUserOf(other), undefined);
    assert.equal((await testUserOf(developer))?.isConnected, false);
  });

  it('connects a test user of an application with opaque codes, required PKCE and iss', async (t) => {
    const { clients } = server.deps;
    const change = (switches: Partial<Switches>) =>
      clients.updateClient('acme', switches, { now: server.clock.now, by: undefined });
    await change({ codeFormat: 'opaque', pkce: 'required', issuerInCallback: 'on', codeLifetime: 10 });
    t.after(() => change(DEFAULT_SWITCHES));
    const [developer, owner] = [await signedIn('developer'), await signedIn('owner')];

    const page = await connect(developer, { name: 'ada' });
    const back = await allow(onward(await owner.post(HERE)));
    const finish = onward(await owner.get(back.replace(ORIGIN, '')));
    const wrong = await owner.get(finish.replace(/code=[^&]*/, `code=${'x'.repeat(43)}`));

    assert.match(page.body, /The test user is connected/);
    assert.match((await developer.post(`${HERE}/listCalendars`)).body, SUCCEEDED);
    assert.match(back, /[?&]code=[\w-]{43}&iss=https%3A%2F%2Fkalends\.example&/);
    assert.equal(wrong.status, 400);
    assert.equal((await testUserOf(owner))?.isConnected, false);
  });

  it('its code is worth nothing to who has the application’s secret', async () => {
    const developer = await signedIn('developer');
    const back = new URL(await allow(onward(await developer.post(HERE))));
    const secret = 'another-of-acme';
    await server.deps.clients.rotateSecret({
      ...{ clientId: 'acme', secretHash: hashOfSecret(secret), now: server.clock.now },
      oldExpireAt: server.clock.now,
      by: undefined,
    });

    const refusals = [];
    for (const redirect_uri of [back.origin + back.pathname, 'https://acme.example/cb']) {
      const code = back.searchParams.get('code') ?? '';
      const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri });
      const basic = Buffer.from(`acme:${secret}`).toString('base64');
      const headers = {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      };
      const answer = await app.inject({ method: 'POST', url: '/token', headers, payload: String(body) });
      refusals.push([answer.statusCode, answer.json().error]);
    }

    assert.deepEqual(refusals, Array(2).fill([400, 'invalid_grant']));
  });

  it('says what was not allowed, and keeps the pages from being framed', async () => {
    const browser = await signedIn('owner');
    const user = new Browser({ app });
    const started = await user.get(onward(await browser.post(HERE)));
    const selection = await user.link(await user.get(started.location), 'eve');
    const denied = await user.submit(selection, '/connect/cancel');
    const callback = await browser.get(denied.location.replace(ORIGIN, ''));

    const page = await browser.get(leadsTo(await browser.get(onward(callback))));

    assert.match(page.body, /Nothing was connected/);
    for (const { headers } of [callback, page]) {
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
      assert.equal(headers['x-frame-options'], 'DENY');
    }
  });

  it('starts over: the test user goes with its grants, and the next one has another id', async () => {
    const browser = await signedIn('developer');
    await connect(browser);
    const first = (await testUserOf(browser)) ?? assert.fail();
    const tokens = await server.deps.testUsers.tokensOf(first);

    const page = await browser.get(leadsTo(await browser.post(`${HERE}/start-over`)));

    assert.match(page.body, /The test user and its data were deleted/);
    const headers = { authorization: `Bearer ${tokens?.accessToken}` };
    assert.equal((await app.inject({ url: '/calendars', headers })).statusCode, 401);
    await browser.post(HERE);
    assert.notEqual((await testUserOf(browser))?.userId, first.userId);
  });

  it('a test user goes after a day, with all that it has', async () => {
    const browser = await signedIn('developer');
    await connect(browser);
    const user = (await testUserOf(browser)) ?? assert.fail();
    const { deps, clock } = server;

    clock.now = user.endsAt;
    const count = await deleteEndedTestUsers(deps);

    assert.ok(count >= 1);
    assert.equal(await deps.users.findUser('acme', user.userId), undefined);
  });

  it('cuts a long response, and says how many lines are left out', async () => {
    for (let number = 0; number < 80; number += 1)
      provider.addCalendar({ ...calendar(`/many-${number}/`), title: `Calendar ${number}` });
    const browser = await signedIn('developer');
    await connect(browser);

    const { body } = await browser.post(`${HERE}/listCalendars`);

    assert.match(body, /[\d,]+ more lines are not shown/);
    assert.ok(Buffer.byteLength(body) <= 60 * 1024, `${Buffer.byteLength(body)} bytes`);
  });

  it('takes no name that is no part of an id, and says what it should be', async () => {
    const browser = await signedIn('owner');
    for (const name of ['a b', '<b>', 'x'.repeat(33), '‮ada']) {
      const { status, body } = await browser.post(HERE, { name });
      assert.equal(status, 400, name);
      assert.match(body, /The name is not valid\. Use at most 32/);
    }
    assert.equal(await testUserOf(browser), undefined);
  });

  it('says what there is to do where no application is there to be tried', async () => {
    const developer = await signedIn('developer');
    await server.db.write('DELETE FROM person_application RETURNING client_id');
    const { body } = await developer.get('/dashboard/playground');
    assert.match(body, /No applications are assigned to you/);
    assert.equal((await developer.get(HERE)).status, 404);
  });
});
