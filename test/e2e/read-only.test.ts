/** The running program while its PostgreSQL takes no writes, as during a failover. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import { administer } from '../harness/migrated.ts';
import { until } from '../harness/until.ts';
import { authorizeUrl, connect, read, refresh } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const METRICS = 'a-token-for-scrapes';

onEachDatabase((database, _open, place) => {
  if (database !== 'PostgreSQL') return;

  describe('The program on a read-only PostgreSQL', { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    let databaseUrl: string;
    before(async () => {
      ({ databaseUrl = '' } = await place());
      site = await openSite({ databaseUrl, env: { KALENDS_METRICS_TOKEN: METRICS } });
    });
    after(() => site?.close());

    const statusOf = async (path: string) => (await fetch(site.application.url + path)).status;
    /** For all sessions: those that are open are ended. */
    const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
      const name = new URL(databaseUrl).pathname.slice(1);
      const server = new URL('/postgres', databaseUrl).href;
      await administer(server, `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
      await administer(
        server,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
    };

    it('fails refreshes with 503, keeps their tokens, serves old mirrors, and is ready again by itself', async () => {
      const { application, login } = site;
      const { accessToken, refreshToken } = await connect(application, { userId: 'ada', login });
      assert.equal((await read(application, '/calendars', accessToken)).status, 200);
      await administer(databaseUrl, 'UPDATE account SET listed_at = listed_at - 3600000');
      await setReadOnly('on');
      await until('/ready is no longer 200', async () => (await statusOf('/ready')) !== 200);

      for (let attempt = 1; attempt <= 20; attempt++) {
        const answer = await refresh(application, refreshToken);
        assert.equal(answer.status, 503);
        assert.match(String(answer.headers.get('retry-after')), /^\d+$/);
      }
      assert.equal((await read(application, '/calendars', accessToken)).status, 200);
      assert.match(await (await read(application, '/metrics', METRICS)).text(), /^kalends_ready 0$/m);
      assert.equal((await fetch(authorizeUrl(application, { userId: 'ada' }))).status, 500);

      await setReadOnly('off');
      await until('/ready is 200', async () => (await statusOf('/ready')) === 200);
      assert.equal((await refresh(application, refreshToken)).status, 200);
    });
  });
});
