/** Contract tests for JobStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Job } from '../../src/jobs/job-store.ts';
import { currentTrace, toTraceparent } from '../../src/lib/current-trace.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { tracedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { jobStore } from '../../src/store/jobs/job-store.ts';
import { NOW, tenTimes } from './calendar-rows.ts';
import { LEASE, take } from './job-terms.ts';

export function jobStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => jobStore(await open());
  const first = ([job]: readonly Job[]): Job => {
    assert.ok(job, 'a job was taken');
    return job;
  };

  describe(`JobStore on ${database}`, () => {
    it('a job is taken when it is due, not before', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-account', 'a', NOW);

      assert.deepEqual(await take(jobs, { holder: 'h1', now: NOW - 1 }), []);
      assert.deepEqual(await take(jobs, { holder: 'h2' }), [
        { kind: 'sync-account', key: 'a', attempts: 0, clientId: '', owner: '', accountKey: '', host: '' },
      ]);
    });

    it('a job knows the trace of who asked for it last, also where many ask at once', async () => {
      const jobs = jobStore(tracedDatabase(await open()));
      const context = { spanId: '1'.repeat(16), isSampled: true, isOfJob: false };
      const traceIds = Array.from({ length: 6 }, (_, index) => String(index).repeat(32));
      await Promise.all(
        traceIds.map((traceId) =>
          currentTrace.run({ ...context, traceId }, () => jobs.schedule('sync-account', traceId, NOW)),
        ),
      );
      await jobs.schedule('sync-account', 'none', NOW);
      await currentTrace.run({ ...context, traceId: '1'.repeat(32), isOfJob: true }, () =>
        jobs.schedule('sync-account', 'of a job', NOW),
      );

      const taken = await take(jobs, { limit: 20 });
      const traces = Object.fromEntries(taken.map(({ key, trace }) => [key, trace]));
      assert.deepEqual(traces, {
        ...Object.fromEntries(traceIds.map((id) => [id, toTraceparent({ ...context, traceId: id })])),
        none: undefined,
        'of a job': undefined,
      });
    });

    it('a hint for a job that is being worked brings no other job forward', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-calendar', 'worked', NOW);
      await take(jobs);
      await jobs.schedule('sync-calendar', 'later', NOW + 50);
      await jobs.schedule('sync-calendar', 'worked', NOW);

      assert.deepEqual(await take(jobs, { now: NOW + 1 }), []);
      assert.equal((await take(jobs, { now: NOW + 50 })).length, 1);
    });

    it('a run of a worker that was told to stop does not count as one that died', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-calendar', 'c', NOW);
      let now = NOW;
      for (const holder of ['h1', 'h2', 'h3', 'h4']) {
        assert.equal((await take(jobs, { holder, now, leaseUntil: now + 1 })).length, 1, holder);
        await jobs.excuse([holder]);
        now += 1;
      }
      for (const holder of ['h5', 'h6', 'h7']) {
        assert.equal((await take(jobs, { holder, now, leaseUntil: now + 1 })).length, 1, holder);
        await jobs.excuse(['another']);
        now += 1;
      }

      assert.equal((await take(jobs, { now })).length, 0);
    });

    it('hints for the same work coalesce to one job and keep the earliest time', async () => {
      const jobs = await prepare();
      await tenTimes((i) => jobs.schedule('sync-calendar', 'c', NOW + i));
      await jobs.schedule('sync-calendar', 'c', NOW + 99);

      assert.equal(await jobs.nextRunAt(), NOW);
      assert.equal((await take(jobs, { holder: 'h' })).length, 1);
    });

    it('each of ten jobs goes to exactly one of ten concurrent takers', async () => {
      const jobs = await prepare();
      await tenTimes((i) => jobs.schedule('sync-calendar', `c${i}`, NOW));

      const batch = (await tenTimes((i) => take(jobs, { holder: `h${i}`, limit: 10 }))).flat();
      const late = await take(jobs, { holder: 'late', limit: 10 });

      const keys = [...batch, ...late].map(({ key }) => key);
      assert.equal(keys.length, 10);
      assert.equal(new Set(keys).size, 10);
    });

    it('a taker gets no more jobs than it asked for, the longest due first', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-calendar', 'new', NOW - 1);
      await jobs.schedule('sync-calendar', 'old', NOW - 2);

      const batch = await take(jobs, { holder: 'h', limit: 1 });

      assert.deepEqual(
        batch.map(({ key }) => key),
        ['old'],
      );
    });

    it('a job whose lease ran out is taken by another, and the attempt is counted', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-account', 'a', NOW);
      await take(jobs, { holder: 'dead', limit: 1 });

      assert.deepEqual(
        await take(jobs, { holder: 'early', limit: 1, now: LEASE - 1, leaseUntil: LEASE + 1 }),
        [],
      );
      assert.equal(
        first(await take(jobs, { holder: 'h', limit: 1, now: LEASE, leaseUntil: LEASE + 1 })).attempts,
        1,
      );
    });

    it('the end of a run whose lease another took over is ignored', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-account', 'a', NOW);
      const slow = first(await take(jobs, { holder: 'slow', limit: 1 }));
      await take(jobs, { holder: 'other', limit: 1, now: LEASE, leaseUntil: LEASE + 60_000 });

      await jobs.finish(slow, 'slow');
      await jobs.putOff(slow, 'slow', NOW);

      assert.equal(await jobs.nextRunAt(), LEASE + 60_000);
    });

    it('a finished job is forgotten', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-account', 'a', NOW);

      await jobs.finish(first(await take(jobs, { holder: 'h', limit: 1 })), 'h');

      assert.equal(await jobs.nextRunAt(), undefined);
    });

    it('a job that was scheduled while it ran runs again, from the first attempt', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-account', 'a', NOW);
      const job = first(await take(jobs, { holder: 'h', limit: 1 }));
      await jobs.schedule('sync-account', 'a', NOW + 20);
      await jobs.schedule('sync-account', 'a', NOW + 10);
      await jobs.schedule('sync-account', 'a', NOW + 30);
      assert.deepEqual(await take(jobs, { holder: 'h2', limit: 1, now: NOW + 30 }), [], 'not while it runs');

      await jobs.finish(job, 'h');

      assert.equal(await jobs.nextRunAt(), NOW + 10);
      assert.equal(first(await take(jobs, { holder: 'h3', limit: 1, now: NOW + 10 })).attempts, 0);
    });

    it('no hint for a job is lost, whether it comes before or after the end of the run', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-account', 'a', NOW);
      const job = first(await take(jobs, { holder: 'h', limit: 1 }));

      await tenTimes((i) => (i === 5 ? jobs.finish(job, 'h') : jobs.schedule('sync-account', 'a', NOW + 1)));

      assert.equal(await jobs.nextRunAt(), NOW + 1);
    });

    it('a failed job is put off, but not past a hint that came meanwhile', async () => {
      const jobs = await prepare();
      await jobs.schedule('sync-account', 'a', NOW);
      await jobs.putOff(first(await take(jobs, { holder: 'h', limit: 1 })), 'h', NOW + 500);
      assert.equal(await jobs.nextRunAt(), NOW + 500);

      const again = first(await take(jobs, { holder: 'h2', limit: 1, now: NOW + 500 }));
      await jobs.schedule('sync-account', 'a', NOW + 600);
      await jobs.putOff(again, 'h2', NOW + 9_000);

      assert.equal(again.attempts, 1);
      assert.equal(await jobs.nextRunAt(), NOW + 600);
    });
  });
}
