/** PostgreSQL that stops answering while more callers wait than there are connections. */
import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';

import { DatabaseAwayError } from '../../src/lib/database-away-error.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { type Postgres, startPostgres } from '../harness/postgres.ts';
import { until } from '../harness/until.ts';

const CONNECTIONS = 4;
/** How long pg-pool lets a caller wait for a connection. */
const QUEUE_MS = 10_000;
const LOOK_MS = 250;

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('A PostgreSQL that stalls', () => {
  let postgres: Postgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres?.stop());

  it('refuses callers that wait for a connection once, also after the timers of their queue', async (t) => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    t.after(() => mock.timers.reset());
    const db = openPostgres(postgres.url, CONNECTIONS);
    t.after(() => db.close());
    const ask = () => db.all<{ one: number }>('SELECT 1 AS "one"');
    await Promise.all(Array.from({ length: CONNECTIONS }, ask));
    postgres.pause();
    t.after(() => postgres.resume());

    let settled: PromiseSettledResult<unknown>[] | undefined;
    void Promise.allSettled(Array.from({ length: 3 * CONNECTIONS }, ask)).then((all) => (settled = all));
    const isRefused = () => {
      mock.timers.tick(LOOK_MS);
      return settled !== undefined;
    };
    await until('every caller is refused', isRefused, turn);
    mock.timers.tick(QUEUE_MS);
    postgres.resume();

    for (const result of settled ?? assert.fail())
      assert.ok(result.status === 'rejected' && result.reason instanceof DatabaseAwayError);
    const isServed = () =>
      ask().then(
        ([row]) => row?.one === 1,
        () => false,
      );
    await until('the server is used again', isServed, turn);
  });
});
