import type { User } from '../oauth/user-store.ts';

/** Selects users of these applications, or of all if absent, in the order of their ids. */
export type UserSearch = {
  readonly clientIds?: readonly string[] | undefined;
  /** The prefix of an id or of an account's address. Case is ignored in addresses. */
  readonly beginning?: string | undefined;
  /** Whether it has to be the whole text. */
  readonly isWhole?: boolean | undefined;
};

/** A user as a list shows it. */
export type FoundUser = User & {
  readonly accounts: number;
  /** The number of those with a problem. */
  readonly ailing: number;
  /** The address of the account that matched, or else of the first account; undefined without accounts. */
  readonly address: string | undefined;
};

/** The user behind which a page begins. Users found by id come before those found by account. */
export type UserPlace =
  | { readonly by: 'id'; readonly userId: string; readonly clientId: string }
  | { readonly by: 'address'; readonly address: string; readonly accountKey: string };

/** `next` is where the next page begins; undefined on the last one. */
export type UserPage = { readonly users: readonly FoundUser[]; readonly next: UserPlace | undefined };

/** Finds users by prefixes of their names, each page from an index. */
export interface UserDirectory {
  findUsers(
    search: UserSearch,
    page: { readonly after?: UserPlace | undefined; readonly limit: number },
  ): Promise<UserPage>;
}
