import type { AuditAction, AuditActor, AuditEntry } from './audit-entry.ts';

/** The audit log for reading. Stores write each entry in the transaction of its change; nothing changes it later. */
export interface AuditLog {
  /** Returns entries, the newest first, entries of the same instant by number; at most `limit`, and 200. */
  listEntries(filter: AuditFilter, page: AuditPage): Promise<AuditEntry[]>;

  /** Returns at most `limit` entries numbered above `after`, by number. A later commit has a higher number. */
  entriesAfter(after: number, filter: Pick<AuditFilter, 'from'>, limit: number): Promise<AuditEntry[]>;

  /** Returns the user's subject in the log; `undefined` if the log has none. */
  subjectOfUser(clientId: string, userId: string): Promise<string | undefined>;

  /** Returns the names of members and the hosts of endpoints with these ids. Deleted ones are left out. */
  findNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** Deletes the entries from before `before`; returns the number of rows. */
  deleteOldEntries(before: number): Promise<number>;
}

/** Instants are epoch milliseconds; `from` is inclusive, `to` exclusive. */
export type AuditFilter = {
  /** One application, or several; entries without an application are left out. */
  readonly clientId?: string | readonly string[] | undefined;
  /** A kind of actor, or one person or key. */
  readonly actor?: { readonly kind: AuditActor['kind']; readonly id?: string | undefined } | undefined;
  readonly action?: AuditAction | undefined;
  readonly subject?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

export type AuditPage = {
  /** The number of the entry after which the page begins. */
  readonly before?: number | undefined;
  readonly limit: number;
};
