import type { NewRequestEntry, RequestEntry } from './request-entry.ts';

/** The log of recent requests. Instants are epoch milliseconds; `from` is inclusive, `to` exclusive. */
export interface RequestLog {
  /** Writes all entries once, even if repeated, except those of deleted applications. Users appear as hashes. */
  addRequests(entries: readonly NewRequestEntry[]): Promise<void>;

  /** Returns at most `limit` entries, the newest first, those of one instant by id. */
  listRequests(filter: RequestFilter, page: RequestPage): Promise<RequestEntry[]>;

  /** Returns the user's name in the entries; undefined if there are none. */
  userOf(clientId: string, userId: string): Promise<string | undefined>;

  /** Deletes the entries before that instant; returns their number. */
  deleteOldRequests(before: number): Promise<number>;

  /**
   * Deletes the oldest entries of each application above `most`, then of those with the most until ten times `most`
   * remain. Unknown callers count as one application, to which all claimed entries belong. Returns the number of
   * deleted entries.
   */
  deleteExcessRequests(most: number): Promise<number>;
}

export type RequestFilter = {
  /** The applications whose entries match; an empty list matches nothing. */
  readonly clientIds?: readonly string[] | undefined;
  /** The first digit of the status. */
  readonly statusClass?: number | undefined;
  /** Whether only entries with a status of 400 or more match. */
  readonly isError?: boolean | undefined;
  readonly status?: number | undefined;
  readonly route?: string | undefined;
  readonly requestId?: string | undefined;
  readonly user?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

export type RequestPlace = Pick<RequestEntry, 'at' | 'requestId'>;

export type RequestPage = { readonly after?: RequestPlace | undefined; readonly limit: number };
