/** How the contracts take jobs. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Job, JobStore, TakenJobs, TakeTerms } from '../../src/jobs/job-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { wrappedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { onEachIsolation } from '../harness/databases.ts';
import { NOW } from './calendar-rows.ts';

export const LEASE = NOW + 60_000;

export const SYNCS = ['sync-account', 'sync-calendar'] as const;
export const KINDS = [...SYNCS, 'finish-splits', 'end-access', 'housekeeping'] as const;

/** Takes up to five jobs of any kind at NOW, as the worker `h`. Like the worker, repeats a call that others prevented. */
export async function takeAll(jobs: JobStore, change: Partial<TakeTerms> = {}): Promise<TakenJobs> {
  const taken = await jobs.take({
    holder: 'h',
    kinds: KINDS,
    limit: 5,
    now: NOW,
    leaseUntil: LEASE,
    most: { ofAccount: 2, ofHost: 2, ofOwner: 4 },
    running: [],
    abandoned: [],
    ...change,
  });
  if (!taken.isContended || taken.jobs.length > 0) return taken;
  await sleep(20 + 30 * Math.random());
  return takeAll(jobs, change);
}

export const take = async (jobs: JobStore, change: Partial<TakeTerms> = {}): Promise<readonly Job[]> =>
  (await takeAll(jobs, change)).jobs;

/** Runs a contract at each isolation level, also on an engine that ignores the level that a transaction asks for. */
export const onEachLevel = (contract: (name: string, open: () => Promise<Database>) => void): void =>
  onEachIsolation((name, open) => {
    contract(name, open);
    if (name.includes(','))
      contract(`${name}, for all transactions`, async () => {
        const db = await open();
        return wrappedDatabase(db, {
          transaction: (work, { isolation: _, ...terms } = { flush: 'now' }) => db.transaction(work, terms),
        });
      });
  });
