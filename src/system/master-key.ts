/** The database's record of its master key, by key ids (lib/sealing.ts). Instants are epoch milliseconds. */
export type MasterKeyState = {
  /** The key of all values except those under `next`; undefined for a new database. */
  readonly keyId: string | undefined;
  /** Its successor. */
  readonly next: NextKey | undefined;
  /** The previous key, and the time of its replacement. */
  readonly before: { readonly keyId: string; readonly until: number } | undefined;
};

/** `announced`: every instance loads it, but nothing is sealed under it. `in_use`: everything is sealed under it. */
export type NextKey = {
  readonly keyId: string;
  readonly phase: 'announced' | 'in_use';
  readonly startedAt: number;
};

export interface MasterKeys {
  /** Files of the data folder, or settings. */
  readonly source: 'folder' | 'settings';
  /** The ids of `KALENDS_MASTER_KEY` and `KALENDS_MASTER_KEY_PREVIOUS`. */
  readonly configured: { readonly keyId: string | undefined; readonly previous: string | undefined };
  /** Loads the keys that the database names. Returns whether they changed, or the problem and how to fix it. */
  look(): Promise<{ readonly changed: boolean; readonly problem?: string }>;
  /** Creates and loads another key in the data folder; returns its id. */
  makeNext(): Promise<string>;
  /** Deletes an unused key of `makeNext`. */
  discard(keyId: string): Promise<void>;
  /** If keys are in files, makes `master.key` the key that everything is sealed under. */
  settle(): Promise<void>;
}
