import type { SlotLimits } from '../lib/fair-slots/slot-counts.ts';

/** The application, user, account and server of a job, for the limits. An empty name has no limits. */
export type JobPlace = {
  /** Empty also if an older version created the job. */
  readonly clientId: string;
  /** Identifies the application's user, or the application itself if the job has no user. */
  readonly owner: string;
  readonly accountKey: string;
  /** The account's server, if users choose their servers. */
  readonly host: string;
  /** Whether the process of its last run died. */
  readonly isRevived?: true;
};

/** A unit of background work. Unique by kind and key, so hints for the same work coalesce. */
export type Job = JobName &
  JobPlace & {
    /** How often it was claimed before without being finished. */
    readonly attempts: number;
    /** The traceparent of the work that created the job, if it is traced. */
    readonly trace?: string;
  };

export type JobName = { readonly kind: JobKind; readonly key: string };

export type JobKind = 'sync-account' | 'sync-calendar' | 'finish-splits' | 'end-access' | 'housekeeping';

/**
 * Instants are epoch milliseconds.
 *
 * A run ends by `finish` or `putOff`. A run that does not, because its process died or because it was given up, is
 * counted. A job with three such runs in a row is set aside: it runs once a day, and no hint brings it forward.
 */
export interface JobStore {
  /** Creates the job or brings it forward to `runAt`, never back. A running job runs again at `runAt` when finished. */
  schedule(kind: JobKind, key: string, runAt: number): Promise<void>;

  /**
   * Claims due jobs, at most 32, which no other call claims before the lease ends, on any instance. Owners take turns: the
   * one served longest ago comes first, with its job that has been due longest.
   *
   * A job whose lease expired is due again. It is claimed after all others, unless it has waited a minute. Of such jobs, one
   * at a time runs in a process and in a slice. All jobs of a host, or of an owner without one, are in one slice.
   *
   * If a later part of a call fails, the call returns the jobs that it has claimed.
   */
  take(terms: TakeTerms): Promise<TakenJobs>;

  /** Extends the leases of these holders' jobs that are still running. */
  renew(holders: readonly string[], leaseUntil: number): Promise<void>;

  /** Returns when the next job is due or its lease ends; `undefined` if there is none. */
  nextRunAt(): Promise<number | undefined>;

  /** Removes a finished job, or makes it due if scheduled meanwhile. Does nothing once another holder has the lease. */
  finish(job: JobName, holder: string): Promise<void>;

  /** Gives a failed job back, to run again at `runAt`, or earlier when it was scheduled so meanwhile. */
  putOff(job: JobName, holder: string, runAt: number): Promise<void>;

  /** Stops counting these holders' runs: after the stop signal, the process may end before they do. */
  excuse(holders: readonly string[]): Promise<void>;
  /** Gives back a job whose run took too long, to run again at `retryAt`. Returns whether it was set aside. */
  giveUp(job: JobName, holder: string, times: GiveUpTimes): Promise<boolean>;
}

export type TakeTerms = {
  /** New for each call. If one process claims a job twice, only the later run finishes it. */
  readonly holder: string;
  readonly kinds: readonly JobKind[];
  /** The most jobs that one call claims. */
  readonly limit: number;
  readonly now: number;
  readonly leaseUntil: number;
  readonly most: MostAtOnce;
  /** The running jobs of these kinds in this process, including abandoned ones: they count against their owners. */
  readonly running: readonly JobPlace[];
  /** Runs that this process gave up and that continue without a lease: they count against their accounts and hosts. */
  readonly abandoned: readonly JobPlace[];
};

/**
 * How many jobs may run at once: `slots` and `ofOwner` in this process, `ofHost` and `ofOwnerAtHost` over all
 * instances. `share` is the part of the slots and of each host's that an application may hold.
 */
export type MostAtOnce = Omit<SlotLimits, 'ofClientAtHost'> & {
  /** Over all instances. */
  readonly ofAccount: number;
};

export type TakenJobs = {
  readonly jobs: readonly Job[];
  /** The jobs whose process died for the third time. */
  readonly setAside: readonly JobName[];
  /** The application of each due turn that was skipped because the application held its share of the slots. */
  readonly passedOver: readonly string[];
  /** Whether the query for jobs was cut short: more may be due now. */
  readonly isCut: boolean;
  /** Whether concurrent calls prevented this one from claiming all that it may: a later one may succeed. */
  readonly isContended: boolean;
};

export type GiveUpTimes = { readonly now: number; readonly retryAt: number };
