/** Applications with keys instead of a secret: third-party clients, our client and `kalends listen` at the running program. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { kalends } from '../../packages/client/src/kalends.ts';
import { snippetsOf } from '../../scripts/snippet-rules.ts';
import { runProgram } from '../harness/program.ts';
import { openBrowser } from './browser.ts';
import { allow, linkAccount } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const ALGORITHMS = ['ES256', 'PS256', 'Ed25519'] as const;
/** Debian's own Python has Debian's Python packages. */
const PYTHON = '/usr/bin/python3';
const WITHOUT_AUTHLIB =
  spawnSync(PYTHON, ['-c', 'import authlib']).status === 0 ? false : 'python3-authlib is not installed';
const AUTHLIB_BEFORE = `
import json, os, sys
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT, private_key_jwt_sign
issuer, client_id = sys.argv[1:]
private_key = sys.stdin.read()`;
const AUTHLIB_AFTER = `
session.trust_env = False
grant = {"grant_type": "client_credentials", "scope": "application"}
print(json.dumps(session.fetch_token(issuer + "/token", **grant)))`;
const http = { [oauth.allowInsecureRequests]: true } as const;
const APPLICATION = { scope: 'application' };

type Key = {
  readonly key: CryptoKey;
  readonly kid: string;
  readonly jwk: Awaited<ReturnType<typeof exportJWK>>;
};

