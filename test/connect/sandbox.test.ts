/** The Connect pages with the real Google and Microsoft adapters, against the sandbox's providers. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { sandboxClock } from '../../sandbox/core/clock.ts';
import { type Faults, faultBoard } from '../../sandbox/core/faults.ts';
import { type GoogleSandbox, googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { endAccess } from '../../src/access/end-access.ts';
import { parseOAuthCredentials } from '../../src/access/oauth-credentials.ts';
import { providerApps } from '../../src/access/provider-apps.ts';
import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { microsoftProvider } from '../../src/providers/microsoft/microsoft-provider.ts';
import { endedAccessStore } from '../../src/store/accounts/ended-access-store.ts';
import { holdCalls } from '../harness/hold-calls.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { allow, everyAccount } from './approvals.ts';
import { Browser, type Harness, openConnect, transactionOf, unescaped } from './connect-harness.ts';
import { read, signInAgainPath } from './journeys.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
const APPS = {
  google: { clientId: 'g.apps.example', clientSecret: 'GOCSPX-secret' },
  microsoft: { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'm~secret' },
};

let faults: Faults;
let sandboxes: { google: GoogleSandbox; microsoft: MicrosoftSandbox };
let egress: Egress;
/** Awaited before the response to a token request is passed on. */
let beforeTokens = async () => {};
let harness: Harness;
before(async () => {
  const clock = sandboxClock();
  faults = faultBoard();
  const registered = (kind: 'google' | 'microsoft') => [
    { ...APPS[kind], redirectUris: [`${ORIGIN}/connect/${kind}/callback`] },
  ];
  sandboxes = {
    google: await googleSandbox({ clock, faults, apps: registered('google') }),
    microsoft: await microsoftSandbox({ clock, faults, apps: registered('microsoft') }),
  };
  for (const { manual } of Object.values(sandboxes)) await manual.addPerson(ADA);
  egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const { log } = recordingLog();
  const holding: Egress = {
    ...egress,
    async request(request) {
      const answer = await egress.request(request);
      if (request.method === 'POST' && /token$/.test(String(request.url))) await beforeTokens();
      return answer;
    },
  };
  const upstream = { egress: holding, log, now: Date.now };
  const at = ({ issuer, apiUrl }: GoogleSandbox | MicrosoftSandbox) => ({ ...upstream, issuer, apiUrl });
  harness = await openConnect({
    publicUrl: ORIGIN,
    providers: {
      google: googleProvider(at(sandboxes.google)),
      microsoft: microsoftProvider(at(sandboxes.microsoft)),
    },
    apps: providerApps({ findProviderApp: async () => undefined }, APPS),
  });
});
after(async () => {
  await harness.close();
  await egress.close();
  for (const sandbox of Object.values(sandboxes)) await sandbox.close();
});
let user = 0;
beforeEach(() => {
  user += 1;
  faults.clear();
});

const query = (scope: string) => ({ user_id: `user-${user}`, scope });
const accounts = () => everyAccount(harness, `user-${user}`);

async function depart(kind: 'google' | 'microsoft', scope = 'read') {
  const browser = new Browser(harness);
  const selection = await browser.start(query(scope));
  const sent = await browser.get(`/connect/${kind}?transaction=${transactionOf(selection)}`);
  return { browser, selection, sent };
}

type Deed = { readonly untick?: RegExp; readonly press?: RegExp; readonly account?: string };

/** Goes through the provider's pages as a person would and returns the path that the browser is redirected to. */
async function walk(
  start: string,
  { untick, press = /continue|accept|allow/i, account = ADA.email }: Deed = {},
): Promise<string> {
  let address = new URL(start);
  let answer = await fetch(address, { redirect: 'manual' });
  for (let page = 0; page < 5 && !(answer.headers.get('location') ?? '').startsWith(ORIGIN); page += 1) {
    const onward = answer.headers.get('location');
    if (onward !== null) {
      address = new URL(onward, address);
      answer = await fetch(address, { redirect: 'manual' });
      continue;
    }
    const { action, fields } = filledForm(await answer.text(), { untick, press, account });
    address = new URL(action, address);
    answer = await fetch(address, { method: 'POST', body: fields, redirect: 'manual' });
  }
  const back = new URL(answer.headers.get('location') ?? '');
  return back.pathname + back.search;
}

type Choices = { readonly untick: RegExp | undefined; readonly press: RegExp; readonly account: string };

