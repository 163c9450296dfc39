/** How the contracts take jobs. */
import type { Job, JobStore, TakenJobs, TakeTerms } from '../../src/jobs/job-store.ts';
import { NOW } from './calendar-rows.ts';

export const LEASE = NOW + 60_000;

export const SYNCS = ['sync-account', 'sync-calendar'] as const;
export const KINDS = [...SYNCS, 'finish-splits', 'end-access', 'housekeeping'] as const;

/** Takes up to five jobs of any kind at NOW, as the worker `h`. */
export const takeAll = (jobs: JobStore, change: Partial<TakeTerms> = {}): Promise<TakenJobs> =>
  jobs.take({
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

export const take = async (jobs: JobStore, change: Partial<TakeTerms> = {}): Promise<readonly Job[]> =>
  (await takeAll(jobs, change)).jobs;
