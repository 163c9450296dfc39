/** The kinds of jobs: how long each may run, and which slots it may take. */
import type { JobKind, MostAtOnce } from './job-store.ts';

/** Slots that some kinds of jobs share. */
export type JobClass = {
  /** The name of the slots in metrics and in the log; undefined if they are not listed there. */
  readonly work?: string;
  readonly kinds: readonly JobKind[];
  readonly most: MostAtOnce & { readonly slots: number };
};

/** Returns the classes. Each has its own slots, so that syncs, which wait for servers, do not delay other work. */
export const jobClasses = (syncSlots: number): readonly JobClass[] => [
  {
    work: 'sync_job',
    kinds: ['sync-account', 'sync-calendar'],
    most: { slots: syncSlots, share: 1 / 2, ofOwner: 4, ofAccount: 2, ofHost: 8, ofOwnerAtHost: 2 },
  },
  {
    kinds: ['end-access', 'finish-splits', 'housekeeping'],
    most: { slots: 4, ofOwner: 2, ofAccount: 2, ofHost: 2 },
  },
];

const MINUTE_MS = 60_000;

/** The deadlines of runs, in milliseconds. A sync may wait for its slot for 5 minutes of them (run-sync.ts). */
export const JOB_DEADLINES: Readonly<Record<JobKind, number>> = {
  'sync-account': 8 * MINUTE_MS,
  'sync-calendar': 8 * MINUTE_MS,
  'end-access': MINUTE_MS,
  'finish-splits': 2 * MINUTE_MS,
  housekeeping: 10 * MINUTE_MS,
};
