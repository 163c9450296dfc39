import type { NewRequestEntry, RequestEntry } from './request-entry.ts';

/** What applications called, kept for some days. Instants are epoch milliseconds. */
export interface RequestLog {
  /**
   * Writes all of these, each once however often it is tried, but for those of applications that are gone. Users are named
   * by their hash; one who is gone is not named.
   */
  addRequests(entries: readonly NewRequestEntry[]): Promise<void>;

  /** The newest first, those of one instant by their id; at most `limit`. */
  listRequests(filter: RequestFilter, page: RequestPage): Promise<RequestEntry[]>;

  /** How entries name a user; undefined for one of whom there are none. */
  userOf(clientId: string, userId: string): Promise<string | undefined>;

  /** Deletes those before that instant; answers how many. */
  deleteOldRequests(before: number): Promise<number>;

  /**
   * Deletes the oldest entries of each application above `most`, then of those with the most until ten times `most` are left
   * in all. Unknown callers count as one application. Returns the number of deleted entries.
   */
  deleteExcessRequests(most: number): Promise<number>;
}

export type RequestFilter = {
  /** Of any of these applications; an empty list finds nothing. */
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

/** Behind that entry. */
export type RequestPlace = Pick<RequestEntry, 'at' | 'requestId'>;

export type RequestPage = { readonly after?: RequestPlace | undefined; readonly limit: number };
