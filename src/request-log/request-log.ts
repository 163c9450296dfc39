import type { NewRequestEntry, RequestEntry } from './request-entry.ts';

/** The log of applications' requests, kept for some days. Instants are epoch milliseconds. */
export interface RequestLog {
  /**
   * Writes all of these entries, each once even if repeated, except those of deleted applications. Users are named by
   * their hash; deleted users are not named.
   */
  addRequests(entries: readonly NewRequestEntry[]): Promise<void>;

  /** Returns the newest entries first, those of one instant by their id; at most `limit`. */
  listRequests(filter: RequestFilter, page: RequestPage): Promise<RequestEntry[]>;

  /** How entries name a user; undefined for one of whom there are none. */
  userOf(clientId: string, userId: string): Promise<string | undefined>;

  /** Deletes the entries before that instant; returns their number. */
  deleteOldRequests(before: number): Promise<number>;

  /**
   * Deletes the oldest entries of each application above `most`, then of those with the most until ten times `most` are
   * left in all. Unknown callers count as one application. Returns the number of deleted entries.
   */
  deleteExcessRequests(most: number): Promise<number>;
}

export type RequestFilter = {
  /** The applications whose entries match; an empty list matches nothing. */
  readonly clientIds?: readonly string[] | undefined;
  /** The first digit of the status. */
  readonly statusClass?: number | undefined;
  readonly status?: number | undefined;
  readonly route?: string | undefined;
  readonly requestId?: string | undefined;
  readonly user?: string | undefined;
  /** At that time or later. */
  readonly from?: number | undefined;
  /** Before. */
  readonly to?: number | undefined;
};

/** The position after that entry. */
export type RequestPlace = Pick<RequestEntry, 'at' | 'requestId'>;

export type RequestPage = { readonly after?: RequestPlace | undefined; readonly limit: number };
