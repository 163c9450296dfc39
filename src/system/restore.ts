/** Restoring a backup of a database file: what would be lost, and what would become valid again. */

/** The records that are compared, by primary key. */
export type Compared = 'applications' | 'users' | 'accounts' | 'grants' | 'people';
export type Counts = Readonly<Record<Compared, number>>;

/** The present database. */
export type PresentDatabase =
  | { readonly state: 'absent' }
  /** It is damaged or of another version: its contents are unknown. */
  | { readonly state: 'unreadable'; readonly reason: string }
  | {
      readonly state: 'readable';
      /** Created since the backup: lost by restoring. */
      readonly lost: Counts;
      /** Ended or deleted since, but in the backup. */
      readonly ended: Counts;
      /** The grants whose refresh token in the backup was used since: their users have to authorize again. */
      readonly refreshed: number;
      /** The applications whose valid secrets have changed since. */
      readonly secretsChanged: number;
    };

export type RestoreReport = {
  readonly file: string;
  readonly bytes: number;
  /** The newest instant in the backup, epoch milliseconds: later changes are not in it. */
  readonly asOf: number | undefined;
  /** Migrations that it lacked, if an older version made it. */
  readonly migrated: readonly number[];
  /** The id of the master key of its sealed values. */
  readonly keyId: string;
  readonly present: PresentDatabase;
};

export type RestoreChoices = {
  /** Keeps what was ended and deleted since as valid as it is in the backup. */
  readonly asItWas: boolean;
  /** Ends every grant: all users have to authorize again. */
  readonly endAllGrants: boolean;
};

export type Restored = {
  /** The path of the previous database; undefined if there was none. */
  readonly keptAside: string | undefined;
  /** The records of the backup that were ended or deleted again. */
  readonly endedAgain: Counts;
};

/** A backup that was checked. Until `apply` or `discard`, nobody else can use the database. */
export interface PreparedRestore {
  readonly report: RestoreReport;
  /** Replaces the present database, at once and completely. */
  apply(choices: RestoreChoices): Promise<Restored>;
  /** Leaves everything as it was. */
  discard(): Promise<void>;
}
