/** How applications share the slots of jobs. Each database's test calls this with its own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { jobClasses } from '../../src/jobs/job-kinds.ts';
import type { Job, JobPlace, TakeTerms } from '../../src/jobs/job-store.ts';
import type { Database, Statements, Values } from '../../src/store/drivers/database.ts';
import { lookSoon } from '../../src/store/jobs/followed-accounts.ts';
import { jobStore } from '../../src/store/jobs/job-store.ts';
import { NOW, newAccount, openWithUsers } from './calendar-rows.ts';
import { take, takeAll } from './job-terms.ts';

const [SYNCS = assert.fail(), OTHERS = assert.fail()] = jobClasses(48);

/** Jobs that are due, each of an account of its own. The texts are SQL, in which `n` counts from 0. */
type DueJobs = {
  readonly count: number;
  readonly clientId: string;
  readonly owner: string;
  readonly host?: string;
  readonly kind?: string;
  /** When the first is due, and a millisecond later the next. */
  readonly from?: number;
};

async function fill(db: Database, jobs: DueJobs): Promise<void> {
  const { count, clientId, owner, host = "''", kind = 'sync-account', from = 0 } = jobs;
  const numbers = `WITH RECURSIVE i (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < ${count - 1})`;
  await db.write(
    `INSERT INTO job (kind, key, run_at, attempts, client_id, owner, account_key, host)
     ${numbers} SELECT '${kind}', ${owner} || '/' || n, ${from} + n, 0, ${clientId}, ${owner}, ${owner} || '/' || n, ${host}
       FROM i`,
  );
  await db.write(
    `INSERT INTO job_turn (kind, turn_at, client_id, owner, host)
     SELECT kind, MIN(run_at), client_id, owner, host FROM job WHERE lease_holder IS NULL
      GROUP BY kind, client_id, owner, host ON CONFLICT DO NOTHING`,
  );
}

/** 10,000 jobs, of 100 owners of each application; at many hosts, or all at one. */
const hostile = (
  applications: number,
  host = `'h' || (n / ${100 * applications}) || '.example'`,
): DueJobs => ({
  count: 10_000,
  clientId: `'hostile' || (n % ${applications})`,
  owner: `'hostile' || (n % ${applications}) || ' owner' || (n / ${applications} % 100)`,
  host,
});
const quiet = (host?: string): DueJobs => ({
  count: 1,
  clientId: "'quiet'",
  owner: "'quiet owner'",
  ...(host !== undefined && { host }),
  from: 1_000_000,
});

/** As the worker takes jobs while none of its own run. */
const termsOf = ({ kinds, most }: typeof SYNCS): Partial<TakeTerms> => ({ kinds, most, limit: most.slots });

/** Takes jobs, as instances would that start one after the other, until none are left to take. */
async function takeOverInstances(db: Database): Promise<Job[]> {
  const taken: Job[] = [];
  for (let last = -1; taken.length > last; ) {
    last = taken.length;
    taken.push(...(await take(jobStore(db), { ...termsOf(SYNCS), holder: `h${last}` })));
  }
  return taken;
}

const countOf = (jobs: readonly JobPlace[], clientId: string) =>
  jobs.filter((job) => job.clientId === clientId).length;