function filledForm(text: string, { untick, press, account }: Choices) {
  const attribute = (tag: string, name: string) =>
    unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
  const fields = new URLSearchParams();
  for (const [input] of text.matchAll(/<input[^>]*>/g)) {
    const isUnticked = input.includes('type="checkbox"') && untick?.test(attribute(input, 'value'));
    if (!isUnticked) fields.append(attribute(input, 'name'), attribute(input, 'value'));
  }
  const buttons = [...text.matchAll(/(<button[^>]*>)([^<]*)<\/button>/g)];
  const [, button = ''] =
    buttons.find(([, , label = '']) => label === account) ??
    buttons.find(([, , label = '']) => press.test(label)) ??
    [];
  assert.notEqual(button, '', `No button like ${press} on ${text}`);
  fields.append(attribute(button, 'name'), attribute(button, 'value'));
  return { action: attribute(/<form[^>]*>/.exec(text)?.[0] ?? '', 'action'), fields };
}

for (const kind of ['google', 'microsoft'] as const) {
  describe(`connecting ${kind}`, () => {
    it('connecting an account links it, with what renewing its access needs', async () => {
      const { browser, sent } = await depart(kind);

      const back = await browser.get(await walk(sent.location));

      const [account] = await accounts();
      assert.match(back.location, new RegExp(`happened=${kind}\\.[\\w-]+$`));
      assert.deepEqual([account?.accountId, account?.calendarPermission], [ADA.email, true]);
      const credentials = await harness.accounts.credentialsOf(account?.accountKey ?? '');
      assert.equal(credentials?.appClientId, APPS[kind].clientId);
      assert.match(String(credentials?.refreshToken), /.{20}/);
    });

    it('connecting an account goes back with a word when the user said no', async () => {
      const { browser, sent } = await depart(kind, 'read-write');

      const back = await browser.get(await walk(sent.location, { press: /cancel|deny|no/i }));

      assert.match(back.location, new RegExp(`happened=${kind}_cancelled$`));
      assert.deepEqual(await accounts(), []);
    });

    it('connecting an account asks for more once a request needs more, and keeps the account’s id', async () => {
      const { browser, sent } = await depart(kind, 'free-busy');
      const linked = await browser.get(await walk(sent.location));
      await allow(browser, await browser.get(linked.location));
      const [before] = await accounts();
      harness.pass(1);

      const page = await browser.start(query('read-write'));
      const again = await browser.get(signInAgainPath(page, 'Allow more access') ?? '');
      const widened = await browser.get(await walk(again.location));
      await allow(browser, await browser.get(widened.location));
      const after = await browser.start(query('read-write'));

      assert.match(page.body, /asks for more than you have allowed/);
      assert.equal(signInAgainPath(after, 'Allow more access'), undefined);
      assert.deepEqual(
        (await accounts()).map(({ accountKey }) => accountKey),
        [before?.accountKey],
      );
    });

    it('connecting an account refuses an answer that names another issuer', async () => {
      const { browser, sent } = await depart(kind);
      const address = new URL(await walk(sent.location), ORIGIN);
      address.searchParams.set('iss', 'https://evil.example');

      const page = await browser.get(address.pathname + address.search);

      assert.equal(page.status, 400);
      assert.deepEqual(await accounts(), []);
    });

    it('connecting an account says it is the operator’s matter when the secret is wrong', async () => {
      const redirectUris = [`${ORIGIN}/connect/${kind}/callback`];
      sandboxes[kind].registerApp({ ...APPS[kind], clientSecret: 'another', redirectUris });
      const { browser, sent } = await depart(kind);

      const page = await browser.get(await walk(sent.location));

      sandboxes[kind].registerApp({ ...APPS[kind], redirectUris });
      assert.equal(page.status, 502);
      assert.match(page.body, /This is not your fault/);
    });

    it('connecting an account says so when the provider does not answer, and works when it does', async () => {
      const { browser, sent } = await depart(kind);
      faults.set({ provider: kind, operation: 'token', times: 3, effect: { kind: 'status', status: 503 } });

      const page = await browser.get(await walk(sent.location));

      assert.equal(page.status, 503);
      assert.match(read(page), /cannot be reached at the moment/);
      faults.clear();
      const onward = /class="button primary" href="([^"]+)"/.exec(read(page))?.[1] ?? '';
      const again = await browser.get(onward);
      await browser.get(await walk(again.location));
      assert.equal((await accounts()).length, 1);
    });
  });
}

describe('at Google', () => {
  it('an account whose calendars were unticked is kept, reported, and repaired by Reconnect', async () => {
    // A person who has granted nothing yet sees every box.
    await sandboxes.google.manual.revokeAccess(ADA.email);
    const { browser, sent } = await depart('google');
    const back = await browser.get(await walk(sent.location, { untick: /auth\/calendar/ }));
    const page = await browser.get(back.location);
    const [before] = await accounts();

    const again = await browser.get(signInAgainPath(page, 'Reconnect') ?? '');
    await browser.get(await walk(again.location));

    const [after] = await accounts();
    assert.match(page.body, /did not allow access to your calendars/);
    assert.deepEqual([before?.calendarPermission, after?.calendarPermission], [false, true]);
    assert.equal(after?.accountKey, before?.accountKey);
  });
});

