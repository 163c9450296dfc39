/** Third-party clients at applications with one switch of codes each, at the default issuer of the running program. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { onEachDatabase } from '../harness/databases.ts';
import { openBrowser } from './browser.ts';
import { type Application, allow, authorize, linkAccount, read } from './flow.ts';
import { openInstances } from './instances.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const SWITCHES = [
  ['--pkce', 'required'],
  ['--code-lifetime', '60'],
  ['--code-format', 'opaque'],
  ['--issuer-in-callback', 'on'],
] as const;
type Switch = (typeof SWITCHES)[number];

const METRICS = 'a-token-for-metrics';
const http = { [oauth.allowInsecureRequests]: true } as const;

/** The client must know that callbacks have `iss`: the metadata of the default issuer does not announce it. */
const announcedBy = ([option]: Switch) =>
  option === '--issuer-in-callback' ? { authorization_response_iss_parameter_supported: true } : {};

onEachDatabase((database, _open, place) => {
  describe(`switches of codes on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    before(async () => {
      const { databaseUrl } = await place();
      site = await openSite({ databaseUrl, env: { KALENDS_METRICS_TOKEN: METRICS } });
    });
    after(() => site?.close());

    /** Returns the number of replayed codes that the metrics count. */
    async function countReplays(): Promise<number> {
      const headers = { authorization: `Bearer ${METRICS}` };
      const text = await (await fetch(`${site.program.url}/metrics`, { headers })).text();
      return Number(/^kalends_codes_replayed_total (\d+)$/m.exec(text)?.[1]);
    }

    async function register(change: Switch): Promise<Application> {
      const application = await site.program.createClient();
      await site.program.command('client', 'update', application.clientId, ...change);
      return { ...application, url: site.program.url };
    }

    async function visit(address: URL): Promise<URL> {
      const browser = openBrowser();
      await browser.open(address);
      await linkAccount(browser, site.login);
      const { destination, body } = await allow(browser);
      if (destination === undefined) throw new Error(`Nothing was approved: ${body}`);
      return destination;
    }

    for (const change of SWITCHES) {
      it(`openid-client completes the flow with ${change.join(' ')}`, async () => {
        const { url, clientId, clientSecret, redirectUri } = await register(change);
        const discovered = await openid.discovery(new URL(url), clientId, clientSecret, undefined, {
          algorithm: 'oauth2',
          execute: [openid.allowInsecureRequests],
        });
        const { supportsPKCE: _, ...announced } = discovered.serverMetadata();
        const metadata = { ...announced, ...announcedBy(change) };
        const config = new openid.Configuration(metadata, clientId, clientSecret);
        openid.allowInsecureRequests(config);
        const pkceCodeVerifier = openid.randomPKCECodeVerifier();
        const expectedState = openid.randomState();
        const parameters = { user_id: 'ada', redirect_uri: redirectUri, state: expectedState };
        const address = await openid.buildAuthorizationUrlWithPAR(config, {
          ...parameters,
          code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
        });

        const callback = await visit(address);
        const checks = { pkceCodeVerifier, expectedState };
        const first = await openid.authorizationCodeGrant(config, callback, checks);
        const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '');
        const calendars = new URL('/calendars', url);
        const reading = await openid.fetchProtectedResource(config, second.access_token, calendars, 'GET');
        await openid.tokenRevocation(config, second.refresh_token ?? '');

        assert.deepEqual([first.expires_in, reading.status], [3600, 200]);
        await assert.rejects(openid.refreshTokenGrant(config, second.refresh_token ?? ''), {
          error: 'invalid_grant',
        });
        const withoutChallenge = openid.buildAuthorizationUrlWithPAR(config, parameters);
        if (change[0] === '--pkce') await assert.rejects(withoutChallenge, { error: 'invalid_request' });
        else assert.ok(await withoutChallenge);
      });

      it(`oauth4webapi completes the flow with ${change.join(' ')}`, async () => {
        const application = await register(change);
        const { url, clientId, clientSecret, redirectUri } = application;
        const issuer = new URL(url);
        const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http });
        const as = { ...(await oauth.processDiscoveryResponse(issuer, discovery)), ...announcedBy(change) };
        const client: oauth.Client = { client_id: clientId };
        const secret = oauth.ClientSecretPost(clientSecret);
        const verifier = oauth.generateRandomCodeVerifier();
        const state = oauth.generateRandomState();
        const address = new URL(as.authorization_endpoint ?? '');
        address.search = new URLSearchParams({
          ...{ client_id: clientId, user_id: 'ada', response_type: 'code', state },
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }).toString();

        const answer = oauth.validateAuthResponse(as, client, await visit(address), state);
        const exchange = async () => {
          const sent = [as, client, secret, answer, redirectUri, verifier, http] as const;
          const exchanged = await oauth.authorizationCodeGrantRequest(...sent);
          return oauth.processAuthorizationCodeResponse(as, client, exchanged);
        };
        const first = await exchange();
        const before = await read(application, '/calendars', first.access_token);
        const replays = await countReplays();
        await assert.rejects(exchange(), { error: 'invalid_grant' });
        const after = await read(application, '/calendars', first.access_token);

        // The second redemption of an opaque code ends its grant, that of a user id nothing.
        assert.deepEqual([before.status, after.status], [200, change[1] === 'opaque' ? 401 : 200]);
        assert.equal((await countReplays()) - replays, change[1] === 'opaque' ? 1 : 0);
        assert.equal(answer.get('code') === 'ada', change[1] !== 'opaque');
      });
    }
  });

  // Several instances share PostgreSQL only.
  if (database !== 'PostgreSQL') return;

  describe('opaque codes on two instances', { skip: WITHOUT_RADICALE }, () => {
    it('one of ten concurrent callers, half at each instance, redeems a code, and its grant ends', async (t) => {
      const instances = await openInstances((await place()).databaseUrl ?? '');
      t.after(() => instances.close());
      const { applications, programs, login } = instances;
      await programs[0].command('client', 'update', applications[0].clientId, '--code-format', 'opaque');
      const { parameters } = await authorize(applications[0], { userId: 'ada', login });

      const callers = Array.from({ length: 10 }, (_, i) => applications[i % 2 === 0 ? 0 : 1]);
      const answers = await Promise.all(
        callers.map(async ({ url, clientId, clientSecret, redirectUri }) => {
          const body = new URLSearchParams({
            ...{ grant_type: 'authorization_code', code: parameters.get('code') ?? '' },
            ...{ client_id: clientId, client_secret: clientSecret, redirect_uri: redirectUri },
          });
          const answer = await fetch(`${url}/token`, { method: 'POST', body });
          return { status: answer.status, body: await answer.json() };
        }),
      );

      const [tokens, ...more] = answers.filter(({ status }) => status === 200);
      assert.ok(tokens);
      assert.deepEqual(more, []);
      for (const application of [applications[0], applications[1]])
        assert.equal((await read(application, '/calendars', tokens.body.access_token)).status, 401);
    });
  });
});
