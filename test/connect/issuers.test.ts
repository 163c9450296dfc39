/** The issuers at /authorize: whose applications they accept, what a transaction keeps of its issuer. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { allow } from './approvals.ts';
import { ACME, type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { read } from './journeys.ts';
import { push } from './pushing.ts';

const BANK = {
  ...ACME,
  clientId: 'bank',
  profile: 'fapi2',
  redirectUri: 'https://bank.example/cb?a=b',
} as const;
const REQUEST = { client_id: 'bank', redirect_uri: BANK.redirectUri, response_type: 'code' };
const STRICT = 'http://127.0.0.1:8080/fapi2';
const JSON_ONLY = { headers: { accept: 'application/json' } };

type Query = Readonly<Record<string, string>>;
let harness: Harness;
before(async () => {
  harness = await openConnect();
  const { clients } = harness;
  const profile = 'default';
  await clients.createClient({ ...BANK, profile }, 'unused', undefined);
  await clients.createClient({ ...BANK, profile, clientId: 'bank-2' }, 'unused', undefined);
  for (const clientId of ['bank', 'bank-2']) harness.strict.add(clientId);
});
after(() => harness.close());

let users = 0;
const userId = () => `user-${users}`;
beforeEach(() => {
  users += 1;
});
const pushed = (parameters: Query = {}) =>
  push(harness, { ...REQUEST, user_id: userId(), ...parameters }, BANK);
const pathOf = (requestUri: string, beside: Query = {}, prefix = '/fapi2') =>
  `${prefix}/authorize?${new URLSearchParams({ client_id: 'bank', request_uri: requestUri, ...beside })}`;
const open = async (browser: Browser, path: string) => browser.get((await browser.get(path)).location);
const cancel = (browser: Browser, page: Answer) => browser.submit(page, '/connect/cancel');

/** Ends a flow of `bank` with an approval, and returns the parameters that its redirect URI receives. */
async function approved(parameters: Query = {}, beside: Query = {}): Promise<Query> {
  const browser = new Browser(harness);
  const page = await open(browser, pathOf(await pushed(parameters), beside));
  const end = await allow(browser, await browser.link(page));
  assert.ok(end.location.startsWith(`${BANK.redirectUri}&`), end.location);
  return Object.fromEntries(new URL(end.location).searchParams);
}

/** Returns the status and body of a refused request, and of nothing that redirects. */
async function refusal(
  path: string,
): Promise<{ readonly status: number; readonly error: string; readonly message: string }> {
  const { status, body, location } = await new Browser(harness).get(path, JSON_ONLY);
  assert.equal(location, '');
  return { status, ...JSON.parse(body) };
}

