/** Restoring a backup of a database file, with the data that would be lost or become valid again. */

/** The kinds of records that are compared, by primary key. */
export type Compared = 'applications' | 'users' | 'accounts' | 'grants' | 'people';
export type Counts = Readonly<Record<Compared, number>>;

export type PresentDatabase =
  | { readonly state: 'absent' }
  /** The contents are unknown: damaged, or of another version. */
  | { readonly state: 'unreadable'; readonly reason: string }
  | {
      readonly state: 'readable';
      /** Created since the backup, so that a restore loses them. */
      readonly lost: Counts;
      /** Ended or deleted since the backup. */
      readonly ended: Counts;
      /** The grants whose refresh token in the backup was used since: users must authorize again. */
      readonly refreshed: number;
      /** The applications whose secrets changed since. */
      readonly secretsChanged: number;
    };

export type RestoreReport = {
  readonly file: string;
  readonly bytes: number;
  /** The newest instant in the backup, in epoch milliseconds. Later changes are missing. */
  readonly asOf: number | undefined;
  /** Migrations that were applied to a backup of an older version. */
  readonly migrated: readonly number[];
  /** The id of its master key. */
  readonly keyId: string;
  readonly present: PresentDatabase;
};

export type RestoreChoices = {
  /** Restores what was ended or deleted since, as valid as in the backup. */
  readonly asItWas: boolean;
  /** Ends every grant: all users must authorize again. */
  readonly endAllGrants: boolean;
};

export type Restored = {
  /** The path of the previous database; undefined if there was none. */
  readonly keptAside: string | undefined;
  /** The restored records that were ended or deleted again. */
  readonly endedAgain: Counts;
};

/** A checked backup. Until `apply` or `discard`, no other process can use the database. */
export interface PreparedRestore {
  readonly report: RestoreReport;
  /** Replaces the database atomically. */
  apply(choices: RestoreChoices): Promise<Restored>;
  discard(): Promise<void>;
}
