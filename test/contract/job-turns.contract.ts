/**
 * Contract tests for the order and the concurrency limits of jobs. Each database's test calls them with its own
 * database.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Job } from '../../src/jobs/job-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { wrappedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { jobStore } from '../../src/store/jobs/job-store.ts';
import { NOW, newAccount, openWithUsers, tenTimes } from './calendar-rows.ts';
import { LEASE, SYNCS, take, takeAll } from './job-terms.ts';

const DAY = 24 * 3_600_000;

type Stores = Awaited<ReturnType<typeof openWithUsers>>;

export function jobTurnsContract(database: string, open: () => Promise<Database>): void {
  const prepare = () => openWithUsers(open);
  /** Links accounts of the user, one on each host, due at `NOW`. */
  const link = async ({ accounts, db }: Stores, userId: string, ...hosts: string[]) => {
    const keys: string[] = [];
    for (const [index, host] of hosts.entries()) {
      const accountId = `https://${host}/${userId}/${index}/`;
      keys.push((await accounts.linkAccount(newAccount({ userId, accountId }), NOW)).accountKey);
      // Accounts must be the user's own: few others are synced.
      await db.write('UPDATE account_group SET expires_at = NULL');
    }
    return keys;
  };
  /** Adds many due jobs to one account; the calendars of the jobs do not exist. */
  const fill = async ({ db }: Stores, accountKey: string, count: number) => {
    for (let number = 0; number < count; number += 1) {
      await db.write(
        `INSERT INTO job (kind, key, run_at, attempts, owner, account_key, host)
         SELECT 'sync-calendar', CAST(:key AS TEXT), CAST(:runAt AS BIGINT), 0, owner, account_key, host FROM job
          WHERE kind = 'sync-account' AND key = :accountKey`,
        { key: `${accountKey} ${number}`, runAt: NOW - 1_000 + number, accountKey },
      );
    }
    await db.write(
      `INSERT INTO job_turn (owner, kind, host, turn_at)
       SELECT owner, 'sync-calendar', host, :runAt FROM job WHERE kind = 'sync-account' AND key = :accountKey`,
      { runAt: NOW - 1_000, accountKey },
    );
  };
  const accountsOf = (jobs: readonly Job[]) => jobs.map(({ accountKey }) => accountKey);
  const unlimited = { ofAccount: 99, ofHost: 99, ofOwner: 99 };

  describe(`JobTurns on ${database}`, () => {
    it('a job carries its application, owner and account, and the account’s server without the port', async () => {
      const stores = await prepare();
      const [ada = ''] = await link(stores, 'ada', 'DAV.example:8443');
      await link(stores, 'ben', 'dav.example.');
      const google = newAccount({ provider: 'google', accountId: 'ada@gmail.example' });
      await stores.accounts.linkAccount(google, NOW);

      const jobs = await take(stores.jobs);

      const ofAda = jobs.find(({ key }) => key === ada);
      assert.deepEqual([ofAda?.accountKey, ofAda?.host], [ada, 'dav.example']);
      assert.deepEqual(jobs.map(({ host }) => host).sort(), ['', 'dav.example', 'dav.example']);
      assert.equal(new Set(jobs.map(({ owner }) => owner)).size, 2);
      assert.deepEqual([...new Set(jobs.map(({ clientId }) => clientId))], ['acme']);
      assert.doesNotMatch(JSON.stringify(jobs), /ada@|"ada"/);
    });

    it('one job of another user comes before the second of a user who has many', async () => {
      const stores = await prepare();
      const [many = ''] = await link(stores, 'ada', 'a.example');
      await fill(stores, many, 30);
      const [one = ''] = await link(stores, 'ben', 'b.example');

      const first = await take(stores.jobs, { limit: 1, now: NOW + 1, most: unlimited });
      const second = await take(stores.jobs, { limit: 1, now: NOW + 2, most: unlimited });

      assert.deepEqual(accountsOf([...first, ...second]).sort(), [many, one].sort());
    });

    it('the owner served longest ago comes first, whichever server the next job is at', async () => {
      const stores = await prepare();
      const adas = await link(stores, 'ada', 'a.example', 'b.example', 'c.example', 'd.example');
      const bens = await link(stores, 'ben', 'e.example', 'f.example');

      const taken: string[] = [];
      for (let step = 1; step <= 4; step += 1) {
        const jobs = await take(stores.jobs, { limit: 1, now: NOW + step, most: unlimited });
        taken.push(...accountsOf(jobs));
      }

      const owners = taken.map((key) => (adas.includes(key) ? 'ada' : 'ben'));
      assert.equal(new Set(owners.slice(0, 2)).size, 2);
      assert.equal(new Set(owners.slice(2)).size, 2);
      assert.ok(bens.every((key) => taken.includes(key)));
    });

    it('the owner served longest ago comes first, also where others have waited for longer', async () => {
      const stores = await prepare();
      await link(stores, 'ada', 'a.example', 'b.example', 'c.example');
      const [quick = ''] = await link(stores, 'ben', 'd.example');
      const one = { limit: 1, most: unlimited };
      const first = await take(stores.jobs, { ...one, now: NOW + 1, holder: 'first' });
      const second = await take(stores.jobs, { ...one, now: NOW + 2, holder: 'second' });
      for (const job of first) await stores.jobs.finish(job, 'first');
      for (const job of second) await stores.jobs.finish(job, 'second');
      await take(stores.jobs, { ...one, now: NOW + 3 });

      await stores.jobs.schedule('sync-account', quick, NOW + 4);
      const [next] = await take(stores.jobs, { ...one, now: NOW + 5 });

      assert.equal(next?.accountKey, quick);
    });

    it('no more than two jobs of an account run at once, over all instances', async () => {
      const stores = await prepare();
      const [key = ''] = await link(stores, 'ada', 'a.example');
      await fill(stores, key, 20);
      const most = { ...unlimited, ofAccount: 2 };

      const taken = (await tenTimes((i) => take(stores.jobs, { holder: `h${i}`, most }))).flat();
      const [job] = taken;
      if (job !== undefined) await tenTimes((i) => stores.jobs.finish(job, `h${i}`));
      const next = (
        await tenTimes((i) => take(stores.jobs, { holder: `n${i}`, most, now: NOW + 2_000 }))
      ).flat();

      assert.equal(taken.length, 2);
      assert.equal(next.length, 1);
    });

    it('no more than two jobs at a server run at once, over all instances', async () => {
      const { db, jobs } = await prepare();
      for (let user = 0; user < 40; user += 1) {
        const values = { owner: `owner ${user}`, runAt: NOW - user };
        await db.write(
          `INSERT INTO job (kind, key, run_at, attempts, owner, account_key, host)
           VALUES ('sync-account', :owner, :runAt, 0, :owner, :owner, 'evil.example')`,
          values,
        );
        await db.write(
          `INSERT INTO job_turn (owner, kind, host, turn_at) VALUES (:owner, 'sync-account', 'evil.example', :runAt)`,
          values,
        );
      }

      const taken = (await tenTimes((i) => take(jobs, { holder: `h${i}`, limit: 1 }))).flat();

      assert.equal(taken.length, 2);
    });

    it('a call whose snapshot is older than the last claim in its slice claims nothing by old counts', async () => {
      const stores = await prepare();
      const [key = ''] = await link(stores, 'ada', 'one.example');
      // Another kind has another turn: the two calls share the row of the slice only.
      await fill(stores, key, 1);
      const most = { ...unlimited, ofAccount: 1 };
      const { db, jobs } = stores;
      let other: readonly Job[] | undefined;
      const claimOther = async () => {
        other ??= await take(jobs, { holder: 'other', kinds: ['sync-account'], most });
      };
      const late = wrappedDatabase(db, {
        transaction: async (work) => {
          if (db.dialect.engine === 'sqlite') await claimOther();
          return db.transaction(async (tx) => {
            if (db.dialect.engine === 'sqlite') return work(tx);
            await tx.change('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
            await tx.get('SELECT 1 AS "snapshot"');
            await claimOther();
            return work(tx);
          });
        },
      });

      const taken = await take(jobStore(late), { holder: 'late', kinds: ['sync-calendar'], most });

      assert.deepEqual([other?.length, taken.length], [1, 0]);
    });

    it('a call that ends with a serialization failure returns the jobs that it has claimed, or none', async () => {
      const stores = await prepare();
      await link(stores, 'ada', 'a.example', 'b.example');
      const { db } = stores;
      const failingAfter = (transactions: number) => {
        let left = transactions;
        const failure = Object.assign(new Error('Other calls were faster'), { code: '40001' });
        return wrappedDatabase(db, {
          transaction: (work, terms) => (left-- > 0 ? db.transaction(work, terms) : Promise.reject(failure)),
        });
      };
      const terms = { holder: 'h', kinds: SYNCS, limit: 9, now: NOW, leaseUntil: LEASE, most: unlimited };
      const takeFrom = (store: Database) => jobStore(store).take({ ...terms, running: [], abandoned: [] });

      const none = await takeFrom(failingAfter(0));
      const first = await takeFrom(failingAfter(1));

      assert.deepEqual([none.jobs.length, none.isContended], [0, true]);
      assert.deepEqual([first.jobs.length, first.isContended], [1, true]);
    });

    it('one server is no reason for the jobs at another to wait', async () => {
      const stores = await prepare();
      await link(stores, 'ada', 'evil.example', 'evil.example:81', 'evil.example:82');
      await link(stores, 'ben', 'evil.example', 'evil.example', 'good.example');

      const taken = await take(stores.jobs);

      assert.deepEqual(taken.map(({ host }) => host).sort(), [
        'evil.example',
        'evil.example',
        'good.example',
      ]);
    });

    it('an abandoned run counts against its account and its server for as long as it continues', async () => {
      const stores = await prepare();
      const [adas = ''] = await link(stores, 'ada', 'evil.example');
      const [bens = ''] = await link(stores, 'ben', 'evil.example');
      const place = { clientId: '', owner: 'o', accountKey: adas, host: 'evil.example' };
      const most = { ...unlimited, ofAccount: 1, ofHost: 2 };

      const taken = await take(stores.jobs, { abandoned: [place], most });
      const none = await take(stores.jobs, { abandoned: [place, place], most, now: NOW + 9 });

      assert.deepEqual(accountsOf(taken), [bens]);
      assert.deepEqual(none, []);
    });

    it('an owner has four jobs in a process, and others go on', async () => {
      const stores = await prepare();
      await link(stores, 'ada', ...Array.from({ length: 9 }, (_, index) => `s${index}.example`));
      const most = { ofAccount: 2, ofHost: 2, ofOwner: 4 };

      const running = await take(stores.jobs, { limit: 12, most });
      await link(stores, 'ben', 'b.example');
      const next = await take(stores.jobs, { limit: 12, running, most, now: NOW + 1 });
      const elsewhere = await take(stores.jobs, { limit: 12, most, now: NOW + 2 });

      assert.equal(running.length, 4);
      assert.deepEqual(
        next.map(({ host }) => host),
        ['b.example'],
      );
      assert.equal(elsewhere.length, 4);
    });

    it('a kind that is not asked for is not taken, whatever is due before it', async () => {
      const stores = await prepare();
      await link(stores, 'ada', 'a.example');
      await stores.jobs.schedule('housekeeping', '', NOW);

      const other = await take(stores.jobs, { kinds: ['end-access', 'housekeeping'], limit: 9 });
      const syncs = await take(stores.jobs, { kinds: SYNCS, limit: 9 });

      assert.deepEqual(
        [...other, ...syncs].map(({ kind }) => kind),
        ['housekeeping', 'sync-account'],
      );
    });

    it('no turn comes later than the jobs it stands for, whatever is scheduled, ended and deleted meanwhile', async () => {
      const stores = await prepare();
      const { db, jobs } = stores;
      const keys = [
        ...(await link(stores, 'ada', 'a.example', 'b.example')),
        ...(await link(stores, 'ben', 'a.example')),
      ];
      let at = NOW;
      for (let round = 0; round < 6; round += 1) {
        at += 1_000;
        const worked = async (i: number) => {
          const holder = `${round} ${i}`;
          for (const job of await take(jobs, { holder, now: at, leaseUntil: at + 500, most: unlimited })) {
            if (i % 3 === 0) await jobs.finish(job, holder);
            else if (i % 3 === 1) await jobs.putOff(job, holder, at + i);
            else await jobs.giveUp(job, holder, { now: at, retryAt: at + i });
          }
        };
        await tenTimes(async (i) => {
          if (i % 2 === 0) await worked(i);
          else await jobs.schedule('sync-account', keys[i % keys.length] ?? '', at - i);
          if (i === 7)
            await db.write('DELETE FROM job WHERE key = :key RETURNING key', { key: keys[0] ?? '' });
        });
      }

      const late = await db.all<{ key: string }>(
        `SELECT key FROM job WHERE lease_holder IS NULL AND NOT EXISTS
          (SELECT 1 FROM job_turn AS t WHERE t.owner = job.owner AND t.kind = job.kind AND t.host = job.host
              AND t.turn_at <= CASE WHEN job.run_at > :at THEN job.run_at ELSE CAST(:at AS BIGINT) + 1000 END)`,
        { at },
      );
      assert.deepEqual(late, []);
    });
  });

  describe(`UnfinishedJobs on ${database}`, () => {
    it('one whose process died goes behind others, and two never run together', async () => {
      const { jobs } = await prepare();
      await jobs.schedule('sync-calendar', 'dead 1', NOW - 2);
      await jobs.schedule('sync-calendar', 'dead 2', NOW - 1);
      await take(jobs, { holder: 'dead' });
      await jobs.schedule('sync-calendar', 'other', LEASE);
      const keysAt = async (now: number, holder: string) =>
        (await take(jobs, { holder, now, leaseUntil: now + 60_000 })).map(({ key }) => key);

      const first = await keysAt(LEASE, 'first');
      const racing = (await tenTimes((i) => keysAt(LEASE, `second ${i}`))).flat();
      const [taken = ''] = racing;
      await tenTimes((i) => jobs.finish({ kind: 'sync-calendar', key: taken }, `second ${i}`));
      const last = await keysAt(LEASE + 1, 'last');

      assert.deepEqual(first, ['other']);
      assert.equal(racing.length, 1);
      assert.deepEqual([...racing, ...last].sort(), ['dead 1', 'dead 2']);
    });

    it('a process runs one job at a time whose process died', async () => {
      const stores = await prepare();
      await link(stores, 'ada', 'a.example', 'b.example');
      await link(stores, 'ben', 'c.example');
      await take(stores.jobs, { holder: 'dead' });

      const first = await take(stores.jobs, { holder: 'first', now: LEASE, leaseUntil: LEASE + 9 });
      const next = await take(stores.jobs, { holder: 'next', now: LEASE, running: first });

      assert.deepEqual([first.length, next.length], [1, 0]);
    });

    it('one whose process died waits a minute at most while others are due', async () => {
      const { jobs } = await prepare();
      await jobs.schedule('sync-calendar', 'dead', NOW);
      await take(jobs, { holder: 'dead' });
      await jobs.schedule('sync-calendar', 'other', NOW);

      const taken = await take(jobs, { now: LEASE + 60_000, leaseUntil: LEASE + 120_000 });

      assert.deepEqual(
        taken.map(({ key }) => key),
        ['other', 'dead'],
      );
    });

    it('one whose process died three times is set aside for a day, and then tried once a day', async () => {
      const { jobs } = await prepare();
      await jobs.schedule('sync-calendar', 'killer', NOW);
      let now = NOW;
      const dies = async () => {
        const taken = await takeAll(jobs, { now, leaseUntil: now + 1_000 });
        now += 1_000;
        return [taken.jobs.length, taken.setAside.length];
      };

      const rounds = [await dies(), await dies(), await dies(), await dies()];
      await jobs.schedule('sync-calendar', 'killer', now);
      const hinted = await dies();
      now += DAY;
      const daily = [await dies(), await dies(), await dies()];

      assert.deepEqual(rounds, [
        [1, 0],
        [1, 0],
        [1, 0],
        [0, 1],
      ]);
      assert.deepEqual(hinted, [0, 0]);
      assert.deepEqual(daily, [
        [1, 0],
        [0, 1],
        [0, 0],
      ]);
    });

    it('one that was given up three times is set aside, and an orderly end frees it', async () => {
      const { jobs } = await prepare();
      await jobs.schedule('sync-calendar', 'slow', NOW);
      const run = async (now: number) => (await take(jobs, { now, leaseUntil: now + 1_000 }))[0];
      const giveUp = async (now: number) => {
        const job = await run(now);
        return job && (await jobs.giveUp(job, 'h', { now, retryAt: now + 10 }));
      };

      const times = [await giveUp(NOW), await giveUp(NOW + 10), await giveUp(NOW + 20)];
      const early = await run(NOW + 30);
      const daily = await run(NOW + 20 + DAY);
      if (daily !== undefined) await jobs.putOff(daily, 'h', NOW + 30 + DAY);
      await jobs.schedule('sync-calendar', 'slow', NOW + 25 + DAY);
      const freed = await run(NOW + 25 + DAY);

      assert.deepEqual(times, [false, false, true]);
      assert.equal(early, undefined);
      assert.equal(daily?.key, 'slow');
      assert.equal(freed?.key, 'slow');
    });

    it('a run that renews its lease keeps its job', async () => {
      const { jobs } = await prepare();
      await jobs.schedule('sync-calendar', 'long', NOW);
      await take(jobs, { holder: 'long' });

      await jobs.renew(['long', 'nobody'], LEASE + 60_000);

      assert.deepEqual(await take(jobs, { holder: 'other', now: LEASE + 1 }), []);
      assert.equal(await jobs.nextRunAt(), LEASE + 60_000);
    });
  });
}
