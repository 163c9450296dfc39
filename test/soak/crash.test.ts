/** kill -9 at random moments under load: nothing that was answered is lost, and nothing else comes to life. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker, type Worker } from '../e2e/crash-workers.ts';
import { authorize, exchange, read, tokensOf } from '../e2e/flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from '../e2e/site.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { backendsEnded } from '../harness/ended-backends.ts';
import { rounds, scale } from '../harness/rounds.ts';
import { assertWhole, rowsOf } from './whole-groups.ts';

/** Each costs a start of the program; a soak strikes far more often. */
const ROUNDS = scale() < 20 ? rounds(2) : rounds(10);
const DURING = scale() < 20 ? rounds(2) : rounds(5);
const WORKERS = 6;
const LONGEST_LOAD_MS = 400;
/** About as long as the program takes for one. */
const LONGEST_EXCHANGE_MS = 20;

onEachDatabase((database, _open, place) => {
  describe(`kill -9 on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    let databaseUrl: string | undefined;
    before(async () => {
      ({ databaseUrl } = await place());
      site = await openSite({ databaseUrl });
    });
    after(() => site?.close());

    it('kill -9 loses nothing that was answered and revives nothing that ended, whenever it strikes', async (t) => {
      const { program, application, login } = site;
      const ids = Array.from({ length: WORKERS }, (_, i) => `worker ${i}`);
      const workers = await Promise.all(ids.map((id) => startWorker(application, id, login, Math.random)));
      const struck: Record<string, number> = {};

      for (let round = 0; round < ROUNDS; round++) {
        const load = workers.map(workUntilKilled);
        await sleep(10 + Math.random() * LONGEST_LOAD_MS);
        await program.kill();
        await Promise.all(load);
        if (database === 'SQLite') assertIntact(program.dataDir);
        await assertWhole(program, databaseUrl);
        await program.start();
        for (const worker of workers) {
          const step = (await worker.verify()) ?? 'nothing';
          struck[step] = (struck[step] ?? 0) + 1;
        }
      }

      t.diagnostic(`${database}: ${ROUNDS} kills; under way was ${JSON.stringify(struck)}`);
      const faults = program
        .output()
        .stderr.split('\n')
        .filter((line) => line.includes('"level":50'));
      assert.deepEqual(faults, [], 'no request failed for a fault of ours');
    });

    it('kill -9 between Allow and the redemption leaves an account that is the user’s with the redemption only', async () => {
      const { program, application, login } = site;
      await authorize(application, { userId: 'between', login });
      await program.kill();
      await assertWhole(program, databaseUrl);
      assert.equal((await unfinished('between')).length, 1);
      await program.start();

      const { accessToken } = await tokensOf(await exchange(application, 'between'));

      assert.equal(await accountsRead(accessToken), 1);
      assert.equal((await unfinished('between')).length, 0);
      assert.equal((await exchange(application, 'between')).status, 400);
    });

    it('kill -9 during the redemption leaves both the grant and the account, or neither', async (t) => {
      const { program, application, login } = site;
      const left = { neither: 0, both: 0 };

      for (let round = 0; round < DURING; round++) {
        const userId = `during ${round}`;
        await authorize(application, { userId, login });
        // Whichever way it ends, the answer may never come.
        const exchanging = exchange(application, userId).catch(() => undefined);
        await sleep(Math.random() * LONGEST_EXCHANGE_MS);
        await program.kill();
        await exchanging;
        await backendsEnded(databaseUrl);

        await assertWhole(program, databaseUrl);
        const isUnfinished = (await unfinished(userId)).length === 1;
        left[isUnfinished ? 'neither' : 'both'] += 1;
        await program.start();
        const again = await exchange(application, userId);
        assert.equal(again.status, isUnfinished ? 200 : 400, userId);
        if (isUnfinished) assert.equal(await accountsRead((await tokensOf(again)).accessToken), 1);
      }
      t.diagnostic(`${database}: ${JSON.stringify(left)}`);
    });

    const unfinished = (userId: string) =>
      rowsOf(
        `SELECT group_id FROM account_group WHERE user_id = '${userId}' AND expires_at IS NOT NULL`,
        site.program,
        databaseUrl,
      );
    const accountsRead = async (accessToken: string) => {
      const answer = await read(site.application, '/connection-status', accessToken);
      const { connections }: { connections: { caldav: unknown[] } } = JSON.parse(await answer.text());
      return connections.caldav.length;
    };
  });
});

/** Ends when the connection is cut; anything else that goes wrong is a finding. */
async function workUntilKilled(worker: Worker): Promise<void> {
  try {
    await worker.work();
  } catch (reason) {
    if (!isCutConnection(reason)) throw reason;
  }
}

/** How fetch tells that the other side went away, before or while it answered. */
function isCutConnection(reason: unknown): boolean {
  return reason instanceof TypeError && /^(fetch failed|terminated)$/.test(reason.message);
}

function assertIntact(dataDir: string): void {
  const db = new DatabaseSync(path.join(dataDir, 'kalends.db'));
  const rows = db.prepare('PRAGMA integrity_check').all();
  db.close();
  assert.deepEqual(
    rows.map(({ integrity_check: result }) => result),
    ['ok'],
  );
}
