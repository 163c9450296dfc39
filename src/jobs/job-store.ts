/** A unit of background work. One at most for a (kind, key), so hints for the same work coalesce. */
export type Job = JobName & {
  /** How often it was taken before and not finished. */
  readonly attempts: number;
};

export type JobName = { readonly kind: JobKind; readonly key: string };

export type JobKind = 'sync-account' | 'sync-calendar' | 'finish-splits' | 'end-access' | 'housekeeping';

/** Instants are epoch milliseconds. */
export interface JobStore {
  /**
   * Makes the job, or brings an existing one forward to `runAt`; never puts one off. One that is
   * being worked runs again at `runAt` once it is finished.
   */
  schedule(kind: JobKind, key: string, runAt: number): Promise<void>;

  /**
   * Takes jobs that are due, which no other call takes before the lease ends, on any instance. A job whose
   * lease ran out is due again.
   */
  take(terms: TakeTerms): Promise<Job[]>;

  /** When the next job is due or its lease ends; `undefined` when there is none. */
  nextRunAt(): Promise<number | undefined>;

  /**
   * Removes a finished job, unless it was scheduled again while it ran: then it is due anew. A no-op
   * for a holder whose lease another has taken over.
   */
  finish(job: Job, holder: string): Promise<void>;

  /** Gives a failed job back, to run again at `runAt`, or earlier when it was scheduled so meanwhile. */
  putOff(job: Job, holder: string, runAt: number): Promise<void>;
}

export type TakeTerms = {
  /** New for each call, so that a job taken twice by one process is finished by the later run only. */
  readonly holder: string;
  /** How many at most. */
  readonly limit: number;
  readonly now: number;
  readonly leaseUntil: number;
};
