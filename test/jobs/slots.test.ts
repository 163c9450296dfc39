/** The worker's slots: what runs beside what, for how long, and what becomes of work that does not end. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { JOB_DEADLINES } from '../../src/jobs/job-kinds.ts';
import type { JobKind } from '../../src/jobs/job-store.ts';
import type { JobHandlers, Worker, WorkerDeps } from '../../src/jobs/worker.ts';
import type { SlotListener, SlotLoad } from '../../src/lib/fair-slots/slot-listener.ts';
import { jobHandlers } from '../../src/start/job-handlers.ts';
import { TURN_WAIT_MS } from '../../src/sync/run-sync.ts';
import { calendar } from '../contract/mirror-rows.ts';
import { type CalendarServer, link, openCalendarServer, startWorker } from '../harness/calendar-server.ts';
import { untilWorked } from '../harness/until.ts';

const DAY = 24 * 3_600_000;
const KINDS = Object.keys(JOB_DEADLINES) as JobKind[];

describe("the worker's slots", () => {
  let server: CalendarServer;
  let worker: Worker | undefined;
  let release: () => void;
  let released: Promise<void>;
  const begun: { kind: JobKind; key: string; signal: AbortSignal }[] = [];
  beforeEach(async () => {
    server = await openCalendarServer();
    begun.length = 0;
    ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  });
  afterEach(async () => {
    release();
    await worker?.stop();
    worker = undefined;
    await server.close();
  });

  /** Returns handlers whose jobs run until `release`. */
  const hanging = () =>
    Object.fromEntries(
      KINDS.map((kind) => [
        kind,
        async (key: string, signal: AbortSignal) => {
          begun.push({ kind, key, signal });
          await released;
          return undefined;
        },
      ]),
    ) as unknown as JobHandlers;
  const start = (change: Partial<WorkerDeps>) => {
    worker = startWorker(server, { handlers: hanging(), ...change });
  };
  const soon = Object.fromEntries(KINDS.map((kind) => [kind, 30])) as Record<JobKind, number>;
  const until = (isTrue: () => boolean | Promise<boolean>) => untilWorked(server.deps, isTrue);
  const jobOf = async (key: string) =>
    server.db.get<{ runAt: number; leaseHolder: string | undefined; unfinished: number }>(
      'SELECT run_at, lease_holder, unfinished FROM job WHERE key = :key',
      { key },
    );
  const isIdle = async (key: string) => {
    const job = await jobOf(key);
    return job !== undefined && job.leaseHolder === undefined;
  };
  const begunOf = (kind: JobKind) => begun.filter((run) => run.kind === kind).length;

  it('are reserved for other work while syncs use all that they may', async () => {
    for (let i = 0; i < 60; i += 1) await server.deps.jobs.schedule('sync-calendar', `c${i}`, 0);
    for (let i = 0; i < 10; i += 1) await server.deps.jobs.schedule('end-access', `a${i}`, 1);

    start({});
    await until(() => begun.length === 52);
    server.deps.wakeUp.notify();
    await sleep(30);

    assert.equal(begunOf('sync-calendar'), 48);
    assert.equal(begun.length, 52);
    assert.equal(begunOf('housekeeping') + begunOf('end-access'), 4);
  });

  it('are listed by how many syncs run, and by which application has more due than its share', async () => {
    for (let i = 0; i < 30; i += 1) await server.deps.jobs.schedule('sync-calendar', `c${i}`, 0);
    await server.db.write("UPDATE job SET client_id = 'acme', owner = key WHERE kind = 'sync-calendar'");
    await server.db.write(
      `INSERT INTO job_turn (client_id, owner, kind, host, turn_at)
       SELECT client_id, owner, kind, host, 0 FROM job WHERE kind = 'sync-calendar'`,
    );
    const loads: (() => SlotLoad)[] = [];
    const exhausted: unknown[] = [];
    const slots: SlotListener = {
      opened: (work, load) => assert.equal(loads.push(load) && work, 'sync_job'),
      waited: () => {},
      refused: () => {},
      exhausted: (line) => exhausted.push(line),
    };

    start({ slots });
    await until(() => exhausted.length > 0);

    assert.deepEqual(
      loads.map((load) => load()),
      [{ held: 24, waiting: 0 }],
    );
    assert.deepEqual(exhausted[0], { work: 'sync_job', clientId: 'acme', held: 24, waiting: 6 });
  });

  it('are filled a moment later if concurrent calls prevented one, without an error', async () => {
    await server.deps.jobs.schedule('sync-calendar', 'c', 0);
    const { jobs } = server.deps;
    let calls = 0;
    const contended = { jobs: [], setAside: [], passedOver: [], isCut: false, isContended: true };
    const take: typeof jobs.take = async (terms) => (calls++ < 4 ? contended : jobs.take(terms));
    const { wakeUp } = server.deps;
    const waits: number[] = [];
    const wait = (milliseconds: number) => {
      if (begunOf('sync-calendar') === 0) waits.push(milliseconds);
      return wakeUp.wait(milliseconds);
    };

    worker = startWorker(server, {
      handlers: hanging(),
      jobs: { ...jobs, take },
      wakeUp: { ...wakeUp, wait },
    });
    while (begunOf('sync-calendar') === 0) await sleep(5);

    assert.ok(waits.length > 0 && waits.every((milliseconds) => milliseconds <= 50), `${waits}`);
    assert.deepEqual(server.log.lines, []);
  });

  it('are freed when a job does not end in time; it is aborted, postponed and counted', async () => {
    await server.deps.jobs.schedule('sync-calendar', 'slow', 0);

    start({ deadlines: soon });
    await until(async () => (await isIdle('slow')) && begunOf('sync-calendar') === 1);

    const job = await jobOf('slow');
    assert.equal(job?.unfinished, 1);
    assert.ok((job?.runAt ?? 0) > server.clock.now);
    assert.equal(begun.find(({ key }) => key === 'slow')?.signal.aborted, true);
    assert.match(server.log.lines.join('\n'), /warn A job did not finish in time .*"sync-calendar"/);
  });

  it('are not given to a job again while its first run continues', async () => {
    await server.deps.jobs.schedule('sync-calendar', 'slow', 0);
    start({ deadlines: soon });
    await until(async () => (await jobOf('slow'))?.unfinished === 1 && begunOf('sync-calendar') === 1);
    await until(() => isIdle('slow'));

    server.clock.now += 3_600_000;
    await until(async () => ((await jobOf('slow'))?.runAt ?? 0) > server.clock.now);

    assert.equal(begunOf('sync-calendar'), 1);
  });

  it('are given once a day to a job that did not come to its end three times', async () => {
    await server.deps.jobs.schedule('sync-calendar', 'killer', 0);
    await server.db.write("UPDATE job SET unfinished = 2 WHERE key = 'killer'");
    start({ deadlines: soon });

    await until(() => server.log.lines.join('\n').includes('three attempts'));

    assert.match(
      server.log.lines.join('\n'),
      /error A job did not finish in three attempts and is tried once a day .*"sync-calendar".*"killer"/,
    );
    assert.equal((await jobOf('killer'))?.runAt, server.clock.now + DAY);
  });

  it('are given back after a minute by an account with many slow calendars, which become jobs', async () => {
    for (let i = 0; i < 9; i += 1) server.provider.addCalendar(calendar(`/c${i}/`));
    await link(server);
    const { deps, clock } = server;
    const sync = {
      ...deps.sync,
      syncCalendar: async () => {
        clock.now += 20_000;
        return undefined;
      },
    };
    const handlers = jobHandlers({ ...deps, sync });
    start({ handlers: { ...handlers, 'sync-calendar': hanging()['sync-calendar'] } });

    const [account] = await deps.accounts.listAccounts('acme', 'ada');
    await until(async () => {
      const job = await jobOf(account?.accountKey ?? '');
      return job !== undefined && job.leaseHolder === undefined && job.runAt > clock.now;
    });
    const jobs = await server.db.all<{ runAt: number }>(
      "SELECT run_at FROM job WHERE kind = 'sync-calendar' ORDER BY run_at",
    );

    assert.equal(jobs.length, 6);
    assert.ok(new Set(jobs.map(({ runAt }) => runAt)).size > 1, 'spread');
  });

  it('the run of a sync that waits for its turn is not given up before the wait ends', () => {
    for (const kind of ['sync-account', 'sync-calendar'] as const)
      assert.ok(JOB_DEADLINES[kind] > TURN_WAIT_MS, kind);
  });
});
