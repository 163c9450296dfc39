import type { AppKind } from '../access/provider-apps.ts';
import type { Addresses } from '../config/stored-addresses.ts';
import type { MasterKeyState } from './master-key.ts';

/** The facts that `doctor` needs about a database and its keys. */
export type StorageReport =
  | { readonly state: 'absent' }
  | { readonly state: 'unreachable'; readonly reason: string }
  | {
      readonly state: 'reachable';
      readonly engine: 'sqlite' | 'postgres';
      /** The numbers of unapplied migrations. */
      readonly pending: readonly number[];
      readonly masterKey: MasterKeyState;
      /** The problem with the master key, if any. */
      readonly keyProblem: string | undefined;
      /** The database's clock minus ours, in milliseconds; 0 if it has none. */
      readonly clockSkew: number;
      /** The newest instant in the database, in epoch milliseconds: it cannot be in the future. */
      readonly newestInstant: number | undefined;
      /** The numbers of watched and unwatched calendars at Google and Microsoft, with reasons. */
      readonly watched: readonly WatchedCalendars[];
      /** The client ids of applications with developers that use the instance's webhook keys. */
      readonly sharedKeys: readonly string[];
      /** The admin keys that expire first, and those that have expired. In epoch milliseconds. */
      readonly adminKeys?: readonly { readonly name: string; readonly expiresAt: number }[];
      /** The applications with the profile `fapi2`. */
      readonly fapi2?: readonly { readonly clientId: string; readonly hasKeys: boolean }[];
      readonly accountsWithoutTenant: number;
      /** The creation of the database, and the last backup by Kalends. */
      readonly begunAt: number | undefined;
      readonly lastBackup: number | undefined;
      /** The size of the SQLite file; undefined for PostgreSQL. */
      readonly fileBytes?: number | undefined;
      /** The addresses of the server that started last. */
      readonly addresses: Addresses | undefined;
    };

/** `state` is a watch's (watches/watch.ts), or `ended` if a live watch was not renewed. */
export type WatchedCalendars = {
  readonly provider: AppKind;
  readonly state: string;
  readonly reason: string | null;
  readonly count: number;
};
