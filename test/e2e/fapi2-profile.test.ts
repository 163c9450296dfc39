/** Applications with the profile `fapi2` at the running program: openid-client, our client and `kalends listen`. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as openid from 'openid-client';
import {
  createPkce,
  kalends,
  type PrivateJwk,
  ReauthorizationRequired,
} from '../../packages/client/src/kalends.ts';
import { failing, type Interference, memoryStore, network } from '../client/client-site.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { runProgram } from '../harness/program.ts';
import { launchChromium, openPage, startCallback, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';
import {
  type Discovered,
  type StrictApplication,
  type StrictClients,
  strictClients,
} from './strict-clients.ts';

const MAIN = path.resolve(import.meta.dirname, '../../src/start.js');
const REDIRECT_URI = 'http://localhost:9/callback';
const APPLICATION = { scope: 'application' };
const WINDOW = 'start=2026-11-01&end=2026-12-01';

onEachDatabase((database, _open, place) => {
  describe(`an application with the profile fapi2 on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    let strict: StrictClients;
    let bank: StrictApplication;
    before(async () => {
      site = await openSite({ databaseUrl: (await place()).databaseUrl });
      strict = strictClients(site);
      bank = await strict.register(REDIRECT_URI);
    });
    after(() => site?.close());

    const connect = (client: Discovered, userId: string) =>
      strict.connect(client, { userId, redirectUri: REDIRECT_URI });

    it('openid-client completes the flow with issuer, client id and key alone, and calls at the three prefixes', async () => {
      const client = await strict.discover(bank);

      const { tokens, callback } = await connect(client, 'ada');

      assert.equal(callback.searchParams.get('iss'), strict.issuer);
      assert.match(callback.searchParams.get('code') ?? '', /^[\w-]{43}$/);
      assert.deepEqual(client.sent, [
        ...['POST /fapi2/par 400', 'POST /fapi2/par 201', 'POST /fapi2/token 200'],
      ]);
      const { sub, iss, cnf } = decodeJwt(tokens.access_token);
      assert.deepEqual(
        [sub, iss, decodeProtectedHeader(tokens.access_token).alg],
        ['ada', strict.issuer, 'ES256'],
      );
      assert.deepEqual(cnf, { jkt: await client.DPoP.calculateThumbprint() });
      for (const prefix of ['', '/api', '/api/oauth'])
        for (const target of ['/connection-status', `/events?${WINDOW}`])
          assert.equal(
            (await strict.call(client, tokens.access_token, prefix + target)).status,
            200,
            prefix + target,
          );
      const bearer = { headers: { authorization: `Bearer ${tokens.access_token}` } };
      assert.equal((await fetch(`${site.program.url}/connection-status`, bearer)).status, 401);
    });

    it('openid-client refreshes in parallel without rotation, introspects, and revokes', async () => {
      const client = await strict.discover(bank);
      const { config, DPoP } = client;
      const { tokens } = await connect(client, 'ben');
      const refreshToken = tokens.refresh_token ?? '';

      const refreshed = await Promise.all(
        Array.from({ length: 10 }, () => openid.refreshTokenGrant(config, refreshToken, undefined, { DPoP })),
      );

      assert.deepEqual(new Set(refreshed.map((one) => one.refresh_token)), new Set([refreshToken]));
      const [access = ''] = refreshed.map((one) => one.access_token);
      assert.equal((await strict.call(client, access, '/connection-status')).status, 200);
      const { active, sub, token_type, cnf } = await openid.tokenIntrospection(config, access);
      assert.deepEqual([active, sub, token_type], [true, 'ben', 'DPoP']);
      assert.deepEqual(cnf, { jkt: await DPoP.calculateThumbprint() });
      const other = await strict.discover(await strict.register(REDIRECT_URI));
      assert.deepEqual(await openid.tokenIntrospection(other.config, access), { active: false });

      const body = new URLSearchParams({ token: refreshToken });
      const bare = await fetch(`${strict.issuer}/revoke`, { method: 'POST', body });
      assert.deepEqual([bare.status, (await bare.json()).error], [401, 'invalid_client']);
      await assert.rejects(openid.tokenRevocation(other.config, refreshToken), {
        ...{ error: 'invalid_grant', status: 400 },
      });
      assert.equal((await strict.call(client, access, '/connection-status')).status, 200);
      await openid.tokenRevocation(config, refreshToken);
      await assert.rejects(strict.call(client, access, '/connection-status'), { status: 401 });
      assert.deepEqual(await openid.tokenIntrospection(config, access), { active: false });
    });

    it('openid-client gets a bound application token, which needs proofs', async () => {
      const client = await strict.discover(bank);
      const { config, DPoP } = client;
      await connect(client, 'cleo');

      const own = await openid.clientCredentialsGrant(config, APPLICATION, { DPoP });

      assert.deepEqual([own.expires_in, own.token_type, own.refresh_token], [600, 'dpop', undefined]);
      assert.equal((await strict.call(client, own.access_token, '/users/cleo')).status, 200);
      const bearer = { headers: { authorization: `Bearer ${own.access_token}` } };
      assert.equal((await fetch(`${site.program.url}/users/cleo`, bearer)).status, 401);
      await assert.rejects(openid.clientCredentialsGrant(config, APPLICATION), {
        error: 'invalid_dpop_proof',
      });
    });

    it('the endpoints of the other issuer are unauthorized_client, and end nothing', async () => {
      const client = await strict.discover(bank);
      const { tokens } = await connect(client, 'hal');
      const { url } = site.program;
      const paths = { token_endpoint: `${url}/token`, revocation_endpoint: `${url}/revoke` };
      const { supportsPKCE: _, ...metadata } = { ...client.config.serverMetadata(), ...paths };
      const method = openid.PrivateKeyJwt(bank.key);
      const wrong = new openid.Configuration(metadata, bank.clientId, undefined, method);
      openid.allowInsecureRequests(wrong);
      const refused = { error: 'unauthorized_client', status: 400 };

      await assert.rejects(openid.clientCredentialsGrant(wrong, APPLICATION), refused);
      await assert.rejects(openid.tokenRevocation(wrong, tokens.access_token), refused);

      assert.equal((await strict.call(client, tokens.access_token, '/connection-status')).status, 200);
    });

    it('keys rotate changes the key of tokens, and the tokens before it stay valid', async () => {
      const client = await strict.discover(bank);
      const { config, DPoP } = client;
      const { tokens } = await connect(client, 'dora');
      const kidOf = ({ access_token: token }: typeof tokens) => decodeProtectedHeader(token).kid;

      await site.program.command('keys', 'rotate');
      await site.program.stop();
      await site.program.start();

      assert.equal((await strict.call(client, tokens.access_token, '/connection-status')).status, 200);
      const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
      assert.notEqual(kidOf(next), kidOf(tokens));
      const { keys } = await (await fetch(`${strict.issuer}/jwks.json`)).json();
      const kids = keys.map(({ kid }: { kid: string }) => kid);
      assert.deepEqual(
        [kidOf(next), kidOf(tokens)].map((kid) => kids.includes(kid)),
        [true, true],
      );
    });

    /** Our client at the strict issuer, and the tokens of a user who approved. */
    async function ownClient(userId: string, interfere?: Interference) {
      const { clientId, redirectUri, jwk: privateKey } = bank;
      const net = network(interfere);
      const client = kalends({
        ...{
          url: site.program.url,
          issuer: strict.issuer,
          clientId,
          redirectUri,
          dpop: true,
          fetch: net.fetch,
        },
        privateKey: privateKey as PrivateJwk, // exported by this file
      });
      const { codeVerifier, codeChallenge } = await createPkce();
      const address = await client.pushedAuthorizationUrl({ userId, state: 'unguessable', codeChallenge });
      const callback = { url: await strict.approve(address), state: 'unguessable', userId, codeVerifier };
      return { client, net, tokens: await client.completeAuthorization(callback) };
    }

    it('our client completes the flow, calls, refreshes, introspects and revokes at the strict issuer', async () => {
      const busy = () => Response.json({ error: 'temporarily_unavailable' }, { status: 503 });
      const { client, net, tokens } = await ownClient('finn', failing('POST /fapi2/introspect', 1, busy));

      const store = memoryStore({ ...tokens, expiresAt: 0 });
      const user = client.user(store);
      await Promise.all([user.connectionStatus(), user.calendars()]);
      assert.equal(store.tokens.refreshToken, tokens.refreshToken);
      assert.equal((await client.getUser('finn')).user_id, 'finn');
      assert.equal((await client.introspect(store.tokens.accessToken)).active, true);
      await client.revoke(store.tokens.accessToken);
      assert.equal((await client.introspect(store.tokens.refreshToken)).active, false);
      await assert.rejects(user.connectionStatus(), ReauthorizationRequired);
      assert.equal(net.count('POST /fapi2/introspect'), 3);
      const posts = new Set(net.sent.map(({ request }) => request).filter((one) => one.startsWith('POST')));
      const paths = ['par', 'token', 'introspect', 'revoke'].map((name) => `POST /fapi2/${name}`);
      assert.deepEqual(posts, new Set(paths));
    });

    it('kalends listen receives deliveries with bound tokens of the application', async () => {
      const { client, tokens } = await ownClient('gus');
      const { clientId, jwk } = bank;
      const env = { PATH: process.env.PATH ?? '', KALENDS_CLIENT_PRIVATE_KEY: JSON.stringify(jwk) };
      const args = ['listen', '--client-id', clientId, '--own', '--json', '--url'];
      const child = spawn(process.execPath, [MAIN, ...args, strict.issuer], { env });
      try {
        const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
        const next = async () => JSON.parse((await lines.next()).value ?? '{}');
        assert.equal((await next()).listening, true);
        const user = client.user(memoryStore(tokens));
        const [calendar] = (await user.calendars()).calendars;
        const place = { provider: 'caldav', calendarId: calendar?.id ?? '' } as const;
        const [start, end] = ['2026-12-01T09:00:00Z', '2026-12-01T10:00:00Z'];
        await user.createEvent(place, { title: 'Heard', start, end });

        assert.equal((await next()).body.events[0].title, 'Heard');

        child.kill('SIGINT');
        assert.deepEqual(await once(child, 'close'), [0, null]);
      } finally {
        child.kill('SIGKILL');
      }
      const elsewhere = await runProgram([...args, site.program.url], env);
      assert.deepEqual([elsewhere.code, /must end with \/fapi2/.test(elsewhere.stdout)], [1, true]);
    });

    it('openid-client completes the flow with the approval in Chromium', {
      skip: WITHOUT_CHROMIUM,
    }, async () => {
      const server = await startCallback();
      const chromium = await launchChromium();
      try {
        const own = await strict.register(server.redirectUri);
        const client = await strict.discover(own);
        const { page } = await openPage(chromium);
        const visit = async (address: URL): Promise<URL> => {
          await page.goto(address.href);
          await page.getByRole('button', { name: 'Connect CalDAV', exact: true }).click();
          await page.getByRole('link', { name: 'Enter the server address' }).click();
          await page.getByLabel('Server URL').fill(site.login.server);
          await page.getByLabel('Username').fill(site.login.username);
          await page.getByLabel('Password', { exact: true }).fill(site.login.password);
          await page.getByRole('button', { name: 'Connect', exact: true }).click();
          await page.getByRole('button', { name: 'Allow', exact: true }).click();
          await page.waitForURL((url) => url.href.startsWith(server.redirectUri));
          return new URL(page.url());
        };

        const { tokens } = await strict.connect(client, { ...own, userId: 'ella', visit });

        assert.equal((await strict.call(client, tokens.access_token, '/connection-status')).status, 200);
      } finally {
        await chromium.close();
        await server.close();
      }
    });
  });
});
