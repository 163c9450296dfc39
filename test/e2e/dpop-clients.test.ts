/** Published clients with DPoP (RFC 9449) at an application that requires it, with nonces: openid-client, oauth4webapi, dpop. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as dpop from 'dpop';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { openBrowser } from './browser.ts';
import { allow, linkAccount, read } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const http = { [oauth.allowInsecureRequests]: true } as const;

describe('clients with DPoP', { skip: WITHOUT_RADICALE }, () => {
  let site: Site;
  before(async () => {
    if (WITHOUT_RADICALE) return;
    site = await openSite();
    const switches = ['--sender-constraint', 'required', '--dpop-nonce', 'on'];
    await site.program.command('client', 'update', site.application.clientId, ...switches);
  });
  after(() => site?.close());

  async function visit(address: string | URL): Promise<URL> {
    const browser = openBrowser();
    await browser.open(address);
    await linkAccount(browser, site.login);
    const { destination, body } = await allow(browser);
    if (destination === undefined) throw new Error(`Nothing was approved: ${body}`);
    return destination;
  }

  it('openid-client pushes, exchanges, reads and refreshes with nonces and nothing to configure', async () => {
    const { url, clientId, clientSecret, redirectUri } = site.application;
    const config = await openid.discovery(new URL(url), clientId, clientSecret, undefined, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
    for (const algorithm of ['ES256', 'Ed25519', 'PS256']) {
      const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair(algorithm));
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const request = {
        user_id: `openid-client ${algorithm}`,
        redirect_uri: redirectUri,
        scope: 'read',
        state: expectedState,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      };
      const address = await openid.buildAuthorizationUrlWithPAR(config, request, { DPoP });
      const checks = { pkceCodeVerifier, expectedState };
      const callback = await visit(address);
      const first = await openid.authorizationCodeGrant(config, callback, checks, undefined, { DPoP });
      const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '', undefined, { DPoP });
      const reading = await openid.fetchProtectedResource(
        ...([config, second.access_token, new URL('/calendars?x=1', url), 'GET'] as const),
        ...([undefined, undefined, { DPoP }] as const),
      );

      assert.equal(first.token_type, 'dpop');
      assert.equal(reading.status, 200);
      assert.equal((await read(site.application, '/calendars', second.access_token)).status, 401);
    }
  });

  it('oauth4webapi repeats each request with the nonce that it got', async () => {
    const { url, clientId, clientSecret, redirectUri } = site.application;
    const issuer = new URL(url);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http }),
    );
    const client: oauth.Client = { client_id: clientId };
    const secret = oauth.ClientSecretBasic(clientSecret);
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const options = { DPoP, ...http };
    const nonces: string[] = [];
    const patiently = async <T>(send: () => Promise<T>): Promise<T> => {
      try {
        return await send();
      } catch (error) {
        if (!oauth.isDPoPNonceError(error)) throw error;
        nonces.push('used');
        return send();
      }
    };
    const verifier = oauth.generateRandomCodeVerifier();
    const parameters = {
      ...{ user_id: 'oauth4webapi', redirect_uri: redirectUri, response_type: 'code', state: 'state' },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };

    const pushed = await patiently(async () =>
      oauth.processPushedAuthorizationResponse(
        ...([as, client] as const),
        await oauth.pushedAuthorizationRequest(as, client, secret, parameters, options),
      ),
    );
    const address = new URL(as.authorization_endpoint ?? '');
    address.search = new URLSearchParams({ client_id: clientId, request_uri: pushed.request_uri }).toString();
    const callback = oauth.validateAuthResponse(as, client, await visit(address), 'state');
    const first = await patiently(async () =>
      oauth.processAuthorizationCodeResponse(
        ...([as, client] as const),
        await oauth.authorizationCodeGrantRequest(
          ...([as, client, secret, callback, redirectUri, verifier, options] as const),
        ),
      ),
    );
    const second = await patiently(async () =>
      oauth.processRefreshTokenResponse(
        ...([as, client] as const),
        await oauth.refreshTokenGrantRequest(as, client, secret, first.refresh_token ?? '', options),
      ),
    );
    const reading = await patiently(() =>
      oauth.protectedResourceRequest(
        ...([second.access_token, 'GET', new URL('/calendars', url), undefined, undefined, options] as const),
      ),
    );

    assert.equal(reading.status, 200);
    assert.deepEqual(decodeJwt(second.access_token).cnf, { jkt: await DPoP.calculateThumbprint() });
    assert.ok(nonces.length > 0);
  });

  it('dpop proves requests of a hand-written client', async () => {
    const { url, clientId, clientSecret, redirectUri } = site.application;
    const pair = await dpop.generateKeyPair('Ed25519');
    let nonce: string | undefined;
    const send = async (method: 'GET' | 'POST', path: string, accessToken?: string, form?: object) => {
      const proof = await dpop.generateProof(pair, url + path, method, nonce, accessToken);
      const response = await fetch(url + path, {
        method,
        headers: { dpop: proof, ...(accessToken && { authorization: `DPoP ${accessToken}` }) },
        ...(form && {
          body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form }),
        }),
      });
      nonce = response.headers.get('dpop-nonce') ?? nonce;
      return response;
    };
    const jkt = await dpop.calculateThumbprint(pair.publicKey);
    const query = { client_id: clientId, user_id: 'dpop', redirect_uri: redirectUri, dpop_jkt: jkt };
    await visit(`${url}/authorize?${new URLSearchParams(query)}`);
    const grant = { grant_type: 'authorization_code', code: 'dpop', redirect_uri: redirectUri };

    const refused = await send('POST', '/token', undefined, grant);
    assert.deepEqual([refused.status, (await refused.json()).error], [400, 'use_dpop_nonce']);
    const first = await (await send('POST', '/token', undefined, grant)).json();
    const refreshing = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    const second = await (await send('POST', '/token', undefined, refreshing)).json();
    const reading = await send('GET', '/calendars', second.access_token);

    assert.deepEqual([first.token_type, reading.status], ['DPoP', 200]);
  });
});
