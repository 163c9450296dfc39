/** Requests to the strict issuer as the modules of the FAPI 2.0 conformance plan send them (docs/conformance-fapi2.md). */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { approve, type OAuthServer, openOAuthServer, REDIRECT_URI, SECRET } from './oauth-server.ts';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = hash('sha256', VERIFIER, 'base64url');
const PUSHED = {
  ...{ user_id: 'ada', redirect_uri: REDIRECT_URI, response_type: 'code' },
  ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
};

const TERMS = { by: undefined, now: 1 };

let server: OAuthServer;
before(async () => {
  server = await openOAuthServer('HS256', { strict: ['bank'] });
  await server.stores.clients.updateClient('bank', { pkce: 'required' }, TERMS);
});
after(() => server.close());

const post = async (url: string, form: Record<string, string>) => {
  const answer = await server.app.inject({
    ...{ method: 'POST', url, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    payload: new URLSearchParams({ client_id: 'bank', client_secret: SECRET, ...form }).toString(),
  });
  return { status: answer.statusCode, error: answer.json().error };
};
const push = (changes: Record<string, string> = {}) => post('/fapi2/par', { ...PUSHED, ...changes });
const exchange = (form: Record<string, string>) =>
  post('/fapi2/token', {
    grant_type: 'authorization_code',
    code: 'ada',
    redirect_uri: REDIRECT_URI,
    ...form,
  });

describe('a request pushed to the strict issuer', () => {
  it('with S256, a registered redirect URI and response_type=code is accepted', async () => {
    assert.equal((await push()).status, 201);
  });

  it('par-attempt-invalid-http-method: PUT is 405', async () => {
    assert.equal((await server.app.inject({ method: 'PUT', url: '/fapi2/par' })).statusCode, 405);
  });

  it('par-authorization-request-containing-request_uri-form-param: a pushed request_uri is refused', async () => {
    const refused = await push({ request_uri: 'urn:ietf:params:oauth:request_uri:x' });
    assert.deepEqual(refused, { status: 400, error: 'invalid_request' });
  });

  it('without client_id or response_type is refused, although the application is authenticated', async () => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`bank:${SECRET}`)}`,
    };
    for (const [name, status] of [
      ['client_id', 400],
      ['response_type', 400],
      ['state', 201],
    ] as const) {
      const form = new URLSearchParams({ ...PUSHED, client_id: 'bank' });
      form.delete(name);
      const request = { method: 'POST', url: '/fapi2/par', headers, payload: form.toString() } as const;
      const answer = await server.app.inject(request);
      assert.equal(answer.statusCode, status);
      if (status === 400) assert.equal(answer.json().error_description, `${name} is missing`);
    }
  });

  it('ensure-response-type-code-idtoken-fails, ensure-response-type-token-fails: only code is supported', async () => {
    for (const type of ['code id_token', 'token'])
      assert.deepEqual(await push({ response_type: type }), {
        status: 400,
        error: 'unsupported_response_type',
      });
  });

  it('par-ensure-pkce-required, par-plain-pkce-rejected: no challenge and a plain one are refused', async () => {
    for (const changes of [
      { code_challenge: '', code_challenge_method: '' },
      { code_challenge_method: 'plain' },
      { code_challenge_method: '' },
    ])
      assert.deepEqual(await push(changes), { status: 400, error: 'invalid_request' });
  });
});

describe('an exchange at the strict issuer', () => {
  it('ensure-pkce-code-verifier-required, incorrect-pkce-code-verifier-rejected: only the right verifier is accepted', async () => {
    await approve(server, { clientId: 'bank', codeChallenge: CHALLENGE });
    const refused = { status: 400, error: 'invalid_grant' };
    assert.deepEqual(await exchange({}), refused);
    assert.deepEqual(await exchange({ code_verifier: 'w'.repeat(43) }), refused);
    assert.equal((await exchange({ code_verifier: VERIFIER })).status, 200);
  });
});
