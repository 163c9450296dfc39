/** Third-party OAuth clients go through the flow: openid-client, oauth4webapi, Authlib, requests-oauthlib. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { after, before, describe, it } from 'node:test';

import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { openBrowser } from './browser.ts';
import { allow, linkAccount, read } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

/** Debian's own Python has Debian's Python packages. */
const PYTHON = '/usr/bin/python3';
const http = { [oauth.allowInsecureRequests]: true } as const;

let site: Site;
before(async () => {
  if (!WITHOUT_RADICALE) site = await openSite();
});
after(() => site?.close());

/** Visits an address that a client created, as its user, and returns where the browser is redirected in the end. */
async function visit(address: string | URL): Promise<URL> {
  const browser = openBrowser();
  await browser.open(address);
  await linkAccount(browser, site.login);
  const { destination, body } = await allow(browser);
  if (destination === undefined) throw new Error(`Nothing was approved: ${body}`);
  return destination;
}

describe('third-party clients', { skip: WITHOUT_RADICALE }, () => {
  it('the server serves openid-client from discovery to revocation, with PKCE and state', async () => {
    const { url, clientId, clientSecret, redirectUri } = site.application;
    const config = await openid.discovery(new URL(url), clientId, clientSecret, undefined, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const address = openid.buildAuthorizationUrl(config, {
      user_id: 'openid-client',
      redirect_uri: redirectUri,
      scope: 'read',
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });

    const callback = await visit(address);
    const first = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState });
    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '');
    const reading = await openid.fetchProtectedResource(
      config,
      second.access_token,
      new URL('/calendars', url),
      'GET',
    );
    await openid.tokenRevocation(config, second.refresh_token ?? '');

    assert.equal(first.expires_in, 3600);
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert.equal(reading.status, 200);
    assert.equal((await read(site.application, '/calendars', second.access_token)).status, 401);
    await assert.rejects(openid.refreshTokenGrant(config, second.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
  });

  for (const [name, authentication] of [
    ['HTTP Basic', oauth.ClientSecretBasic],
    ['the body', oauth.ClientSecretPost],
  ] as const) {
    it(`the server serves oauth4webapi with the secret in ${name}`, async () => {
      const { url, clientId, clientSecret, redirectUri } = site.application;
      const issuer = new URL(url);
      const as = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http }),
      );
      const client: oauth.Client = { client_id: clientId };
      const authenticate = authentication(clientSecret);
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const address = new URL(as.authorization_endpoint ?? '');
      address.search = new URLSearchParams({
        client_id: clientId,
        user_id: `oauth4webapi by ${name}`,
        redirect_uri: redirectUri,
        response_type: 'code',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).toString();

      const parameters = oauth.validateAuthResponse(as, client, await visit(address), state);
      const exchanged = await oauth.authorizationCodeGrantRequest(
        ...([as, client, authenticate, parameters, redirectUri, verifier, http] as const),
      );
      const first = await oauth.processAuthorizationCodeResponse(as, client, exchanged);
      const refreshed = await oauth.refreshTokenGrantRequest(
        ...([as, client, authenticate, first.refresh_token ?? '', http] as const),
      );
      const second = await oauth.processRefreshTokenResponse(as, client, refreshed);
      const revoked = await oauth.revocationRequest(as, client, authenticate, second.access_token, http);

      assert.equal(first.token_type, 'bearer');
      assert.notEqual(second.refresh_token, first.refresh_token);
      assert.equal(await oauth.processRevocationResponse(revoked), undefined);
      assert.equal((await read(site.application, '/calendars', first.access_token)).status, 401);
    });
  }

  for (const [name, script, module] of [
    ['Authlib', 'authlib_client.py', 'authlib'],
    ['requests-oauthlib', 'requests_oauthlib_client.py', 'requests_oauthlib'],
  ] as const) {
    const missing = spawnSync(PYTHON, ['-c', `import ${module}`], { stdio: 'ignore' }).status !== 0;
    const skip = missing && `python3's ${module} is not installed`;
    it(`the server serves Python's ${name} from the authorization URL to revocation`, { skip }, async () => {
      const result = await runClient(script, `python ${name}`);

      assert.deepEqual(result, {
        token_type: 'Bearer',
        rotated: true,
        reading: 200,
        revoked: 200,
        over: 401,
      });
    });
  }
});

/** Runs a script, visits the address that it prints for its user, and returns its result. */
async function runClient(script: string, userId: string): Promise<unknown> {
  const { url, clientId, clientSecret, redirectUri } = site.application;
  const settings = {
    ...{ url, client_id: clientId, client_secret: clientSecret },
    ...{ redirect_uri: redirectUri, user_id: userId },
  };
  const child = spawn(PYTHON, [path.join(import.meta.dirname, 'clients', script), JSON.stringify(settings)], {
    env: { OAUTHLIB_INSECURE_TRANSPORT: '1', AUTHLIB_INSECURE_TRANSPORT: '1', PYTHONDONTWRITEBYTECODE: '1' },
  });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
  });
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value: address } = await lines.next();
  if (typeof address === 'string') {
    const callback = await visit(address).catch((reason: unknown) => {
      child.kill();
      throw reason;
    });
    child.stdin.end(`${callback}\n`);
  }
  const { value: result } = await lines.next();
  await closed;
  if (typeof result !== 'string') throw new Error(`${script} printed nothing: ${problem}`);
  return JSON.parse(result);
}
