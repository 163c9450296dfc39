/** What the database says of its master key, named by ids (lib/sealing.ts). Instants are epoch milliseconds. */
export type MasterKeyState = {
  /** The key that everything is sealed under, but for what is under `next`; undefined for a new database. */
  readonly keyId: string | undefined;
  /** The key that takes its place. */
  readonly next: NextKey | undefined;
  /** The key before it, and since when it is that. */
  readonly before: { readonly keyId: string; readonly until: number } | undefined;
};

/** Announced, every instance takes it up, and nothing is sealed under it; in use, everything is from then on. */
export type NextKey = {
  readonly keyId: string;
  readonly phase: 'announced' | 'in_use';
  readonly startedAt: number;
};

/** The master keys that this process has. */
export interface MasterKeys {
  /** Where they are from: the files of the data folder, or the settings. */
  readonly source: 'folder' | 'settings';
  /** The ids of `KALENDS_MASTER_KEY` and `KALENDS_MASTER_KEY_PREVIOUS`. */
  readonly configured: { readonly keyId: string | undefined; readonly previous: string | undefined };
  /**
   * Takes up what the database says of its keys by now. Answers whether that was new, or why it cannot be, in a sentence
   * that says what to do.
   */
  look(): Promise<{ readonly changed: boolean; readonly problem?: string }>;
  /** Makes another key in the data folder and takes it up; answers its id. */
  makeNext(): Promise<string>;
  /** Deletes the file of a key that `makeNext` made and nothing is sealed under. */
  discard(keyId: string): Promise<void>;
  /** Sees that `master.key` holds the key that everything is sealed under, where keys are in files. */
  settle(): Promise<void>;
}
