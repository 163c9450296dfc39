import type { AuditAction, AuditActor, AuditEntry } from './audit-entry.ts';

/** Reading the audit log. Stores write it, each in the transaction of the change; nothing changes an entry. */
export interface AuditLog {
  /** Returns entries, the newest first, entries of the same instant by number; at most `limit`, and 200. */
  listEntries(filter: AuditFilter, page: AuditPage): Promise<AuditEntry[]>;

  /**
   * Returns entries with a number above `after`, by number, at most `limit`. An entry that is committed later has a
   * higher number.
   */
  entriesAfter(after: number, filter: Pick<AuditFilter, 'from'>, limit: number): Promise<AuditEntry[]>;

  /** Returns the user's subject in the log; `undefined` if the log has none. */
  subjectOfUser(clientId: string, userId: string): Promise<string | undefined>;

  /** Deletes the entries from before `before`; returns the number of rows. */
  deleteOldEntries(before: number): Promise<number>;
}

/** Instants are epoch milliseconds. */
export type AuditFilter = {
  /** One application, or several; entries without an application are left out. */
  readonly clientId?: string | readonly string[] | undefined;
  /** A kind of actor, or one person. */
  readonly actor?: { readonly kind: AuditActor['kind']; readonly id?: string | undefined } | undefined;
  readonly action?: AuditAction | undefined;
  readonly subject?: string | undefined;
  /** The earliest instant, inclusive. */
  readonly from?: number | undefined;
  /** The latest instant, exclusive. */
  readonly to?: number | undefined;
};

export type AuditPage = {
  /** The number of the entry after which the page begins. */
  readonly before?: number | undefined;
  readonly limit: number;
};