describe('at Google, a user who declines more than they allowed before', () => {
  it('a Google user who declines more keeps an account that works as it did, and is asked again where more is needed', async () => {
    await sandboxes.google.manual.revokeAccess(ADA.email);
    const { browser, sent } = await depart('google', 'read');
    const linked = await browser.get(await walk(sent.location));
    await allow(browser, await browser.get(linked.location));
    harness.pass(1);

    const page = await browser.start(query('read-write'));
    const again = await browser.get(signInAgainPath(page, 'Allow more access') ?? '');
    const back = await browser.get(await walk(again.location, { untick: /auth\/calendar/ }));
    const after = await browser.get(back.location);
    await allow(browser, after);

    const [account] = await accounts();
    assert.deepEqual([account?.calendarPermission, account?.health.state], [true, 'active']);
    assert.match(after.body, /asks for more than you have allowed/);
    assert.doesNotMatch(after.body, /did not allow access to your calendars/);
  });
});

describe('at Google, after the flow was answered in another tab', () => {
  it('what was given at Google too late is ended there by the job that follows', async () => {
    const late = { email: 'late@example.com', name: 'Late' };
    await sandboxes.google.manual.addPerson(late);
    const { browser, selection, sent } = await depart('google');
    const address = await walk(sent.location, { account: late.email });
    const tokens = holdCalls();
    beforeTokens = tokens.pass;
    const returning = browser.get(address);
    await tokens.until(1);
    await browser.submit(selection, '/connect/cancel');
    tokens.open();

    const page = await returning;

    const endedAccess = endedAccessStore(harness.db, harness.sealer);
    const [job] = await harness.db.all<{ key: string }>("SELECT key FROM job WHERE kind = 'end-access'");
    const ended = await endedAccess.findEndedAccess(job?.key ?? '');
    const credentials = parseOAuthCredentials(ended?.credentials ?? {});
    const { providers, apps } = harness.deps;
    const google = providers.google?.signIn;
    assert.ok(google?.method === 'redirect');
    assert.ok(await google.renew(credentials, APPS.google), 'it lives until then');
    const { log } = recordingLog();
    assert.equal(
      await endAccess(job?.key ?? '', { endedAccess, providers, apps, log, now: Date.now }),
      undefined,
    );
    assert.match(page.body, /Already finished/);
    await assert.rejects(google.renew(credentials, APPS.google), /sign in again/);
  });
});

describe('at Microsoft', () => {
  it('a user whose administrator has to consent learns whom to ask, and connects after the consent', async () => {
    await sandboxes.microsoft.manual.addPerson({ email: 'eve@corp.example', name: 'Eve' });
    await sandboxes.microsoft.manual.demandAdminConsent(ADA.email);
    const { browser, sent } = await depart('microsoft');

    const page = await browser.get(await walk(sent.location, { press: /Return to the application/ }));

    assert.equal(page.status, 403);
    assert.match(page.body, /Your administrator must allow this first/);
    const link = new URL(/href="([^"]*adminconsent[^"]*)"/.exec(read(page))?.[1] ?? '');
    assert.equal(link.pathname, '/organizations/v2.0/adminconsent');
    assert.deepEqual(Object.fromEntries(link.searchParams), {
      client_id: APPS.microsoft.clientId,
      redirect_uri: `${ORIGIN}/connect/microsoft/callback`,
      scope: 'openid profile email offline_access Calendars.Read',
    });
    const administrator = new Browser(harness);
    const thanks = await administrator.get(await walk(link.href));
    assert.match(thanks.body, /Allowed for your organization/);
    const again = await depart('microsoft');
    await again.browser.get(await walk(again.sent.location));
    assert.equal((await accounts()).length, 1);
  });

  it('an administrator who does not agree sees that the consent was not completed', async () => {
    await sandboxes.microsoft.manual.demandAdminConsent(ADA.email);
    const { sent, browser } = await depart('microsoft');
    const page = await browser.get(await walk(sent.location, { press: /Return to the application/ }));
    const link = /href="([^"]*adminconsent[^"]*)"/.exec(read(page))?.[1] ?? '';

    const declined = await new Browser(harness).get(await walk(link, { press: /cancel/i }));

    assert.equal(declined.status, 400);
    assert.match(declined.body, /could not be completed/);
  });
});
