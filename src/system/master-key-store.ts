import type { MasterKeyState, NextKey } from './master-key.ts';

/** The master key as the database has it, and the values sealed under it. Keys are identified by their ids. */
export interface MasterKeyStore {
  masterKeyState(): Promise<MasterKeyState>;

  /**
   * Announces a key, and stores what is derived from the current one. Returns the key that is announced or in use:
   * another one if another call was faster.
   */
  announceKey(keyId: string, now: number): Promise<NextKey>;
  /**
   * Withdraws an announced key while nothing is sealed under it. Returns false if it is in use or another key is next.
   */
  withdrawKey(keyId: string): Promise<boolean>;
  /** Makes the announced key the one to seal under from now on. Returns false if it is no longer announced. */
  useKey(keyId: string): Promise<boolean>;
  /**
   * Makes the key in use the database's key; the previous one is stored by its id. Audited. Returns false if that
   * happened already.
   */
  finishKey(keyId: string, now: number): Promise<boolean>;

  /** The columns with sealed values, such as `account.credentials`. */
  readonly sealedColumns: readonly string[];
  /**
   * Seals up to `limit` values of a column again that are under another key, in the order of their rows behind `after`.
   * Concurrent writes of others remain. The result's `after` is undefined at the end.
   */
  resealColumn(column: string, after: RowPlace | undefined, limit: number): Promise<Resealed>;
}

/** The primary key of the last row of a part. */
export type RowPlace = Readonly<Record<string, string | number>>;

export type Resealed = { readonly count: number; readonly after: RowPlace | undefined };