describe('an application that authenticates by keys', { skip: WITHOUT_RADICALE }, () => {
  let site: Site;
  const keys = new Map<string, Key>();
  const keyOf = (alg: string): Key => keys.get(alg) ?? assert.fail(alg);
  before(async () => {
    site = await openSite();
    const published: object[] = [];
    for (const kid of ALGORITHMS) {
      const { privateKey, publicKey } = await generateKeyPair(kid, { extractable: true });
      keys.set(kid, { key: privateKey, kid, jwk: { ...(await exportJWK(privateKey)), kid } });
      published.push({ ...(await exportJWK(publicKey)), kid });
    }
    const file = path.join(site.program.dataDir, 'jwks.json');
    await writeFile(file, JSON.stringify({ keys: published }));
    const { clientId } = site.application;
    const changed = [
      '--jwks',
      file,
      '--client-authentication',
      'private_key_jwt',
      '--pushed-requests',
      'required',
    ];
    await site.program.command('client', 'update', clientId, ...changed);
  });
  after(() => site?.close());

  const visit = async (address: URL): Promise<URL> => {
    const browser = openBrowser();
    await browser.open(address);
    await linkAccount(browser, site.login);
    return (await allow(browser)).destination ?? assert.fail('Nothing was approved');
  };

  for (const alg of ALGORITHMS)
    it(`openid-client completes the flow with ${alg}, and calls for the application`, async () => {
      const { url, clientId, redirectUri } = site.application;
      const { key, kid } = keyOf(alg);
      const authentication = openid.PrivateKeyJwt({ key, kid });
      const config = await openid.discovery(new URL(url), clientId, undefined, authentication, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const address = await openid.buildAuthorizationUrlWithPAR(config, {
        ...{ user_id: `openid-${alg}`, redirect_uri: redirectUri, scope: 'read', state: expectedState },
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      const callback = await visit(address);

      const first = await openid.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier,
        expectedState,
      });
      const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '');
      const own = await openid.clientCredentialsGrant(config, APPLICATION);
      const users = new URL(`/users/openid-${alg}`, url);
      const call = (token: string) => openid.fetchProtectedResource(config, token, users, 'GET');

      assert.deepEqual([own.expires_in, own.refresh_token], [600, undefined]);
      assert.equal((await call(own.access_token)).status, 200);
      assert.equal(
        (await fetch(users, { headers: { authorization: `Bearer ${second.access_token}` } })).status,
        401,
      );
      const calendars = { headers: { authorization: `Bearer ${own.access_token}` } };
      assert.equal((await fetch(`${url}/calendars`, calendars)).status, 401);
    });

  it('oauth4webapi gets an application token, with the methods and algorithms of the metadata', async () => {
    const { url, clientId } = site.application;
    const discovery = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...http });
    const server = await oauth.processDiscoveryResponse(new URL(url), discovery);
    const client = { client_id: clientId };
    const { key, kid } = keyOf('Ed25519');
    const authentication = oauth.PrivateKeyJwt({ key, kid });
    const parameters = new URLSearchParams(APPLICATION);

    const answer = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      authentication,
      parameters,
      http,
    );
    const own = await oauth.processClientCredentialsResponse(server, client, answer);

    assert.equal(own.expires_in, 600);
    assert.deepEqual(server.token_endpoint_auth_methods_supported, [
      ...['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    ]);
    const algorithms = server.token_endpoint_auth_signing_alg_values_supported;
    assert.deepEqual(algorithms, ['ES256', 'PS256', 'Ed25519', 'EdDSA']);
    assert.ok(server.grant_types_supported?.includes('client_credentials'));
  });

  for (const alg of ALGORITHMS)
    it(`our client signs with ${alg}: it pushes, exchanges, refreshes, and calls for the application`, async () => {
      const { clientId, redirectUri, url } = site.application;
      const requests: string[] = [];
      const counting: typeof fetch = (input, init) => {
        requests.push(new URL(String(input)).pathname);
        return fetch(input, init);
      };
      const privateKey = keyOf(alg).jwk;
      const client = kalends({ url, clientId, redirectUri, privateKey, fetch: counting });
      const userId = `client-${alg}`;
      const address = await client.pushedAuthorizationUrl({ userId, state: 'unguessable' });

      const callback = { url: await visit(address), state: 'unguessable', userId };
      const tokens = await client.completeAuthorization(callback);
      const stored = { tokens: { ...tokens, expiresAt: 0 } };
      const store = {
        load: async () => stored.tokens,
        save: async (next: typeof tokens) => void Object.assign(stored.tokens, next),
      };
      await client.user(store).calendars();
      const [user] = await Promise.all([client.getUser(userId), client.getUser(userId)]);

      assert.equal(user.user_id, userId);
      assert.notEqual(stored.tokens.refreshToken, tokens.refreshToken);
      // One for the code, one for the refresh, and one for both calls of the application.
      assert.equal(requests.filter((one) => one === '/token').length, 3);
    });

  it('Authlib gets an application token with the subclass that docs/hardening.md shows', {
    skip: WITHOUT_AUTHLIB,
  }, () => {
    const { url, clientId } = site.application;
    const pem = createPrivateKey({ key: { ...keyOf('ES256').jwk }, format: 'jwk' });
    const input = String(pem.export({ type: 'pkcs8', format: 'pem' }));
    const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/hardening.md'), 'utf8');
    const snippet = snippetsOf({ path: 'docs/hardening.md', text }).find(
      ({ language }) => language === 'python',
    );
    const program = [AUTHLIB_BEFORE, snippet?.code, AUTHLIB_AFTER].join('\n');

    const { stdout, stderr } = spawnSync(PYTHON, ['-c', program, url, clientId], { input, encoding: 'utf8' });

    assert.equal(JSON.parse(stdout || '{}').scope, 'application', stderr);
  });

  it('kalends listen requests a token with a PEM or a JWK, and rejects another key', async () => {
    const { url, clientId } = site.application;
    const { jwk } = keyOf('ES256');
    const pem = createPrivateKey({ key: { ...jwk }, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' });
    const other = await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey);
    const listen = (privateKey: string, ...args: string[]) =>
      runProgram(['listen', '--url', url, '--client-id', clientId, ...args], {
        KALENDS_CLIENT_PRIVATE_KEY: privateKey,
      });

    // Accepted: the next mistake is reported.
    for (const right of [String(pem), String(pem).replaceAll('\n', '\\n'), JSON.stringify(jwk)])
      assert.match((await listen(right, '--hears', 'everything')).stderr, /hears must be a list of/);
    const refused = await listen(JSON.stringify(other));
    const broken = await listen('secret text');

    assert.deepEqual([refused.code, broken.code], [1, 2]);
    assert.match(refused.stderr, /rejects this client id or this private key/);
    assert.match(broken.stderr, /KALENDS_CLIENT_PRIVATE_KEY must be a private key/);
    assert.doesNotMatch(broken.stderr, /secret text/);
  });

  it('no assertion and no private key is in what the program writes', () => {
    const { stdout, stderr } = site.program.output();

    // Random ids may have any three letters in them, and have no dot.
    assert.doesNotMatch(stdout + stderr, /eyJ[\w-]*\.|"d":/);
  });

  it('the CLI prints the new secret once when the application changes back, and refuses to rotate before', async () => {
    const { clientId } = site.application;
    const { command } = site.program;
    await assert.rejects(
      command('client', 'rotate-secret', clientId),
      /client_authentication is .*private_key_jwt/,
    );
    const shown = await command('client', 'show', clientId);

    const changed = await command('client', 'update', clientId, '--client-authentication', 'secret');
    const again = await command('client', 'update', clientId, '--client-authentication', 'secret');

    assert.equal(shown.live_secrets, 0);
    assert.equal((shown.jwks as { keys: unknown[] }).keys.length, 3);
    assert.match(String(changed.client_secret), /^kalends_/);
    assert.equal(again.client_secret, undefined);
  });

  it('the CLI creates an application with keys and without a secret, and refuses private keys', async () => {
    const { command } = site.program;
    const file = path.join(site.program.dataDir, 'private.json');
    await writeFile(file, JSON.stringify({ keys: [keyOf('ES256').jwk] }));
    const create = ['client', 'create', '--name', 'Bank', '--redirect-uri', 'https://bank.example/cb'];
    const keyed = [
      '--client-authentication',
      'private_key_jwt',
      '--jwks-uri',
      'https://bank.example/jwks.json',
    ];

    const created = await command(...create, ...keyed);

    assert.deepEqual(
      [created.client_secret, created.jwks_uri],
      [undefined, 'https://bank.example/jwks.json'],
    );
    for (const [option, value, problem] of [
      ['--jwks', file, /public keys only/],
      ['--jwks', '/nowhere.json', /cannot be read/],
      ['--jwks-uri', 'http://bank.example/jwks.json', /must be https/],
    ] as const)
      await assert.rejects(command(...create, option, value), problem);
    await assert.rejects(
      command(...create, '--jwks', file, '--jwks-uri', 'https://x.example'),
      /one of --jwks/,
    );
  });
});
