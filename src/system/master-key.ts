/** The database's record of its master key, by key ids (lib/sealing.ts). Instants are epoch milliseconds. */
export type MasterKeyState = {
  /** The key that everything is sealed under, except for what is under `next`; undefined for a new database. */
  readonly keyId: string | undefined;
  /** The key that replaces it. */
  readonly next: NextKey | undefined;
  /** The previous key, and the time when it was replaced. */
  readonly before: { readonly keyId: string; readonly until: number } | undefined;
};

/**
 * Announced: every instance loads it, and nothing is sealed under it. In use: everything is sealed under it from then
 * on.
 */
export type NextKey = {
  readonly keyId: string;
  readonly phase: 'announced' | 'in_use';
  readonly startedAt: number;
};

/** The master keys of this process. */
export interface MasterKeys {
  /** Whether they are from files of the data folder or from the settings. */
  readonly source: 'folder' | 'settings';
  /** The ids of `KALENDS_MASTER_KEY` and `KALENDS_MASTER_KEY_PREVIOUS`. */
  readonly configured: { readonly keyId: string | undefined; readonly previous: string | undefined };
  /**
   * Loads the keys that the database now names. Returns whether that was new, or why it is not possible, in a sentence
   * that says what to do.
   */
  look(): Promise<{ readonly changed: boolean; readonly problem?: string }>;
  /** Creates and loads another key in the data folder; returns its id. */
  makeNext(): Promise<string>;
  /** Deletes the file of a key from `makeNext` that nothing is sealed under. */
  discard(keyId: string): Promise<void>;
  /** Ensures that `master.key` has the key that everything is sealed under, if keys are in files. */
  settle(): Promise<void>;
}
