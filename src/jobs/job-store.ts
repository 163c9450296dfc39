import type { SlotLimits } from '../lib/fair-slots/slot-counts.ts';

/**
 * The application, user, account and server of a job: applications share the slots, users take turns, and an account and a
 * server have a few slots. An empty name has no limits.
 */
export type JobPlace = {
  /** Empty also if an older version made the job. */
  readonly clientId: string;
  /** Stands for an application's user; what is of an application alone, for the application. */
  readonly owner: string;
  readonly accountKey: string;
  /** The account's server, where servers are the users' own. */
  readonly host: string;
};

/** A unit of background work. One at most for a (kind, key), so hints for the same work coalesce. */
export type Job = JobName &
  JobPlace & {
    /** How often it was taken before and not finished. */
    readonly attempts: number;
    /** The traceparent of what asked for it, where that is traced. */
    readonly trace?: string;
  };

export type JobName = { readonly kind: JobKind; readonly key: string };

export type JobKind = 'sync-account' | 'sync-calendar' | 'finish-splits' | 'end-access' | 'housekeeping';

/**
 * Instants are epoch milliseconds.
 *
 * A run comes to its end by `finish` or `putOff`. One that does not, because its process died or because it was given up,
 * is counted; a job with three of them in a row is set aside: it runs once a day, and no hint brings it forward.
 */
export interface JobStore {
  /**
   * Makes the job, or brings an existing one forward to `runAt`; never puts one off. One that is
   * being worked runs again at `runAt` once it is finished.
   */
  schedule(kind: JobKind, key: string, runAt: number): Promise<void>;

  /**
   * Takes jobs that are due, which no other call takes before the lease ends, on any instance. Owners take turns: the one
   * served longest ago comes first, and of an owner's jobs the one longest due. A job whose lease ran out is due
   * again; it is taken after all others, but for one that has waited a minute, and while no other such job runs.
   */
  take(terms: TakeTerms): Promise<TakenJobs>;

  /** Extends the leases of these holders' jobs that are still being worked. */
  renew(holders: readonly string[], leaseUntil: number): Promise<void>;

  /** When the next job is due or its lease ends; `undefined` when there is none. */
  nextRunAt(): Promise<number | undefined>;

  /**
   * Removes a finished job, unless it was scheduled again while it ran: then it is due anew. A no-op
   * for a holder whose lease another has taken over.
   */
  finish(job: JobName, holder: string): Promise<void>;

  /** Gives a failed job back, to run again at `runAt`, or earlier when it was scheduled so meanwhile. */
  putOff(job: JobName, holder: string, runAt: number): Promise<void>;

  /** No longer counts these holders' runs as begun: the process was told to stop, and may end before they do. */
  excuse(holders: readonly string[]): Promise<void>;
  /** Gives back a job whose run took too long, to run again at `retryAt`. Answers whether it was set aside. */
  giveUp(job: JobName, holder: string, times: GiveUpTimes): Promise<boolean>;
}

export type TakeTerms = {
  /** New for each call, so that a job taken twice by one process is finished by the later run only. */
  readonly holder: string;
  readonly kinds: readonly JobKind[];
  /** How many at most. */
  readonly limit: number;
  readonly now: number;
  readonly leaseUntil: number;
  readonly most: MostAtOnce;
  /** What this process works of these kinds, abandoned runs included: counts against their owners. */
  readonly running: readonly JobPlace[];
  /** Runs that this process gave up and that go on without a lease: count against their accounts and hosts. */
  readonly abandoned: readonly JobPlace[];
};

/**
 * How many jobs may run at once: `slots` and `ofOwner` in this process, `ofHost` and `ofOwnerAtHost` over all instances.
 * `share` is the part of the slots and of each host's that an application may hold.
 */
export type MostAtOnce = Omit<SlotLimits, 'ofClientAtHost'> & {
  /** Over all instances. */
  readonly ofAccount: number;
};

export type TakenJobs = {
  readonly jobs: readonly Job[];
  /** Those that were found to have died for the third time. */
  readonly setAside: readonly JobName[];
  /** The application of each due turn that was passed over because the application held its share of the slots. */
  readonly passedOver: readonly string[];
  /** Whether the look for jobs was cut short: there may be more to take at once. */
  readonly isCut: boolean;
};

export type GiveUpTimes = { readonly now: number; readonly retryAt: number };
