/** A unit of background work. One at most for a (kind, key), so hints for the same work coalesce. */
export type Job = {
  readonly kind: JobKind;
  readonly key: string;
  /** How often it was taken before and not finished. */
  readonly attempts: number;
};

export type JobKind = 'sync-account' | 'sync-calendar' | 'housekeeping';

/** Instants are epoch milliseconds. */
export interface JobStore {
  /** Makes the job, or brings an existing one forward to `runAt`; never puts one off. */
  schedule(kind: JobKind, key: string, runAt: number): Promise<void>;

  /**
   * Takes due jobs, at most `limit`, until `leaseUntil`: no other call takes them before that, on
   * any instance. A job whose lease ran out is due again.
   */
  take(holder: string, limit: number, now: number, leaseUntil: number): Promise<Job[]>;

  /** Removes a finished job, unless it was scheduled again while it ran: then it is due anew. */
  finish(job: Job, holder: string): Promise<void>;

  /** Gives a failed job back, to run again at `runAt`. */
  putOff(job: Job, holder: string, runAt: number): Promise<void>;
}
