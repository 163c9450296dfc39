/** The parameter `iss` of authorization responses (RFC 9207), by the switch of the application. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { allow } from './approvals.ts';
import { ACME, type Answer, Browser, type Harness, openConnect, unescaped } from './connect-harness.ts';

const ISSUER = 'http://127.0.0.1:8080';
const REDIRECT_URI = 'https://app.example.com/callback?tenant=7';
const STRICT = { ...ACME, clientId: 'strict', redirectUri: REDIRECT_URI, issuerInCallback: 'on' } as const;

let harness: Harness;
before(async () => {
  harness = await openConnect();
  await harness.clients.createClient(STRICT, 'unused', undefined);
});
after(() => harness.close());

async function open(query: Readonly<Record<string, string>>) {
  const browser = new Browser(harness);
  const page = await browser.start({ client_id: 'strict', state: 's '.repeat(64), ...query });
  return { browser, page };
}

const parametersOf = ({ location }: Answer) => Object.fromEntries(new URL(location).searchParams);

/** Returns the message that the last page of a popup sends. */
function messageOf({ body }: Answer) {
  const [, text = ''] = / data-message="([^"]*)"/.exec(body) ?? [];
  return JSON.parse(unescaped(text).replaceAll('&quot;', '"'));
}

describe('iss in the callback', () => {
  it('the redirect of an approval has code, iss and state behind the registered query', async () => {
    const { browser, page } = await open({ user_id: 'bob' });

    const end = await allow(browser, await browser.link(page));

    const expected = { tenant: '7', code: 'bob', iss: ISSUER, state: 's '.repeat(64) };
    assert.deepEqual(parametersOf(end), expected);
    assert.deepEqual(Object.keys(parametersOf(end)), Object.keys(expected));
  });

  it('the redirect of a denial has iss', async () => {
    const { browser, page } = await open({ user_id: 'eve' });

    const end = await browser.submit(page, '/connect/cancel');

    const { error, iss, tenant } = parametersOf(end);
    assert.deepEqual({ error, iss, tenant }, { error: 'access_denied', iss: ISSUER, tenant: '7' });
  });

  it('the message of a popup has iss, for an approval and for a denial', async () => {
    const allowed = await open({ user_id: 'joe', display: 'popup' });
    const denied = await open({ user_id: 'kim', display: 'popup' });

    const approval = messageOf(await allow(allowed.browser, await allowed.browser.link(allowed.page)));
    const denial = messageOf(await denied.browser.submit(denied.page, '/connect/cancel'));

    assert.deepEqual([approval.code, approval.iss], ['joe', ISSUER]);
    assert.deepEqual([denial.error, denial.iss], ['access_denied', ISSUER]);
    for (const { redirect_uri: uri, iss } of [approval, denial])
      assert.equal(new URL(uri).searchParams.get('iss'), iss);
  });

  it('an application without the switch gets no iss', async () => {
    const browser = new Browser(harness);
    const end = await browser.submit(await browser.start({ user_id: 'max' }), '/connect/cancel');

    assert.equal(new URL(end.location).searchParams.has('iss'), false);
  });
});
