/** kill -9 at random moments under load: nothing that was answered is lost, and nothing else comes to life. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker, type Worker } from '../e2e/crash-workers.ts';
import { openSite, type Site, WITHOUT_RADICALE } from '../e2e/site.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { rounds } from '../harness/rounds.ts';

const ROUNDS = rounds(10);
const WORKERS = 6;
const LONGEST_LOAD_MS = 400;

onEachDatabase((database, _open, place) => {
  describe(`kill -9 on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    before(async () => {
      site = await openSite({ databaseUrl: (await place()).databaseUrl });
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
