import type { Caller } from '../audit/audit-entry.ts';
import type { MasterKeyState, NextKey } from './master-key.ts';

/** The database's record of the master key by key ids, and the values sealed under it. */
export interface MasterKeyStore {
  masterKeyState(): Promise<MasterKeyState>;

  /** Announces a key with its derivation from the current one. Returns the announced or used key, maybe another's. */
  announceKey(keyId: string, now: number): Promise<NextKey>;
  /** Withdraws an announced key. Returns false if it is in use or another key is next. */
  withdrawKey(keyId: string): Promise<boolean>;
  /** Makes the announced key the one that seals. Returns false if it is no longer announced. */
  useKey(keyId: string): Promise<boolean>;
  /** Makes the key in use the database's key, and stores the previous id. Audited for `by`. Returns false if already done. */
  finishKey(keyId: string, now: number, by: Caller | undefined): Promise<boolean>;

  /** The columns with sealed values, such as `account.credentials`. */
  readonly sealedColumns: readonly string[];
  /** Reseals up to `limit` values under other keys, in row order. `after` of the result is undefined at the end. */
  resealColumn(column: string, after: RowPlace | undefined, limit: number): Promise<Resealed>;
}

/** The primary key of the last row of a part. */
export type RowPlace = Readonly<Record<string, string | number>>;

export type Resealed = { readonly count: number; readonly after: RowPlace | undefined };
