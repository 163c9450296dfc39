/** POST /par (RFC 9126): what is pushed, what is answered, what is kept. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { receivedQuery, scalar, scalarSpelling } from '../../src/http/received-query.ts';
import { hashOfRequestUri, readPushedFacts } from '../../src/oauth/pushed-requests.ts';
import { type OAuthServer, openOAuthServer, SECRET } from './oauth-server.ts';

const FORM = 'application/x-www-form-urlencoded';
const BODY_CREDENTIALS = { client_id: 'acme', client_secret: SECRET };
const BASIC = { authorization: `Basic ${Buffer.from(`acme:${SECRET}`).toString('base64')}` };

describe('POST /par', () => {
  let server: OAuthServer;
  before(async () => {
    server = await openOAuthServer();
  });
  after(() => server.close());

  /** Pushes a form as it is written, with the credentials in the header unless others are given. */
  const push = (payload: string | Buffer, headers: Record<string, string> = BASIC) =>
    server.app.inject({
      method: 'POST',
      url: '/par',
      headers: { 'content-type': FORM, ...headers },
      payload,
    });
  const pushJson = (payload: object | string) =>
    server.app.inject({
      method: 'POST',
      url: '/par',
      headers: { ...BASIC, 'content-type': 'application/json' },
      payload,
    });
  /** Spends the returned reference, and returns the request stored under it. */
  const spend = async (answer: Awaited<ReturnType<typeof push>>, clientId = 'acme') => {
    assert.equal(answer.statusCode, 201, answer.body);
    const { request_uri: uri } = answer.json<{ request_uri: string }>();
    const by = {
      clientId,
      issuer: 'default',
      transactionId: 't1',
      createdSince: server.clock.now - 60_000,
    } as const;
    const spent = await server.stores.pushedRequests.spend(hashOfRequestUri(uri), by);
    return spent && 'request' in spent ? spent.request : undefined;
  };

  it('POST /par answers a reference of 256 random bits for a minute, and no cache keeps it', async () => {
    const [first, second] = [await push('user_id=ada'), await push('user_id=ada')];

    assert.equal(first.statusCode, 201);
    assert.equal(first.headers['cache-control'], 'no-store');
    const { request_uri: uri, expires_in } = first.json();
    assert.match(uri, /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
    assert.equal(expires_in, 60);
    assert.notEqual(second.json().request_uri, uri);
  });

  it('POST /par keeps the hash of the reference and not the reference', async () => {
    const uri: string = (await push('user_id=ada')).json().request_uri;

    const rows = await server.db.all<{ uriHash: string }>('SELECT uri_hash FROM pushed_request');
    const reference = uri.split(':').at(-1) ?? '';
    assert.ok(rows.some((row) => row.uriHash === hashOfRequestUri(uri)));
    assert.ok(!JSON.stringify(rows).includes(reference));
  });

  it('POST /par keeps the parameters that are read with the application, and nothing that authenticated it', async () => {
    const credentials = new URLSearchParams(BODY_CREDENTIALS).toString();
    const answer = await push(`${credentials}&client%5Fsecret%5F=x&user_id=ada&scope=read`, {});

    const request = await spend(answer);

    assert.equal(request?.query, 'client_id=acme&user_id=ada&scope=read');
    assert.equal(request?.createdAt, server.clock.now);
    const rows = await server.db.all('SELECT * FROM pushed_request');
    assert.ok(!JSON.stringify(rows).includes(SECRET));
  });

  it('POST /par refuses a user of the playground, in the shape of its other refusals', async () => {
    const answer = await push('user_id=playground%3Aada');

    const description = 'user_id must not start with playground: the dashboard uses such users';
    assert.equal(answer.statusCode, 400);
    const body = { error: 'invalid_request', error_description: description, message: description };
    assert.deepEqual(answer.json(), body);
  });

  it('POST /par keeps a state in the spelling it came in, whatever its bytes', async () => {
    const body = Buffer.concat([Buffer.from('user_id=ada&state=a+b%20c%ff%2f'), Buffer.from([0xe9, 0x22])]);

    const { query = '' } = (await spend(await push(body))) ?? {};

    assert.equal(scalarSpelling(receivedQuery(`?${query}`), 'state'), 'a+b%20c%ff%2f%E9%22');
  });

  it('POST /par takes JSON as /token does, null for what is absent', async () => {
    const user = 'a b&c=d/é#?+\u{1f600}';
    const answer = await pushJson({
      user_id: user,
      state: null,
      login_hint: '',
      providers: ['google', 'caldav'],
    });

    const query = receivedQuery(`?${(await spend(answer))?.query}`);

    assert.equal(scalar(query, 'user_id'), user);
    assert.equal(scalar(query, 'state'), undefined);
    assert.equal(scalar(query, 'providers'), 'google,caldav');
  });

  it('POST /par keeps the user’s name and a login hint, which are read of nothing else', async () => {
    const form = new URLSearchParams({
      user_id: 'ada',
      user_name: 'Ada King',
      login_hint: 'ada@example.com',
    });

    const query = receivedQuery(`?${(await spend(await push(form.toString())))?.query}`);

    assert.deepEqual(readPushedFacts(query), {
      userName: 'Ada King',
      loginHint: 'ada@example.com',
      reconnect: undefined,
    });
    assert.deepEqual(readPushedFacts([]), {
      userName: undefined,
      loginHint: undefined,
      reconnect: undefined,
    });
  });

  it('POST /par keeps a request for the application that pushed it', async () => {
    assert.equal(await spend(await push('user_id=ada'), 'other'), undefined);
  });

  const wrong: [string, Record<string, string>, Record<string, string>, number, string][] = [
    ['no credentials', {}, {}, 400, 'invalid_client'],
    ['a wrong secret in the body', { client_id: 'acme', client_secret: 'x' }, {}, 400, 'invalid_client'],
    ['a wrong secret in Basic', {}, { authorization: 'Basic YWNtZTp4' }, 401, 'invalid_client'],
    ['an unknown application', { client_id: 'nobody', client_secret: SECRET }, {}, 400, 'invalid_client'],
    ['credentials in both places', { client_secret: SECRET }, BASIC, 400, 'invalid_request'],
    ['the client_id of another application', { client_id: 'other' }, BASIC, 400, 'invalid_request'],
  ];
  for (const [what, credentials, headers, status, error] of wrong) {
    it(`POST /par refuses ${what} as /token does`, async () => {
      const body = new URLSearchParams({ ...credentials, user_id: 'ada' }).toString();

      const answer = await push(body, headers);

      assert.equal(answer.statusCode, status);
      assert.equal(answer.json().error, error);
      assert.equal('www-authenticate' in answer.headers, status === 401);
    });
  }

  const refused: [string, string, string, RegExp, number?][] = [
    ['no user', 'scope=read', 'invalid_request', /user_id is missing/],
    ['a user id of control characters', 'user_id=a%00', 'invalid_request', /user_id has control/],
    ['an unknown scope', 'user_id=ada&scope=all', 'invalid_scope', /free-busy, read, read-write/],
    ['another response type', 'user_id=ada&response_type=token', 'unsupported_response_type', /must be code/],
    [
      'a plain challenge',
      'user_id=ada&code_challenge=x&code_challenge_method=plain',
      'invalid_request',
      /must be S256/,
    ],
    ['a reference', 'user_id=ada&request_uri=urn:x', 'invalid_request', /request_uri must not be pushed/],
    ['two users', 'user_id=ada&user_id=ben', 'invalid_request', /user_id is given more than once/],
    [
      `a long name of the user`,
      `user_id=ada&user_name=${'x'.repeat(201)}`,
      'invalid_request',
      /longer than 200/,
    ],
    ['a name that reads backwards', 'user_id=ada&user_name=a%E2%80%AEb', 'invalid_request', /control/],
    ['a name of several lines', 'user_id=ada&user_name=a%0Ab', 'invalid_request', /control/],
    ['a name that is no UTF-8', 'user_id=ada&user_name=%ff', 'invalid_request', /UTF-8/],
    [`a long login hint`, `user_id=ada&login_hint=${'x'.repeat(321)}`, 'invalid_request', /longer than 320/],
    [
      'a body over 16 kB',
      `user_id=ada&x=${'y'.repeat(16_384)}`,
      'invalid_request',
      /must not be larger than 16 kB/,
      413,
    ],
  ];
  for (const [what, body, error, description, status = 400] of refused) {
    it(`POST /par refuses ${what} in the shape of /token, and keeps nothing`, async () => {
      const before = await server.db.all('SELECT uri_hash FROM pushed_request');

      const answer = await push(body);

      const { error: code, error_description: sentence, message } = answer.json();
      assert.equal(answer.statusCode, status);
      assert.equal(code, error);
      assert.match(sentence, description);
      assert.equal(message, sentence);
      assert.deepEqual(await server.db.all('SELECT uri_hash FROM pushed_request'), before);
    });
  }

  for (const body of [
    '[1]',
    '"x"',
    '7',
    '{',
    '{"user_id":7}',
    '{"user_id":["ada",null]}',
    '{"user_id":{"a":1}}',
  ]) {
    it(`POST /par refuses the JSON ${body} with a sentence`, async () => {
      const answer = await pushJson(body);

      assert.equal(answer.statusCode, 400);
      assert.equal(answer.json().error, 'invalid_request');
    });
  }

  it('POST /par refuses another content type, and a request without a body, with a sentence', async () => {
    const typed = await push('user_id=ada', { ...BASIC, 'content-type': 'text/plain' });
    const empty = await server.app.inject({ method: 'POST', url: '/par', headers: BASIC });

    assert.deepEqual([typed.statusCode, typed.json().error], [400, 'invalid_request']);
    assert.equal(empty.json().error_description, 'user_id is missing');
  });

  it('the metadata names the endpoint and demands it of nobody', async () => {
    const metadata = (await server.app.inject('/.well-known/oauth-authorization-server')).json();

    assert.equal(metadata.pushed_authorization_request_endpoint, 'https://kalends.example/par');
    assert.equal(metadata.require_pushed_authorization_requests, false);
  });
});
