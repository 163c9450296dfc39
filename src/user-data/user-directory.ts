import type { AccountHealth } from '../calendars/account-store.ts';
import type { UserSummary } from '../oauth/user-store.ts';

/** Selects users by id order, of all applications if `clientIds` is absent. */
export type UserSearch = {
  readonly clientIds?: readonly string[] | undefined;
  /** The prefix of a user's id or of an account's address (ignoring case). */
  readonly beginning?: string | undefined;
  /** Whether it must be the whole text. */
  readonly isWhole?: boolean | undefined;
};

export type FoundUser = UserSummary & {
  /** The number of accounts with a problem. */
  readonly ailing: number;
  /** The worst state of an account; undefined without accounts. */
  readonly worst: AccountHealth['state'] | undefined;
  /** The address of the matching or first account; undefined without accounts. */
  readonly address: string | undefined;
};

/** The user after which a page begins. Users found by id precede those found by account. */
export type UserPlace =
  | { readonly by: 'id'; readonly userId: string; readonly clientId: string }
  | { readonly by: 'address'; readonly address: string; readonly accountKey: string };

/** `next` is the start of the next page; undefined on the last page. */
export type UserPage = { readonly users: readonly FoundUser[]; readonly next: UserPlace | undefined };

/** Finds users by prefixes of ids and addresses, each page from an index. */
export interface UserDirectory {
  findUsers(
    search: UserSearch,
    page: { readonly after?: UserPlace | undefined; readonly limit: number },
  ): Promise<UserPage>;
}
