/** The issuers: their metadata, whose applications they accept, and what cannot be carried from one to the other. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as oauth from 'oauth4webapi';
import { onEachDatabase } from '../harness/databases.ts';
import {
  approve,
  callProtected,
  type OAuthServer,
  openOAuthServer,
  REDIRECT_URI,
  SECRET,
} from './oauth-server.ts';

const URL_OF = { default: 'https://kalends.example', fapi2: 'https://kalends.example/fapi2' };

/** Posts a form of `acme` (default issuer) or `bank` (strict issuer), which authenticate with their secrets. */
const post = ({ app }: OAuthServer, url: string, form: Record<string, string>, clientId = 'bank') =>
  app.inject({
    ...{ method: 'POST', url, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    payload: new URLSearchParams({ client_id: clientId, client_secret: SECRET, ...form }).toString(),
  });

const exchangeAt = (server: OAuthServer, prefix: string, clientId: string, code = 'ada') =>
  post(
    server,
    `${prefix}/token`,
    { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI },
    clientId,
  );

/** Approves and exchanges at the issuer of the application. */
async function tokensOf(server: OAuthServer, clientId: 'acme' | 'bank') {
  await approve(server, { clientId });
  const answer = await exchangeAt(server, clientId === 'bank' ? '/fapi2' : '', clientId);
  assert.equal(answer.statusCode, 200, answer.body);
  const { access_token: accessToken, refresh_token: refreshToken } = answer.json();
  return { accessToken, refreshToken };
}

describe('the metadata of the issuers', () => {
  let server: OAuthServer;
  before(async () => {
    server = await openOAuthServer('HS256', { strict: ['bank'] });
  });
  after(() => server.close());

  for (const [name, issuer] of Object.entries(URL_OF))
    it(`oauth4webapi discovers the ${name} issuer`, async () => {
      const found = await oauth.discoveryRequest(new URL(issuer), {
        algorithm: 'oauth2',
        async [oauth.customFetch](url) {
          const { statusCode: status, body } = await server.app.inject(new URL(url).pathname);
          return new Response(body, { status, headers: { 'content-type': 'application/json' } });
        },
      });
      const metadata = await oauth.processDiscoveryResponse(new URL(issuer), found);
      assert.equal(metadata.issuer, issuer);
    });

  it('the metadata and the keys are cached for five minutes, but no key set that is still to be created', async () => {
    const cached = async (url: string) => (await server.app.inject(url)).headers['cache-control'];
    const strictKeys = '/fapi2/jwks.json';

    for (const url of ['', '/fapi2'])
      assert.equal(await cached(`/.well-known/oauth-authorization-server${url}`), 'public, max-age=300');
    assert.equal(await cached('/.well-known/jwks.json'), 'public, max-age=300');
    assert.equal(await cached(strictKeys), 'no-store');
    await server.signingKeys.prepare('ES256');
    assert.equal(await cached(strictKeys), 'public, max-age=300');
  });

  it('discovery-end-point-verification: the strict issuer states exactly what it supports', async () => {
    const url = URL_OF.fapi2;
    const algorithms = ['ES256', 'PS256', 'Ed25519', 'EdDSA'];
    const answer = await server.app.inject('/.well-known/oauth-authorization-server/fapi2');
    assert.deepEqual(answer.json(), {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      revocation_endpoint: `${url}/revoke`,
      pushed_authorization_request_endpoint: `${url}/par`,
      require_pushed_authorization_requests: true,
      jwks_uri: `${url}/jwks.json`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes_supported: ['free-busy', 'read', 'read-write'],
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      revocation_endpoint_auth_methods_supported: ['private_key_jwt'],
      code_challenge_methods_supported: ['S256'],
      introspection_endpoint: `${url}/introspect`,
      introspection_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
      dpop_signing_alg_values_supported: algorithms,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('the metadata of the default issuer has no member of the strict one', async () => {
    const { body } = await server.app.inject('/.well-known/oauth-authorization-server');
    const url = URL_OF.default;
    const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
    const algorithms = ['ES256', 'PS256', 'Ed25519', 'EdDSA'];
    assert.equal(
      body,
      JSON.stringify({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        revocation_endpoint: `${url}/revoke`,
        introspection_endpoint: `${url}/introspect`,
        pushed_authorization_request_endpoint: `${url}/par`,
        require_pushed_authorization_requests: false,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
        scopes_supported: ['free-busy', 'read', 'read-write'],
        token_endpoint_auth_methods_supported: [...methods, 'none'],
        token_endpoint_auth_signing_alg_values_supported: algorithms,
        revocation_endpoint_auth_methods_supported: ['none', ...methods],
        revocation_endpoint_auth_signing_alg_values_supported: algorithms,
        introspection_endpoint_auth_methods_supported: methods,
        introspection_endpoint_auth_signing_alg_values_supported: algorithms,
        code_challenge_methods_supported: ['S256'],
        dpop_signing_alg_values_supported: algorithms,
      }),
    );
  });
});

onEachDatabase((database, open) => {
  const opened = async () => {
    const server = await openOAuthServer('HS256', { db: await open(), strict: ['bank'] });
    return Object.assign(server, { [Symbol.asyncDispose]: server.close });
  };

  describe(`two issuers on ${database}`, () => {
    for (const [clientId, right, wrong] of [
      ['acme', '', '/fapi2'],
      ['bank', '/fapi2', ''],
    ] as const)
      it(`${clientId} is refused at the issuer ${wrong || '/'}, which names its own and uses up nothing`, async () => {
        await using server = await opened();
        const { refreshToken } = await tokensOf(server, clientId);
        await approve(server, { clientId });
        const own = right === '' ? URL_OF.default : URL_OF.fapi2;
        const other = wrong === '' ? URL_OF.default : URL_OF.fapi2;

        const terms = { now: server.clock.now, by: undefined };
        await server.stores.clients.updateClient(clientId, { revocation: 'authenticated' }, terms);
        const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken };
        for (const answer of [
          await post(server, `${wrong}/introspect`, { token: refreshToken }, clientId),
          await post(server, `${wrong}/revoke`, { token: refreshToken }, clientId),
          await exchangeAt(server, wrong, clientId),
          await post(server, `${wrong}/token`, refresh, clientId),
          await post(server, `${wrong}/par`, { user_id: 'ada', redirect_uri: REDIRECT_URI }, clientId),
        ]) {
          const message = `This application belongs to the issuer ${own}, not to ${other}`;
          assert.equal(answer.statusCode, 400);
          assert.deepEqual(answer.json(), {
            error: 'unauthorized_client',
            error_description: message,
            message,
          });
        }
        assert.equal((await exchangeAt(server, right, clientId)).statusCode, 200);
        assert.equal((await post(server, `${right}/token`, refresh, clientId)).statusCode, 200);
      });

    it('a wrong secret learns nothing of the issuer of an application', async () => {
      await using server = await opened();
      for (const clientId of ['acme', 'bank', 'nobody'])
        for (const url of ['/token', '/fapi2/token', '/par', '/fapi2/par']) {
          const answer = await post(server, url, { client_secret: 'guessed' }, clientId);
          assert.equal(answer.json().error, 'invalid_client');
        }
    });

    it('ensure-authorization-code-is-bound-to-client: a code and a refresh token of one issuer are invalid_grant for an application of the other', async () => {
      await using server = await opened();
      const { refreshToken } = await tokensOf(server, 'bank');
      await approve(server, { clientId: 'bank', userId: 'eve' });
      const code = await exchangeAt(server, '', 'acme', 'eve');
      assert.deepEqual([code.json().error, code.json().message], ['invalid_grant', 'Client mismatch']);
      const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const refreshed = await post(server, '/token', refresh, 'acme');
      assert.deepEqual(
        [refreshed.json().error, refreshed.json().message],
        ['invalid_grant', 'Client mismatch'],
      );
      assert.equal((await exchangeAt(server, '/fapi2', 'bank', 'eve')).statusCode, 200);
      assert.equal((await post(server, '/fapi2/token', refresh)).statusCode, 200);
    });

    it('a token is revoked at either issuer as its application has it, and no other one ends', async () => {
      await using server = await opened();
      const [acme, bank] = [await tokensOf(server, 'acme'), await tokensOf(server, 'bank')];
      await post(server, '/fapi2/revoke', { token: acme.accessToken });
      assert.equal((await callProtected(server.app, acme.accessToken)).statusCode, 401);
      assert.equal((await callProtected(server.app, bank.accessToken)).statusCode, 200);
      await post(server, '/revoke', { token: bank.refreshToken });
      assert.equal((await callProtected(server.app, bank.accessToken)).statusCode, 401);
    });

    it('ensure-request-object-without-redirect-uri-fails, ensure-redirect-uri-in-authorization-request: the strict issuer requires redirect_uri', async () => {
      await using server = await opened();
      const answer = await post(server, '/fapi2/par', { user_id: 'ada' });
      assert.equal(answer.statusCode, 400);
      assert.deepEqual(
        [answer.json().error, answer.json().message],
        ['invalid_request', 'redirect_uri is missing'],
      );
      assert.equal((await post(server, '/par', { user_id: 'ada' }, 'acme')).statusCode, 201);
    });

    it('plain-fapi-tolerate-unregistered-redirect-uri: the strict issuer compares the only redirect URI exactly', async () => {
      await using server = await opened();
      for (const uri of [`${REDIRECT_URI}/`, `${REDIRECT_URI}?a=b`, 'https://evil.example/callback']) {
        const pushed = { user_id: 'ada', redirect_uri: uri, response_type: 'code' };
        const answer = await post(server, '/fapi2/par', pushed);
        assert.equal(answer.statusCode, 400);
        assert.equal(answer.json().error_description, 'redirect_uri is not registered for this application');
        assert.equal((await post(server, '/par', pushed, 'acme')).statusCode, 201);
      }
      const registered = { user_id: 'ada', redirect_uri: REDIRECT_URI, response_type: 'code' };
      assert.equal((await post(server, '/fapi2/par', registered)).statusCode, 201);
    });

    it('only tokens of the strict issuer have iss and ES256, and both open the interface', async () => {
      await using server = await opened();
      const [acme, bank] = [await tokensOf(server, 'acme'), await tokensOf(server, 'bank')];
      for (const { accessToken } of [acme, bank])
        assert.equal((await callProtected(server.app, accessToken)).statusCode, 200);
      const claims = ['sub', 'aud', 'projectId', 'family', 'iat', 'client_id', 'jti', 'scope', 'exp'];
      assert.deepEqual(Object.keys(decodeJwt(acme.accessToken)), claims);
      assert.deepEqual(Object.keys(decodeJwt(bank.accessToken)), [...claims, 'iss']);
      assert.equal(decodeJwt(bank.accessToken).iss, URL_OF.fapi2);
      const algorithms = [acme, bank].map((pair) =>
        Object.values(pair).map((token) => decodeProtectedHeader(token).alg),
      );
      assert.deepEqual(algorithms, [
        ['HS256', 'HS256'],
        ['ES256', 'ES256'],
      ]);
    });
  });
});
