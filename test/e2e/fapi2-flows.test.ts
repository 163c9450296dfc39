/** Flows of the FAPI 2.0 plan through the Connect pages of the running program (docs/conformance-fapi2.md). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';
import {
  type Discovered,
  type StrictApplication,
  type StrictClients,
  strictClients,
} from './strict-clients.ts';

const REDIRECT_URI = 'http://localhost:9/callback';
const STATUS = '/connection-status';

describe('flows at the strict issuer', { skip: WITHOUT_RADICALE }, () => {
  let site: Site;
  let strict: StrictClients;
  let bank: StrictApplication;
  before(async () => {
    if (WITHOUT_RADICALE) return;
    site = await openSite();
    strict = strictClients(site);
    bank = await strict.register(REDIRECT_URI, 'off');
  });
  after(() => site?.close());

  /** Pushes a request, approves it, and returns the callback with the checks of its exchange. */
  async function approved(
    { config }: Pick<Discovered, 'config'>,
    { redirectUri }: StrictApplication,
    { options, ...form }: { readonly options?: openid.DPoPOptions; readonly [name: string]: unknown },
  ) {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const request = {
      ...{ user_id: crypto.randomUUID(), redirect_uri: redirectUri, scope: 'read', state: 'state' },
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      ...{ code_challenge_method: 'S256', ...(form as Record<string, string>) },
    };
    const address = await openid.buildAuthorizationUrlWithPAR(config, request, options);
    return { callback: await strict.approve(address), checks: { pkceCodeVerifier, expectedState: 'state' } };
  }
  type Approved = Awaited<ReturnType<typeof approved>>;
  const exchange = ({ config, DPoP }: Pick<Discovered, 'config' | 'DPoP'>, { callback, checks }: Approved) =>
    openid.authorizationCodeGrant(config, callback, checks, undefined, { DPoP });

  it('ensure-dpop-auth-code-binding-success, ensure-token-endpoint-fails-with-mismatched-dpop-jkt: a pushed dpop_jkt binds the code', async () => {
    const [client, other] = [await strict.discover(bank), await strict.discover(bank)];
    const flow = await approved(client, bank, { dpop_jkt: await client.DPoP.calculateThumbprint() });

    await assert.rejects(exchange(other, flow), { error: 'invalid_grant', status: 400 });
    const { access_token: token } = await exchange(client, flow);

    assert.equal((await strict.call(client, token, STATUS)).status, 200);
  });

  it('ensure-dpopproof-at-par-endpoint-binding-success, ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt: a proof at /par binds the code', async () => {
    const [client, other] = [await strict.discover(bank), await strict.discover(bank)];
    const flow = await approved(client, bank, { options: { DPoP: client.DPoP } });

    await assert.rejects(exchange(other, flow), { error: 'invalid_grant', status: 400 });
    const { access_token: token } = await exchange(client, flow);

    assert.equal((await strict.call(client, token, STATUS)).status, 200);
  });

  it('happy-flow: two clients, one with a query in its redirect URI; tokens work with their own key and in the header alone', async () => {
    const first = await strict.discover(bank);
    const { access_token: token } = await exchange(
      first,
      await approved(first, bank, { options: { DPoP: first.DPoP } }),
    );
    const own = await strict.register(`${REDIRECT_URI}?tenant=7`, 'off');
    const second = await strict.discover(own);
    const jkt = await second.DPoP.calculateThumbprint();
    const { callback, checks } = await approved(second, own, { dpop_jkt: jkt });
    assert.equal(callback.searchParams.get('tenant'), '7');
    // openid-client leaves the query of the redirect URI out of the exchange.
    const [server, client] = [second.config.serverMetadata(), { client_id: own.clientId }];
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.PrivateKeyJwt(own.key as oauth.PrivateKey)] as const),
      ...([oauth.validateAuthResponse(server, client, callback, 'state'), own.redirectUri] as const),
      ...([checks.pkceCodeVerifier, { DPoP: second.DPoP, [oauth.allowInsecureRequests]: true }] as const),
    );
    const other = await oauth.processAuthorizationCodeResponse(server, client, answer);

    for (const accept of [
      'application/json',
      'application/json;charset=UTF-8',
      '*/*',
      'text/html, application/json',
    ])
      for (const [{ config, DPoP }, text] of [
        [first, token],
        [second, other.access_token],
      ] as const) {
        const url = new URL(STATUS, site.program.url);
        const headers = new Headers({ accept });
        const { status } = await openid.fetchProtectedResource(
          ...([config, text, url, 'GET', undefined, headers, { DPoP }] as const),
        );
        assert.equal(status, 200, accept);
      }
    await assert.rejects(strict.call({ ...first, DPoP: second.DPoP }, token, STATUS), { status: 401 });
    const inQuery = await fetch(`${site.program.url}${STATUS}?access_token=${token}`);
    assert.equal(inQuery.status, 401);
  });
});
