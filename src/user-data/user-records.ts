/** One record of what is kept about a user, ready for JSON. Instants are texts. */
export type UserRecord = Readonly<Record<string, unknown>>;

/** Everything that is kept about a user of an application, but for secrets and what was derived from the rest. */
export interface UserRecords {
  /** Notes in the audit log that it is about to be read; false when there is no such user. */
  beginExport(clientId: string, userId: string): Promise<boolean>;

  /** The kinds of records, in the order of the document. */
  readonly kinds: readonly string[];

  /** The records of one kind, in pages that are read when they are asked for. */
  pagesOf(kind: string, clientId: string, userId: string): AsyncIterable<readonly UserRecord[]>;
}
