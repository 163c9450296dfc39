import type { AuditAction, AuditActor, AuditEntry } from './audit-entry.ts';

/** Reading the audit log. Stores write it, each in the transaction of the change; nothing changes an entry. */
export interface AuditLog {
  /** The newest first, those with one instant by number; at most `limit`, and 200. */
  listEntries(filter: AuditFilter, page: AuditPage): Promise<AuditEntry[]>;

  /** Those with a number above `after`, by number, at most `limit`. An entry that is committed later has a higher one. */
  entriesAfter(after: number, filter: Pick<AuditFilter, 'from'>, limit: number): Promise<AuditEntry[]>;

  /** How the log names a user; `undefined` for one of whom it has nothing. */
  subjectOfUser(clientId: string, userId: string): Promise<string | undefined>;

  /** Deletes those made before that instant; answers how many. */
  deleteOldEntries(before: number): Promise<number>;
}

/** Instants are epoch milliseconds. */
export type AuditFilter = {
  /** Of one application, or of any of several: those of none of them are left out. */
  readonly clientId?: string | readonly string[] | undefined;
  /** Of a kind of actor, or of one person. */
  readonly actor?: { readonly kind: AuditActor['kind']; readonly id?: string | undefined } | undefined;
  readonly action?: AuditAction | undefined;
  readonly subject?: string | undefined;
  /** Made then or later. */
  readonly from?: number | undefined;
  /** Made before. */
  readonly to?: number | undefined;
};

export type AuditPage = {
  /** Behind the entry with that number. */
  readonly before?: number | undefined;
  readonly limit: number;
};
