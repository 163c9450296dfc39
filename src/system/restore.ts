/** Restoring a backup of the database in a file: what would be lost by it, and what would live again. */

/** What is compared, by its primary key. */
export type Compared = 'applications' | 'users' | 'accounts' | 'grants' | 'people';
export type Counts = Readonly<Record<Compared, number>>;

/** The database that is there now. */
export type PresentDatabase =
  | { readonly state: 'absent' }
  /** It is damaged, or of another version: nobody knows what it had. */
  | { readonly state: 'unreadable'; readonly reason: string }
  | {
      readonly state: 'readable';
      /** What came since: gone by restoring. */
      readonly lost: Counts;
      /** What was ended or deleted since, and is in the backup. */
      readonly ended: Counts;
      /** Of how many grants the refresh token of the backup was spent since: their users authorize again. */
      readonly refreshed: number;
      /** Of how many applications the secrets that count are others. */
      readonly secretsChanged: number;
    };

export type RestoreReport = {
  readonly file: string;
  readonly bytes: number;
  /** The newest instant in it, epoch milliseconds: what came later is not in it. */
  readonly asOf: number | undefined;
  /** Migrations that it lacked: an older version made it. */
  readonly migrated: readonly number[];
  /** The id of the master key that it is sealed under. */
  readonly keyId: string;
  readonly present: PresentDatabase;
};

export type RestoreChoices = {
  /** Leaves what was ended and deleted since as the backup has it: living. */
  readonly asItWas: boolean;
  /** Ends every grant: all users authorize again. */
  readonly endAllGrants: boolean;
};

export type Restored = {
  /** Where the database that was there is kept; undefined where there was none. */
  readonly keptAside: string | undefined;
  /** What was ended and deleted once more. */
  readonly endedAgain: Counts;
};

/** A backup that was checked. Until `apply` or `discard` nobody else can use the database. */
export interface PreparedRestore {
  readonly report: RestoreReport;
  /** Puts it in the place of the database that is there, at once and whole. */
  apply(choices: RestoreChoices): Promise<Restored>;
  /** Leaves everything as it was. */
  discard(): Promise<void>;
}
