/** Two instances behind HAProxy, of which one is killed under load. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { counterpart } from '../harness/counterpart.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { freePort } from '../harness/loopback.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { HAPROXY, startHaproxy } from '../servers/haproxy.ts';
import type { Running } from '../servers/process.ts';
import { haproxyConfiguration } from './docs-blocks.ts';

const CALLERS = 8;
const ENOUGH = 400;

onEachDatabase((database, _open, place) => {
  // Several instances share PostgreSQL only.
  if (database !== 'PostgreSQL') return;

  describe('HAProxy with two instances', counterpart('HAProxy', HAPROXY), () => {
    let proxy: Running;
    let url: string;
    const programs: Program[] = [];
    before(async () => {
      const { databaseUrl } = await place();
      url = `http://127.0.0.1:${await freePort()}`;
      const env = { KALENDS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'), KALENDS_URL: url };
      const ports = [await freePort(), await freePort()];
      for (const port of ports) programs.push(await startProgram({ databaseUrl, env, port }));
      proxy = await startHaproxy(await haproxyConfiguration(url, ports), `${url}/health`);
    });
    after(async () => {
      await proxy?.stop();
      for (const program of programs) await program.dispose();
    });

    it('HAProxy sends new requests to the other instance, and none gets its own 503, after kill -9 of one', async (t) => {
      const statuses: string[] = [];
      const call = async () => {
        while (statuses.length < ENOUGH) {
          const answer = await fetch(`${url}/health`, { headers: { connection: 'close' } });
          // Kalends gives each of its responses an id.
          const sender = answer.headers.has('x-request-id') ? 'Kalends' : 'HAProxy';
          statuses.push(`${answer.status} of ${sender}`);
          if (statuses.length === ENOUGH / 4) await programs[0]?.kill();
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, call));

      const count = (status: string) => statuses.filter((one) => one === status).length;
      t.diagnostic(`${count('200 of Kalends')} of ${statuses.length} succeeded`);
      assert.equal(count('503 of HAProxy'), 0);
      // At most one request of each caller was under way when the instance ended.
      assert.ok(count('200 of Kalends') >= statuses.length - CALLERS);
    });
  });
});
