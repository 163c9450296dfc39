/**
 * Signing in at Google and Microsoft from the Connect pages: docs/security.md T11, docs/wire.md O1. On
 * SQLite.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { endedAccessStore } from '../../src/store/accounts/ended-access-store.ts';
import { providerAppStore } from '../../src/store/applications/provider-app-store.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { FakeSignInProvider } from '../harness/fake-sign-in-provider.ts';
import { holdCalls } from '../harness/hold-calls.ts';
import { allow, readBy } from './approvals.ts';
import { ACME, type Answer, Browser, openConnect, transactionOf } from './connect-harness.ts';
import { follow, INSTANCE_APP, type Journeys, openJourneys, signInAgainPath } from './journeys.ts';

let journeys: Journeys;
const user = () => ({ clientId: 'acme', userId: journeys.userId() });
before(async () => {
  journeys = await openJourneys();
});
after(() => journeys.harness.close());
beforeEach(() => journeys.nextUser());

describe('leaving for a provider', () => {
  it('leaving for a provider asks in the name of the app, for the request’s scope, in its language, to come back to its own address', async () => {
    const { sent } = await journeys.depart('microsoft', { scope: 'free-busy', lng: 'fr' });

    const begun = journeys.microsoft.begun.at(-1);
    const app = { ...INSTANCE_APP, user: user() };
    assert.equal(sent.status, 303);
    assert.match(sent.location, /^https:\/\/microsoft\.example\/sign-in\?/);
    assert.deepEqual(
      [begun?.app, begun?.redirectUri, begun?.scope, begun?.language, begun?.loginHint],
      [app, 'http://127.0.0.1:8080/connect/microsoft/callback', 'free-busy', 'fr', undefined],
    );
    assert.equal(sent.headers['cache-control'], 'no-store');
  });

  it('leaving for a provider names the transaction in the state, beside 256 bits that differ each time', async () => {
    const { browser, transaction } = await journeys.depart();
    await browser.get(`/connect/google?transaction=${transaction}`);

    const [first = '', second = ''] = journeys.google.begun.slice(-2).map(({ state }) => state);

    assert.match(first, new RegExp(`^${transaction}\\.[\\w-]{43}$`));
    assert.notEqual(first, second);
  });

  it('leaving for a provider lets forms of the selection page lead to providers that are not https', async () => {
    const { selection } = await journeys.depart();

    assert.match(
      String(selection.headers['content-security-policy']),
      /form-action [^;]*http:\/\/127\.0\.0\.1:4100/,
    );
  });

  it('leaving for a provider lets forms lead on to the hosts a provider redirects to at once, for installed apps as well', async () => {
    const installed = { ...ACME, clientId: 'installed', redirectUri: 'com.example.app:/callback' };
    await journeys.harness.clients.createClient(installed, 'unused-too', undefined);
    const browser = new Browser(journeys.harness);

    const selection = await browser.start({ client_id: 'installed' });

    assert.match(
      String(selection.headers['content-security-policy']),
      /form-action [^;]*com\.example\.app:[^;]* https:/,
    );
  });

  it('leaving for a provider is not offered for a provider the request leaves out', async () => {
    const { sent } = await journeys.depart('google', { providers: 'microsoft,apple' });

    assert.equal(sent.status, 404);
    assert.match(sent.body, /not offered here/);
  });

  it('leaving for a provider is not offered without an app, and the page says why', async () => {
    const bare = await openConnect();
    const browser = new Browser(bare);
    const selection = await browser.start();

    const sent = await browser.get(`/connect/google?transaction=${transactionOf(selection)}`);

    await bare.close();
    assert.match(selection.body, /<button type="button" disabled aria-describedby="google-about">/);
    assert.equal(sent.status, 404);
  });

  it('leaving for a provider uses the application’s own app where it has one', async () => {
    const provider = new FakeSignInProvider('google', Date.now);
    const bare = await openConnect({ providers: { google: provider } });
    const clientApp = { clientId: 'own-app', clientSecret: 'own-secret' };
    // The harness's own resolver works on the sealed store of this database.
    const store = providerAppStore(bare.db, bare.sealer);
    await store.setProviderApp({ clientId: 'acme', kind: 'google' }, clientApp, { now: 1, by: undefined });
    const browser = new Browser(bare);

    const sent = await browser.get(`/connect/google?transaction=${transactionOf(await browser.start())}`);

    await bare.close();
    assert.equal(sent.status, 303);
    assert.equal(provider.begun.at(-1)?.app.clientSecret, 'own-secret');
  });
});

describe('leaving too often', () => {
  it('leaving for a provider too often is refused with Retry-After, before anything is asked of the provider', async () => {
    const limits = { ...GENEROUS, authorizePerMinute: 2 };
    const { google } = journeys;
    const limited = await openConnect({
      providers: { google },
      apps: journeys.harness.deps.apps,
      attempts: connectAttempts(limits),
    });
    const browser = new Browser(limited);
    const address = `/connect/google?transaction=${transactionOf(await browser.start())}`;
    await browser.get(address);
    const begun = google.begun.length;

    const refused = await browser.get(address);

    await limited.close();
    assert.equal(refused.status, 429);
    assert.match(String(refused.headers['retry-after']), /^\d+$/);
    assert.equal(google.begun.length, begun);
  });
});

describe('coming back from a provider', () => {
  it('coming back from a provider links the account with what was granted, for this browser, and says so', async () => {
    const { browser, sent } = await journeys.depart('google', { scope: 'read' });

    const back = await browser.get(journeys.google.allow(sent.location));
    const page = await follow(browser, back);

    assert.equal(back.status, 303);
    assert.match(page.body, /role="status".*<bdi>ada@example\.com<\/bdi> is connected/s);
    assert.match(page.body, /Remove ada@example\.com/);
    const [account] = await journeys.accounts();
    assert.deepEqual(
      [account?.provider, account?.accountId, account?.grantedScopes, account?.calendarPermission],
      ['google', 'ada@example.com', ['email', 'read'], true],
    );
    const credentials = await journeys.harness.accounts.credentialsOf(account?.accountKey ?? '');
    assert.equal(credentials?.appClientId, 'instance-app');
    const job = await journeys.harness.db.get('SELECT 1 AS "one" FROM job WHERE key = :key', {
      key: account?.accountKey ?? '',
    });
    assert.ok(job, 'the first sync is due at once');
  });

  it('coming back from a provider keeps the account’s id when it is linked again, and its credentials until it is allowed', async () => {
    const { browser, account, grant } = await journeys.connect();
    const had = await journeys.harness.accounts.credentialsOf(account.accountKey);
    const selection = await browser.start({ user_id: journeys.userId() });
    const sent = await browser.get(`/connect/google?transaction=${transactionOf(selection)}`);

    const page = await follow(browser, await browser.get(journeys.google.allow(sent.location)));
    const before = await journeys.harness.accounts.credentialsOf(account.accountKey);
    await allow(browser, page);

    assert.deepEqual(before, had);
    assert.notDeepEqual(await journeys.harness.accounts.credentialsOf(account.accountKey), had);
    assert.deepEqual(
      (await readBy(journeys.harness, grant)).map(({ accountKey }) => accountKey),
      [account.accountKey],
    );
    assert.equal((await journeys.accounts()).length, 1);
  });

  it('coming back from a provider goes back with a word when the user said no there', async () => {
    const { browser, sent } = await journeys.depart();

    const page = await follow(browser, await browser.get(journeys.google.refuse(sent.location)));

    assert.equal(page.status, 200);
    assert.match(page.body, /You cancelled at <bdi>Google<\/bdi>/);
    assert.deepEqual(await journeys.accounts(), []);
  });

  it('coming back from a provider keeps an account without the calendar permission, says so and offers to ask again', async () => {
    const { browser, sent } = await journeys.depart();

    const page = await follow(
      browser,
      await browser.get(journeys.google.allow(sent.location, { withoutCalendars: true })),
    );

    const [account] = await journeys.accounts();
    assert.equal(account?.calendarPermission, false);
    assert.match(page.body, /role="alert".*did not allow access to your calendars/s);
    assert.match(page.body, /You have not allowed access to its calendars/);
    const again = await browser.get(signInAgainPath(page, 'Reconnect') ?? '');
    await browser.get(journeys.google.allow(again.location));
    assert.equal(journeys.google.begun.at(-1)?.loginHint, 'ada@example.com');
    const [mended] = await journeys.accounts();
    assert.deepEqual([mended?.accountKey, mended?.calendarPermission], [account?.accountKey, true]);
  });

  it('coming back from a provider gives a repeated return the first one’s answer, and redeems once', async () => {
    const { browser, sent } = await journeys.depart();
    const address = journeys.google.allow(sent.location);
    const redeemed = journeys.google.redeemed.length;

    const answers = [await browser.get(address), await browser.get(address)];

    assert.deepEqual(
      answers.map(({ status, location }) => [status, location]),
      Array.from({ length: 2 }, () => [303, answers[0]?.location]),
    );
    assert.equal(journeys.google.redeemed.length, redeemed + 1);
    assert.deepEqual(journeys.google.redeemed.at(-1)?.app.user, user());
  });

  it('coming back from a provider links nothing once the flow was answered in another tab meanwhile', async () => {
    const { browser, selection, sent } = await journeys.depart();
    journeys.google.beforeComplete = async () => {
      await browser.submit(selection, '/connect/cancel');
    };

    const page = await browser.get(journeys.google.allow(sent.location, { email: 'late@example.com' }));

    journeys.google.beforeComplete = async () => {};
    assert.equal(page.status, 400);
    assert.match(page.body, /Already finished/);
    assert.deepEqual(await journeys.accounts(), []);
  });

  it('coming back from a provider leaves what it was given for a flow that was answered meanwhile to be ended at the provider', async () => {
    const made = await journeys.depart();
    journeys.google.beforeComplete = async () => {
      await made.browser.submit(made.selection, '/connect/cancel');
    };

    await made.browser.get(journeys.google.allow(made.sent.location, { email: 'left@example.com' }));

    journeys.google.beforeComplete = async () => {};
    const [job] = await journeys.harness.db.all<{ key: string }>(
      `SELECT key FROM job JOIN ended_access ON ended_access.account_key = key
        WHERE kind = 'end-access' AND account_id = 'left@example.com'`,
    );
    const endedAccess = await endedAccessStore(journeys.harness.db, journeys.harness.sealer).findEndedAccess(
      job?.key ?? '',
    );
    assert.match(String(endedAccess?.credentials.refreshToken), /^refresh-/);
    assert.deepEqual([endedAccess?.clientId, endedAccess?.provider], ['acme', 'google']);
  });

  it('coming back from a provider lets a reload wait for the return that is being redeemed', async () => {
    const { browser, sent } = await journeys.depart();
    const address = journeys.google.allow(sent.location);
    const redeeming = holdCalls();
    journeys.google.beforeComplete = redeeming.pass;
    const first = browser.get(address);
    await redeeming.until(1);

    const second = browser.get(address);
    redeeming.open();
    const answers = await Promise.all([first, second]);

    journeys.google.beforeComplete = async () => {};
    assert.equal(answers[1]?.location, answers[0]?.location);
    assert.match(answers[1]?.location ?? '', /happened=google\.[\w-]+$/);
  });
});

describe('a return that is not the browser’s own', () => {
  const changesNothing = async (
    run: (made: Awaited<ReturnType<Journeys['depart']>>, address: string) => Promise<Answer>,
  ) => {
    const made = await journeys.depart();
    const address = journeys.google.allow(made.sent.location);
    const answer = await run(made, address);
    assert.deepEqual(await journeys.accounts(), []);
    return { answer, address, ...made };
  };

  it('a return from a provider is refused in a browser without the cookies, and leaves the sign-in to the one that has them', async () => {
    const { answer, browser, address } = await changesNothing((_, address) =>
      new Browser(journeys.harness).get(address),
    );

    assert.equal(answer.status, 400);
    assert.match(answer.body, /This page has expired/);
    assert.equal((await browser.get(address)).status, 303);
    assert.equal((await journeys.accounts()).length, 1);
  });

  it('a return from a provider is refused without the transaction’s secret, whatever other cookies are there', async () => {
    const { answer, browser, address } = await changesNothing(({ browser, transaction }, address) => {
      const other = new Browser(journeys.harness);
      other.cookies.set('oauth_req', browser.cookies.get('oauth_req') ?? '');
      other.cookies.set(`kalends_tx_${transaction}`, `t0.${'x'.repeat(43)}`);
      return other.get(address);
    });

    assert.equal(answer.status, 400);
    assert.match(answer.body, /This page has expired/);
    assert.equal((await browser.get(address)).status, 303);
  });

  it('a return from a provider needs no device cookie: the transaction has a secret of its own', async () => {
    const { browser, sent } = await journeys.depart();
    browser.cookies.set('kalends_device', 'x'.repeat(43));

    const answer = await browser.get(journeys.google.allow(sent.location));

    assert.equal(answer.status, 303);
    assert.notEqual(browser.cookies.get('kalends_device'), 'x'.repeat(43));
  });

  it('a return from a provider is taken beside another connection in progress in this browser', async () => {
    const { browser, sent } = await journeys.depart();
    await browser.start({ user_id: 'somebody-else' });

    const answer = await browser.get(journeys.google.allow(sent.location));

    assert.equal(answer.status, 303);
    assert.equal((await journeys.accounts()).length, 1);
  });

  it('a return from a provider is refused with another state of the same transaction', async () => {
    const { answer } = await changesNothing(({ browser, transaction }, address) =>
      browser.get(address.replace(/state=[^&]+/, `state=${transaction}.${'A'.repeat(43)}`)),
    );

    assert.equal(answer.status, 400);
    assert.match(answer.body, /has ended, or you have started another one/);
  });

  it('a return from a provider is refused at the other provider’s address', async () => {
    const { answer } = await changesNothing(({ browser }, address) =>
      browser.get(address.replace('/google/', '/microsoft/')),
    );

    assert.equal(answer.status, 400);
  });

  it('a return from a provider is refused when another issuer answered, and cannot be tried again', async () => {
    const made = await journeys.depart();
    const address = journeys.google.allow(made.sent.location, { issuer: 'https://evil.example' });

    const first = await made.browser.get(address);
    const again = await made.browser.get(address.replace(/iss=[^&]+/, 'iss=google'));

    assert.deepEqual([first.status, again.status], [400, 400]);
    assert.match(first.body, /could not be completed/);
    assert.deepEqual(await journeys.accounts(), []);
  });

  it('a return from a provider is refused once a later sign-in took its place', async () => {
    const { answer } = await changesNothing(async ({ browser, transaction }, address) => {
      await browser.get(`/connect/google?transaction=${transaction}`);
      return browser.get(address);
    });

    assert.equal(answer.status, 400);
    assert.match(answer.body, /has ended, or you have started another one/);
  });

  it('a return from a provider is refused after two hours, and when the flow was finished meanwhile', async () => {
    const finished = await changesNothing(async ({ browser, selection }, address) => {
      await browser.submit(selection, '/connect/cancel');
      return browser.get(address);
    });
    const expired = await changesNothing((_, address) => {
      journeys.harness.pass(7200_000);
      return _.browser.get(address);
    });

    assert.deepEqual([finished.answer.status, expired.answer.status], [400, 400]);
    assert.match(finished.answer.body, /Already finished/);
    assert.match(expired.answer.body, /This page has expired/);
  });

  for (const query of ['', '?state=', '?state=x', '?state=a&state=b', '?code=x', '?state=%00']) {
    it(`a return from a provider is an expired page, never a fault, with ${JSON.stringify(query)}`, async () => {
      const { browser } = await journeys.depart();

      const answer = await browser.get(`/connect/google/callback${query}`);

      assert.equal(answer.status, 400);
      assert.match(answer.body, /This page has expired/);
    });
  }

  it('a return from a provider tells an administrator who allowed the application what comes next, and one who did not that it failed', async () => {
    const browser = new Browser(journeys.harness);

    const allowed = await browser.get('/connect/microsoft/callback?admin_consent=True&tenant=t1');
    const declined = await browser.get('/connect/microsoft/callback?error=permission_denied');

    assert.deepEqual([allowed.status, declined.status], [200, 400]);
    assert.match(allowed.body, /Allowed for your organization.*can connect <bdi>Microsoft/s);
    assert.match(declined.body, /could not be completed/);
  });
});
