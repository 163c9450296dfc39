import type { AppKind } from '../access/provider-apps.ts';
import type { MasterKeyState } from './master-key.ts';

/** What `doctor` needs to know of a database and its keys. */
export type StorageReport =
  | { readonly state: 'absent' }
  | { readonly state: 'unreachable'; readonly reason: string }
  | {
      readonly state: 'reachable';
      readonly engine: 'sqlite' | 'postgres';
      /** Migrations that are not applied yet, by number. */
      readonly pending: readonly number[];
      readonly masterKey: MasterKeyState;
      /** Why the master key does not fit the database; undefined when it does, or there is no key yet. */
      readonly keyProblem: string | undefined;
      /** The database's own clock minus ours, in milliseconds; 0 where it has none of its own. */
      readonly clockSkew: number;
      /** The newest instant the database holds, epoch milliseconds: it cannot lie in the future. */
      readonly newestInstant: number | undefined;
      /** How many calendars of Google's and Microsoft's are told of, and how many are not and why, as far as it is known. */
      readonly watched: readonly WatchedCalendars[];
      /** The applications with developers that use the instance's webhook keys, by client id. */
      readonly sharedKeys: readonly string[];
      /** The number of Microsoft accounts whose tenant is not known. */
      readonly accountsWithoutTenant: number;
      /** When the database was made, and when Kalends made a backup of it last. */
      readonly begunAt: number | undefined;
      readonly lastBackup: number | undefined;
    };

/** `state` is that of their watches (watches/watch.ts), or `ended` where a live one was not renewed. */
export type WatchedCalendars = {
  readonly provider: AppKind;
  readonly state: string;
  readonly reason: string | null;
  readonly count: number;
};
