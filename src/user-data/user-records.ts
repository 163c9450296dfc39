import type { Caller } from '../audit/audit-entry.ts';

/** A record of the stored data about a user, ready for JSON. Instants are texts. */
export type UserRecord = Readonly<Record<string, unknown>>;

/** All stored data about a user, without secrets and derived data. */
export interface UserRecords {
  /** Notes the export in the audit log; returns false if the user does not exist. */
  beginExport(clientId: string, userId: string, by: Caller | undefined): Promise<boolean>;

  /** The kinds of records, in the document's order. */
  readonly kinds: readonly string[];

  /** Returns the records of one kind in pages, read on demand. */
  pagesOf(kind: string, clientId: string, userId: string): AsyncIterable<readonly UserRecord[]>;
}
