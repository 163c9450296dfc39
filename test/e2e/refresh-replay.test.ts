/** A client that others wrote loses the response to a refresh, and repeats the request: on the running program, killed too. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';

import { onEachDatabase } from '../harness/databases.ts';
import { startCuttingProxy } from '../servers/cutting-proxy.ts';
import { type Application, connect, read, revoke } from './flow.ts';
import { openInstances } from './instances.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const WINDOW = ['--refresh-replay-window', '120'];

onEachDatabase((database, _open, place) => {
  describe(`oauth4webapi loses the response to a refresh, on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    before(async () => {
      site = await openSite({ databaseUrl: (await place()).databaseUrl });
      await site.program.command('client', 'update', site.application.clientId, ...WINDOW);
    });
    after(() => site?.close());

    const connected = (userId: string) => connect(site.application, { userId, login: site.login });

    /** Refreshes through a proxy that cuts the response, after `then`. Returns the refresh token that was lost. */
    async function lose(refreshToken: string, then = async () => {}): Promise<string> {
      let lost = '';
      const proxy = await startCuttingProxy(site.program.url, async ({ body }) => {
        lost = JSON.parse(body).refresh_token;
        await then();
        return true;
      });
      const refreshed = refreshBy({ ...site.application, url: proxy.url }, refreshToken);
      await assert.rejects(refreshed, TypeError).finally(() => proxy.stop());
      return lost;
    }

    it('the client repeats the request, gets the lost refresh token, and continues with it', async () => {
      const { refreshToken: spent } = await connected('ada');
      const lost = await lose(spent);

      const repeated = await refreshBy(site.application, spent);

      assert.equal(repeated.refresh_token, lost);
      assert.equal((await read(site.application, '/calendars', repeated.access_token)).status, 200);
      const next = await refreshBy(site.application, lost);
      assert.notEqual(next.refresh_token, lost);
      await assertRefused(site.application, spent);
    });

    it('after a kill -9 before the response the restarted program returns the lost refresh token', async () => {
      const { refreshToken: spent } = await connected('grace');
      const lost = await lose(spent, () => site.program.kill());
      await site.program.start();

      const repeated = await refreshBy(site.application, spent);

      assert.equal(repeated.refresh_token, lost);
      await refreshBy(site.application, lost);
      await assertRefused(site.application, spent);
    });

    it('kill -9 does not bring back a lost refresh token that was revoked', async () => {
      const { refreshToken: spent } = await connected('alan');
      const lost = await lose(spent);
      assert.equal((await revoke(site.application, spent)).status, 200);
      await site.program.kill();
      await site.program.start();

      for (const token of [spent, lost]) await assertRefused(site.application, token);
    });

    it('without a window the client is refused, and its user has to authorize again', async () => {
      const { clientId } = site.application;
      const { refreshToken: spent } = await connected('barbara');
      await site.program.command('client', 'update', clientId, '--refresh-replay-window', '0');
      await lose(spent);

      await assertRefused(site.application, spent).finally(() =>
        site.program.command('client', 'update', clientId, ...WINDOW),
      );
    });
  });

  // Several instances share PostgreSQL only.
  if (database !== 'PostgreSQL') return;

  describe('a refresh replay window on two instances', { skip: WITHOUT_RADICALE }, () => {
    it('ten concurrent callers, half at each instance, get one refresh token', async (t) => {
      const instances = await openInstances((await place()).databaseUrl ?? '');
      t.after(() => instances.close());
      const { applications, programs, login } = instances;
      await programs[0].command('client', 'update', applications[0].clientId, ...WINDOW);
      const { refreshToken } = await connect(applications[0], { userId: 'ada', login });

      const callers = Array.from({ length: 10 }, (_, i) => applications[i % 2 === 0 ? 0 : 1]);
      const answers = await Promise.all(callers.map((application) => refreshBy(application, refreshToken)));

      const ids = answers.map(({ refresh_token: token = '' }) => decodeJwt(token).jti);
      assert.equal(new Set(ids).size, 1);
      assert.equal(new Set(answers.map(({ access_token: token }) => token)).size, 10);
    });
  });
});

/** One refresh by oauth4webapi. Throws TypeError if there is no response, ResponseBodyError for an OAuth error. */
async function refreshBy({ url, clientId, clientSecret }: Application, refreshToken: string) {
  const as = { issuer: url, token_endpoint: `${url}/token` };
  const client = { client_id: clientId };
  const secret = oauth.ClientSecretBasic(clientSecret);
  const http = { [oauth.allowInsecureRequests]: true };
  const answer = await oauth.refreshTokenGrantRequest(...([as, client, secret, refreshToken, http] as const));
  return oauth.processRefreshTokenResponse(as, client, answer);
}

async function assertRefused(application: Application, refreshToken: string): Promise<void> {
  await assert.rejects(refreshBy(application, refreshToken), { error: 'invalid_grant' });
}
