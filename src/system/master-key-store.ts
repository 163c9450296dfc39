import type { MasterKeyState, NextKey } from './master-key.ts';

/** The master key as the database has it, and what is sealed under it. Keys are named by their ids. */
export interface MasterKeyStore {
  masterKeyState(): Promise<MasterKeyState>;

  /**
   * Announces a key, and keeps what is derived from the one before. Answers the key that is announced or in use: another
   * one, where another call was faster.
   */
  announceKey(keyId: string, now: number): Promise<NextKey>;
  /** Takes back what was announced, while nothing is sealed under it; false where it is in use, or another one is next. */
  withdrawKey(keyId: string): Promise<boolean>;
  /** Everything is to be sealed under the announced key from now on. False where it is not announced any more. */
  useKey(keyId: string): Promise<boolean>;
  /**
   * The key that was in use is the database's key, and the one before is known by its id. Audited. False where that
   * happened already.
   */
  finishKey(keyId: string, now: number): Promise<boolean>;

  /** Names the columns with sealed values, as `account.credentials`. */
  readonly sealedColumns: readonly string[];
  /**
   * Seals anew up to `limit` values of a column that are under another key, in the order of their rows behind `after`.
   * What is written meanwhile by others stays as they wrote it. `after` of the answer is undefined at the end.
   */
  resealColumn(column: string, after: RowPlace | undefined, limit: number): Promise<Resealed>;
}

/** The last row of a part: its primary key. */
export type RowPlace = Readonly<Record<string, string | number>>;

export type Resealed = { readonly count: number; readonly after: RowPlace | undefined };