describe('the strict issuer at /authorize', () => {
  it('par-without-duplicate-parameters: client_id and request_uri are enough, and the answer has iss', async () => {
    assert.deepEqual(await approved({ state: 'x' }), { a: 'b', code: userId(), iss: STRICT, state: 'x' });
  });

  it('ensure-authorization-request-without-state-success: without state none is returned', async () => {
    assert.deepEqual(await approved(), { a: 'b', code: userId(), iss: STRICT });
  });

  it('ensure-authorization-request-with-long-state: 1,000 characters are returned unchanged', async () => {
    const state = 's'.repeat(1000);
    assert.equal((await approved({ state })).state, state);
  });

  it('ensure-different-state-inside-and-outside-request-object: the pushed state counts', async () => {
    assert.equal((await approved({ state: 'inside' }, { state: 'outside' })).state, 'inside');
  });

  it('state-only-outside-request-object-not-used: a state in the address is ignored', async () => {
    assert.equal((await approved({}, { state: 'outside' })).state, undefined);
  });

  it('user-rejects-authentication: the denial has state and iss, behind the query of the redirect URI', async () => {
    const browser = new Browser(harness);
    const state = 's'.repeat(128);
    const page = await open(browser, pathOf(await pushed({ state })));
    const { location } = await cancel(browser, page);

    assert.ok(location.startsWith(`${BANK.redirectUri}&error=access_denied&`));
    const { searchParams } = new URL(location);
    assert.deepEqual([searchParams.get('iss'), searchParams.get('state')], [STRICT, state]);
  });

  it('the message of a popup has iss, also when access was denied', async () => {
    const browser = new Browser(harness);
    const page = await open(browser, pathOf(await pushed({ display: 'popup' })));
    const end = await cancel(browser, page);
    const message = JSON.parse(read({ ...end, body: /data-message="([^"]*)"/.exec(end.body)?.[1] ?? '' }));
    assert.deepEqual([message.error, message.iss], ['access_denied', STRICT]);
  });

  it('ensure-unsigned-authorization-request-without-using-par-fails: parameters in the URL are refused', async () => {
    const query = new URLSearchParams({ client_id: 'bank', user_id: 'ada', redirect_uri: BANK.redirectUri });
    const { status, error } = await refusal(`/fapi2/authorize?${query}`);
    assert.deepEqual([status, error], [400, 'invalid_request']);
  });

  it('par-attempt-to-use-expired-request_uri: it works for 60 seconds', async () => {
    const path = pathOf(await pushed());
    harness.pass(60_001);
    assert.equal((await refusal(path)).error, 'invalid_request_uri');
  });

  it('par-attempt-to-use-request_uri-for-different-client: another client_id is refused', async () => {
    const path = pathOf(await pushed(), { client_id: 'bank-2' });
    assert.equal((await refusal(path)).error, 'invalid_request_uri');
  });

  it('par-ensure-reused-request-uri-prior-to-auth-completion-succeeds: the same browser opens it again', async () => {
    const [browser, path] = [new Browser(harness), pathOf(await pushed())];
    await browser.get(path);
    const end = await allow(browser, await browser.link(await open(browser, path)));
    assert.match(end.location, /[?&]code=user-\d+&/);
  });

  it('par-attempt-reuse-request_uri: after completion it is refused', async () => {
    const [browser, path] = [new Browser(harness), pathOf(await pushed())];
    await cancel(browser, await open(browser, path));
    assert.equal((await open(browser, path)).status, 400);
    assert.equal((await refusal(path)).error, 'invalid_request_uri');
  });
});

describe('two issuers at /authorize', () => {
  it('an application at the wrong issuer gets an error page that never redirects and names the right one', async () => {
    const requestUri = await pushed();
    for (const prefix of ['', '/api/oauth']) {
      const { status, error, message } = await refusal(pathOf(requestUri, {}, prefix));
      assert.deepEqual([status, error], [400, 'unauthorized_client']);
      assert.equal(message, `This application belongs to the issuer ${STRICT}, not to http://127.0.0.1:8080`);
    }
    const { error, message } = await refusal('/fapi2/authorize?client_id=acme&user_id=ada');
    assert.equal(error, 'unauthorized_client');
    assert.equal(message, `This application belongs to the issuer http://127.0.0.1:8080, not to ${STRICT}`);
    const page = await new Browser(harness).get('/fapi2/authorize?client_id=acme&user_id=ada');
    assert.match(page.body, /in a way that its settings do not allow/);
    assert.equal((await open(new Browser(harness), pathOf(requestUri))).status, 200, 'it was not used up');
  });

  it('a request_uri of one issuer is unknown at the other, if the application changed to it meanwhile', async () => {
    const requestUri = await push(harness, { user_id: 'ada' });
    harness.strict.add('acme');
    const path = pathOf(requestUri, { client_id: 'acme' });
    assert.equal((await refusal(path)).error, 'invalid_request_uri');
    harness.strict.delete('acme');
    const back = await pushed();
    harness.strict.delete('bank');
    assert.equal((await refusal(pathOf(back, {}, ''))).error, 'invalid_request_uri');
    harness.strict.add('bank');
  });

  it('a flow that began at the other issuer gives no code, and can be cancelled', async () => {
    const browser = new Browser(harness);
    const page = await browser.link(await browser.start({ user_id: 'mallory' }));
    harness.strict.add('acme');
    const end = await browser.submit(page, '/connect/approve', {}, JSON_ONLY);

    assert.equal(JSON.parse(end.body).error, 'unauthorized_client');
    assert.deepEqual(await harness.codes.findCodes('acme', 'mallory'), []);
    const { location } = await cancel(browser, page);
    assert.match(location, /error=access_denied/);
    harness.strict.delete('acme');
  });

  it('the Connect pages of both issuers have the same paths', async () => {
    const { location } = await new Browser(harness).get(pathOf(await pushed()));
    assert.match(location, /^\/authorize\?client_id=bank&request_uri=/);
    assert.ok(transactionOf(await open(new Browser(harness), pathOf(await pushed()))) !== '');
  });
});