export function jobSharesContract(database: string, open: () => Promise<Database>): void {
  describe(`JobShares on ${database}`, () => {
    for (const applications of [1, 3])
      for (const host of [undefined, "'one.example'"])
        it(`one call takes a quiet application's job behind 10,000 that were due first, of applications: ${applications}, host: ${host ?? 'any'}`, async () => {
          const db = await open();
          await fill(db, hostile(applications, host));
          await fill(db, quiet(host));

          const jobs = await take(jobStore(db), termsOf(SYNCS));

          assert.equal(countOf(jobs, 'quiet'), 1);
        });

    it('an application without others runs 24 syncs in a process, and 4 at a host', async () => {
      const db = await open();
      await fill(db, hostile(1));
      const jobs = await take(jobStore(db), termsOf(SYNCS));
      const again = await take(jobStore(db), { ...termsOf(SYNCS), running: jobs, limit: 24 });
      await db.write('DELETE FROM job RETURNING key');
      await fill(db, { ...hostile(1, "'one.example'"), kind: 'sync-calendar' });
      const atHost = await takeOverInstances(db);

      assert.deepEqual([jobs.length, again.length, atHost.length], [24, 0, 4]);
    });

    it('owners with one job come before the 65th job of an owner with 5,000 jobs at 200 hosts', async () => {
      const db = await open();
      const many = { clientId: "'many'", owner: "'many'", host: "'h' || (n % 200) || '.example'" };
      await fill(db, { ...many, count: 5_000 });
      await fill(db, { ...quiet(), count: 200, owner: "'quiet owner' || n" });
      const most = { ofAccount: 99, ofHost: 99, ofOwner: 9_999 };
      const taken: Job[] = [];

      for (let round = 1; countOf(taken, 'quiet') < 200; round += 1) {
        const takers = Array.from({ length: 8 }, (_, taker) =>
          take(jobStore(db), {
            kinds: SYNCS.kinds,
            most,
            limit: 10,
            now: NOW + round,
            holder: `${round} ${taker}`,
          }),
        );
        taken.push(...(await Promise.all(takers)).flat());
        if (countOf(taken, 'quiet') < 200) assert.ok(countOf(taken, 'many') < 65);
      }

      assert.equal(countOf(taken, 'quiet'), 200);
    });

    it('an application takes its share of what others leave free', async () => {
      const db = await open();
      await fill(db, hostile(1));
      await fill(db, { ...quiet(), count: 50, owner: "'quiet owner' || n" });
      const others = { clientId: 'other', owner: '', accountKey: '', host: '' };
      const running = Array.from({ length: 30 }, () => others);

      const jobs = await take(jobStore(db), { ...termsOf(SYNCS), running, limit: 18 });

      assert.deepEqual([countOf(jobs, 'hostile0'), countOf(jobs, 'quiet')], [9, 4]);
    });

    it('two jobs of a user run at a host over all instances, and others of the application go on', async () => {
      const db = await open();
      await fill(db, { ...quiet("'one.example'"), count: 9 });
      const first = await takeOverInstances(db);
      await fill(db, { ...quiet("'one.example'"), owner: "'other owner'", from: 2_000_000 });
      const next = await takeOverInstances(db);

      assert.deepEqual([first.length, next.map(({ owner }) => owner)], [2, ['other owner']]);
    });

    it('a turn whose account is at its limit does not keep the next turn from the last slot of a server', async () => {
      const db = await open();
      const dueAt = (owner: string, count: number) =>
        fill(db, { count, clientId: "'acme'", owner: `'${owner}'`, host: "'one.example'" });
      await dueAt('first', 2);
      await dueAt('second', 1);
      await db.write('UPDATE job SET account_key = owner');
      await db.write("UPDATE job_turn SET served_at = :later WHERE owner = 'second'", { later: NOW + 1 });
      const most = { ofAccount: 1, ofHost: 2 };

      const taken = await take(jobStore(db), { most, limit: 1 });
      const next = await take(jobStore(db), { most, now: NOW + 2, holder: 'next' });

      assert.deepEqual(
        [taken, next].map((jobs) => jobs.map(({ owner }) => owner)),
        [['first'], ['second']],
      );
    });

    it('a run that was given up counts for its application, and frees its slot for others', async () => {
      const db = await open();
      await fill(db, hostile(1));
      await fill(db, { ...quiet(), count: 99, owner: "'quiet owner' || n" });
      const abandoned = Array.from({ length: 48 }, (_, n) => ({
        ...{ clientId: 'hostile0', owner: `gone ${n}`, accountKey: '', host: '' },
      }));

      const jobs = await take(jobStore(db), { ...termsOf(SYNCS), running: abandoned, abandoned });

      assert.deepEqual([countOf(jobs, 'hostile0'), countOf(jobs, 'quiet')], [0, 24]);
    });

    it('syncs at a server hold up no other job there', async () => {
      const db = await open();
      await fill(db, hostile(3, "'one.example'"));
      await takeOverInstances(db);
      await fill(db, { ...quiet("'one.example'"), kind: 'finish-splits' });

      const jobs = await take(jobStore(db), { ...termsOf(OTHERS), holder: 'other' });

      assert.equal(countOf(jobs, 'quiet'), 1);
    });

    it('due turns of an application that holds its share are reported', async () => {
      const db = await open();
      await fill(db, hostile(1));

      const taken = await takeAll(jobStore(db), termsOf(SYNCS));
      const none = await takeAll(jobStore(db), { ...termsOf(OTHERS), holder: 'other' });

      assert.deepEqual([...new Set(taken.passedOver)], ['hostile0']);
      assert.deepEqual(none.passedOver, []);
    });

    it('turns are passed over in an index that has all their names', async () => {
      const db = await open();
      await fill(db, { ...hostile(3), count: 2_000 });
      await fill(db, { count: 18_000, clientId: "'later'", owner: "'later' || n", from: NOW + 1 });
      // Autovacuum does this in its own time.
      if (db.dialect.engine === 'postgres') await db.all('VACUUM ANALYZE job_turn');
      const plans: string[] = [];

      await take(jobStore(explainingTurns(db, plans)), termsOf(SYNCS));

      assert.ok(plans.length > 4);
      for (const plan of plans) assert.match(plan, /(COVERING INDEX|Index Only Scan using) job_turn_by_time/);
    });

    it('a job of an older instance counts for no application until it is scheduled again', async () => {
      const { db, accounts, jobs } = await openWithUsers(open);
      const { accountKey } = await accounts.linkAccount(newAccount({}), NOW);
      await db.write('UPDATE account_group SET expires_at = NULL');
      for (const table of ['job', 'job_turn']) await db.write(`UPDATE ${table} SET client_id = ''`);

      const [old] = await take(jobs, { holder: 'first' });
      await jobs.schedule('sync-account', accountKey, NOW);
      if (old !== undefined) await jobs.finish(old, 'first');
      const [next] = await take(jobs, { holder: 'next', now: NOW + 2_000 });

      assert.deepEqual([old?.clientId, next?.clientId], ['', 'acme']);
      assert.deepEqual(await namesOf(db), ['acme']);
    });

    it('users who hold all that they may at their hosts hide nobody', async () => {
      const db = await open();
      const users = {
        clientId: "'many'",
        owner: "'user' || (n % 200)",
        host: "'h' || (n % 200) || '.example'",
      };
      await fill(db, { ...users, count: 400 });
      await db.write("UPDATE job SET lease_holder = 'elsewhere', run_at = :later", { later: NOW + 9 });
      await fill(db, { ...users, count: 200, from: 500, kind: 'sync-calendar' });
      await fill(db, quiet());

      const jobs = await take(jobStore(db), termsOf(SYNCS));

      assert.deepEqual([countOf(jobs, 'many'), countOf(jobs, 'quiet')], [0, 1]);
    });

    it('a turn keeps the name of its application beside a job that an older instance made', async () => {
      const { db, accounts, jobs } = await openWithUsers(open);
      await accounts.linkAccount(newAccount({}), NOW);
      await db.write('UPDATE account_group SET expires_at = NULL');
      await db.write("UPDATE job SET client_id = ''");
      const [job = assert.fail()] = await take(jobs);
      await jobs.putOff(job, 'h', NOW + 5);

      assert.deepEqual(await namesOf(db), ['acme']);
    });

    it('a turn that was forgotten comes back with its application', async () => {
      const { db, accounts, jobs } = await openWithUsers(open);
      const { accountKey } = await accounts.linkAccount(newAccount({}), NOW);
      await db.write('UPDATE account_group SET expires_at = NULL');
      const forget = () => db.write("DELETE FROM job_turn WHERE kind = 'sync-account'");
      const [job = assert.fail()] = await take(jobs);
      await forget();
      await jobs.putOff(job, 'h', NOW + 5);
      const putOff = await namesOf(db);
      await forget();
      await db.transaction((tx) => lookSoon(tx, { clientId: 'acme' }, NOW));

      assert.deepEqual([putOff, await namesOf(db), job.key], [['acme'], ['acme'], accountKey]);
    });

    it('the end of the access to an account is a job of its application, also once that is deleted', async () => {
      const { db, accounts, clients } = await openWithUsers(open);
      const account = newAccount({ provider: 'google', accountId: 'ada@example.com' });
      await accounts.linkAccount(account, NOW);
      await clients.deleteClient('acme', NOW, undefined);

      assert.deepEqual(await namesOf(db, 'end-access'), ['acme']);
      assert.deepEqual(
        (await take(jobStore(db), { kinds: ['end-access'] })).map(({ clientId }) => clientId),
        ['acme'],
      );
    });
  });
}

const namesOf = async (db: Database, kind = 'sync-account') =>
  (
    await db.all<{ name: string }>(
      `SELECT DISTINCT client_id AS "name" FROM job_turn WHERE kind = :kind ORDER BY 1`,
      { kind },
    )
  ).map(({ name }) => name);

/** Keeps how the database looks for due turns. */
function explainingTurns(db: Database, plans: string[]): Database {
  const explain = db.dialect.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  const explaining = (tx: Statements): Statements => ({
    dialect: tx.dialect,
    get: tx.get.bind(tx),
    change: tx.change.bind(tx),
    async all<Row>(sql: string, values?: Values) {
      if (/LIMIT 1000/.test(sql)) {
        const rows = await tx.all<Record<string, unknown>>(`${explain} ${sql}`, values);
        plans.push(rows.map((row) => String(row['QUERY PLAN'] ?? row.detail)).join('\n'));
      }
      return tx.all<Row>(sql, values);
    },
  });
  const changed: Pick<Database, 'get' | 'transaction'> = {
    get: db.get.bind(db),
    transaction: (work) => db.transaction((tx) => work(explaining(tx))),
  };
  return Object.assign(Object.create(db) as Database, changed);
}
