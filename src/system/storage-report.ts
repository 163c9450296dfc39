import type { AppKind } from '../access/provider-apps.ts';
import type { MasterKeyState } from './master-key.ts';

/** The facts about a database and its keys that `doctor` needs. */
export type StorageReport =
  | { readonly state: 'absent' }
  | { readonly state: 'unreachable'; readonly reason: string }
  | {
      readonly state: 'reachable';
      readonly engine: 'sqlite' | 'postgres';
      /** Migrations that are not applied yet, by number. */
      readonly pending: readonly number[];
      readonly masterKey: MasterKeyState;
      /** Why the master key does not fit the database; undefined if it does, or if there is no key yet. */
      readonly keyProblem: string | undefined;
      /** The database's own clock minus ours, in milliseconds; 0 if it has none. */
      readonly clockSkew: number;
      /** The newest instant in the database, epoch milliseconds: it cannot be in the future. */
      readonly newestInstant: number | undefined;
      /** How many calendars at Google and Microsoft are watched, and how many are not and why, as far as known. */
      readonly watched: readonly WatchedCalendars[];
      /** The applications with developers that use the instance's webhook keys, by client id. */
      readonly sharedKeys: readonly string[];
      /** The number of Microsoft accounts whose tenant is not known. */
      readonly accountsWithoutTenant: number;
      /** When the database was created, and when Kalends last made a backup of it. */
      readonly begunAt: number | undefined;
      readonly lastBackup: number | undefined;
    };

/** `state` is that of their watches (watches/watch.ts), or `ended` if a live watch was not renewed. */
export type WatchedCalendars = {
  readonly provider: AppKind;
  readonly state: string;
  readonly reason: string | null;
  readonly count: number;
};
