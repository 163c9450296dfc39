/** GET /authorize, where a flow starts: docs/wire.md O2.7, O4.1, 1.1. Over HTTP on SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { ACME, type Answer, Browser, type Harness, openConnect } from './connect-harness.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());

const start = (query: string, headers: Record<string, string> = {}): Promise<Answer> =>
  new Browser(harness).get(`/authorize?${query}`, { headers });
const ok = 'client_id=acme&user_id=ada';
const storedRequest = async (answer: Answer) => {
  const transaction = new URL(answer.location, 'http://kalends.test').searchParams.get('transaction');
  return harness.deps.requests.findRequest(transaction ?? '');
};

describe('GET /authorize', () => {
  it('GET /authorize redirects to itself with every parameter as it came, the stored redirect URI and a transaction', async () => {
    const sent =
      'client_id=acme&user_id=a%20b&x=1&x=2&state=%7e+%zz%FF&empty=&redirect_uri=https%3A%2F%2Fevil.example';

    const { status, location, headers } = await start(sent);

    assert.equal(status, 302);
    const query = sent.slice(0, sent.indexOf('&redirect_uri'));
    const [before, transaction = ''] = location.split('&transaction=');
    assert.equal(before, `/authorize?${query}&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback`);
    assert.match(transaction, /^[\w-]{22}$/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  });

  it('GET /authorize sets oauth_req to URL-encoded JSON of client_id, user_id and transaction, and nothing else', async () => {
    const answer = await start('client_id=acme&user_id=%C3%A9%22%3B');

    const [set = ''] = [answer.headers['set-cookie']].flat().map(String);
    const [pair = '', ...attributes] = set.split('; ');
    const cookie = JSON.parse(decodeURIComponent(pair.replace('oauth_req=', '')));
    const transaction = answer.location.split('transaction=')[1];
    assert.deepEqual(cookie, { client_id: 'acme', user_id: 'é";', transaction });
    assert.deepEqual(attributes.sort(), ['HttpOnly', 'Max-Age=7200', 'Path=/', 'SameSite=Lax']);
  });

  it('GET /authorize marks cookies Secure when the public origin is https', async () => {
    const secure = await openConnect({ publicUrl: 'https://cal.example.com' });

    const answer = await new Browser(secure).get(`/authorize?${ok}`);

    await secure.close();
    assert.match(String(answer.headers['set-cookie']), /; Secure/);
  });

  it('GET /authorize fits a user id of 512 bytes into a cookie that browsers keep, whatever it is made of', async () => {
    for (const userId of ['"'.repeat(512), '\\'.repeat(512), 'é'.repeat(256), '😀'.repeat(128)]) {
      const answer = await start(`client_id=acme&user_id=${encodeURIComponent(userId)}`);

      assert.equal(answer.status, 302);
      const [pair = ''] = String(answer.headers['set-cookie']).split('; ');
      assert.ok(pair.length <= 4096, String(pair.length));
    }
  });

  it('GET /authorize drops a transaction parameter at the mount under /api/oauth and starts', async () => {
    const answer = await new Browser(harness).get(`/api/oauth/authorize?transaction=forged&${ok}`);

    assert.equal(answer.status, 302);
    const transactions = new URL(answer.location, 'http://x').searchParams.getAll('transaction');
    assert.equal(transactions.length, 1);
    assert.notEqual(transactions[0], 'forged');
  });

  it('GET /authorize starts a flow if the application has its own parameter transaction, and replaces it', async () => {
    const { status, location } = await start(`transaction=order-17&${ok}&x=1&transaction=${'A'.repeat(22)}`);

    assert.equal(status, 302);
    const [before, transaction = ''] = location.split('&transaction=');
    assert.equal(before, `/authorize?${ok}&x=1&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback`);
    assert.match(transaction, /^[\w-]{22}$/);
    assert.notEqual(transaction, 'A'.repeat(22));
  });

  it('GET /authorize checks the application, not the session, if transaction does not have the form of Kalends', async () => {
    assert.equal((await start('transaction=order-17&client_id=nobody&user_id=ada')).status, 401);
    assert.equal((await start(`transaction=${'A'.repeat(22)}&client_id=nobody&user_id=ada`)).status, 400);
  });

  it('GET /authorize checks the application before anything else: 401, as page or as JSON', async () => {
    for (const query of [
      '',
      'client_id=',
      'client_id=nobody',
      'client_id=%00',
      `client_id=${'x'.repeat(999)}`,
    ]) {
      const page = await start(`${query}&scope=nonsense`);
      const json = await start(`${query}&user_id=`, { accept: 'application/json' });

      assert.equal(page.status, 401, query);
      assert.match(String(page.headers['content-type']), /^text\/html/);
      assert.equal(json.status, 401);
      const { error, error_description: description, message } = JSON.parse(json.body);
      assert.deepEqual([error, message], ['invalid_client', description]);
    }
  });

  const refusals: [query: string, error: string, named: string][] = [
    ['client_id=acme', 'invalid_request', 'user_id'],
    ['client_id=acme&user_id=', 'invalid_request', 'user_id'],
    [`client_id=acme&user_id=${'x'.repeat(513)}`, 'invalid_request', 'user_id'],
    [`client_id=acme&user_id=${'%C3%A9'.repeat(257)}`, 'invalid_request', 'user_id'],
    ['client_id=acme&user_id=a%00b', 'invalid_request', 'user_id'],
    ['client_id=acme&user_id=a%0Ab', 'invalid_request', 'user_id'],
    ['client_id=acme&user_id=%FF', 'invalid_request', 'user_id'],
    ['client_id=acme&user_id=playground:ada', 'invalid_request', 'user_id'],
    ['client_id=acme&user_id=playground%3Aada', 'invalid_request', 'user_id'],
    [`${ok}&scope=admin`, 'invalid_scope', 'scope'],
    [`${ok}&scope=read,admin`, 'invalid_scope', 'scope'],
    [`${ok}&scope=constructor`, 'invalid_scope', 'scope'],
    [`${ok}&state=${'x'.repeat(2049)}`, 'invalid_request', 'state'],
    [`${ok}&response_type=token`, 'unsupported_response_type', 'response_type'],
    [`${ok}&code_challenge=${'c'.repeat(43)}`, 'invalid_request', 'code_challenge_method'],
    [
      `${ok}&code_challenge=${'c'.repeat(43)}&code_challenge_method=plain`,
      'invalid_request',
      'code_challenge_method',
    ],
    [
      `${ok}&code_challenge=${'c'.repeat(42)}&code_challenge_method=S256`,
      'invalid_request',
      'code_challenge',
    ],
    [`${ok}&code_challenge_method=S256`, 'invalid_request', 'code_challenge'],
  ];
  for (const [query, error, named] of refusals) {
    it(`GET /authorize refuses ${query.slice(0, 70)} with 400 ${error} and no redirect`, async () => {
      const json = await start(query, { accept: 'application/json' });
      const page = await start(query);

      assert.deepEqual([json.status, page.status], [400, 400]);
      assert.equal(JSON.parse(json.body).error, error);
      assert.match(JSON.parse(json.body).message, new RegExp(`^${named}`));
      assert.ok(page.body.includes(`>${named}</code>`));
      assert.equal(json.location + page.location, '');
      assert.equal(page.headers['set-cookie'], undefined);
    });
  }

  it('GET /authorize takes 2,048 bytes of state however they are spelled', async () => {
    const answer = await start(`${ok}&state=${'%FF'.repeat(2048)}`);

    assert.equal(answer.status, 302);
    assert.equal((await storedRequest(answer))?.state, '%FF'.repeat(2048));
  });

  it('GET /authorize keeps scope, challenge, language, theme and providers for the whole flow', async () => {
    const challenge = 'c'.repeat(43);
    const query = `${ok}&scope=calendar.read&code_challenge=${challenge}&code_challenge_method=S256&lng=AR_eg&theme=Dark`;

    const request = await storedRequest(await start(`${query}&providers=CalDAV,zoom&providers=+apple`));

    const { scope, codeChallenge, language, theme, providers } = request ?? {};
    assert.deepEqual([scope, codeChallenge, language, theme], ['read', challenge, 'ar', 'dark']);
    assert.deepEqual(providers, ['apple', 'caldav']);
  });

  it('GET /authorize offers all providers when none of those named is one', async () => {
    for (const query of ['providers=', 'providers=zoom,__proto__', '']) {
      const request = await storedRequest(await start(`${ok}&${query}`));

      assert.equal(request?.providers.length, 4);
    }
  });

  it('GET /authorize answers 400 and logs the cause when the user cannot be created', async () => {
    const failing = await openConnect({
      users: { isUser: async () => false, loadOrCreateUser: () => Promise.reject(new Error('disk full')) },
    });

    const answer = await new Browser(failing).get(`/authorize?${ok}`);

    await failing.close();
    assert.equal(answer.status, 400);
    assert.ok(failing.logged.some(({ level }) => level === 'error'));
    assert.doesNotMatch(answer.body, /disk full/);
  });

  it('GET /authorize answers 429 with Retry-After once an address called too often for an application, over both mounts together', async () => {
    const attempts = connectAttempts({ ...GENEROUS, authorizePerMinute: 2 });
    const limited = await openConnect({ attempts });
    await limited.clients.createClient({ ...ACME, clientId: 'other' }, 'unused', undefined);
    const browser = new Browser(limited);
    await browser.get(`/authorize?${ok}`);
    const started = await browser.get(`/api/oauth/authorize?${ok}`);

    const page = await browser.get(`/authorize?${ok}&lng=fr`);
    const begun = await browser.get(String(started.headers.location));
    const json = await browser.get(`/api/oauth/authorize?${ok}`, { headers: { accept: '*/*' } });
    const other = await browser.get('/authorize?client_id=other&user_id=ada');

    await limited.close();
    assert.deepEqual([page.status, json.status], [429, 429]);
    assert.equal(begun.status, 200, 'a flow that began can go on');
    assert.equal(other.status, 302, 'another application is not refused for it');
    assert.match(String(page.headers['retry-after']), /^\d+$/);
    assert.match(page.body, /Trop de demandes/);
    assert.equal(JSON.parse(json.body).error, 'temporarily_unavailable');
  });
});
