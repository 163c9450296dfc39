import type { User } from '../oauth/user-store.ts';

/** Users of these applications, of all where they are absent, in the order of their ids. */
export type UserSearch = {
  readonly clientIds?: readonly string[] | undefined;
  /** What an id, or the address of an account, begins with; upper and lower case of an address are one. */
  readonly beginning?: string | undefined;
  /** Whether it has to be all of it. */
  readonly isWhole?: boolean | undefined;
};

/** A user as a list shows one. */
export type FoundUser = User & {
  readonly accounts: number;
  /** How many of those do not work. */
  readonly ailing: number;
  /** Of the account that was searched for, else of the first one; absent where there is none. */
  readonly address: string | undefined;
};

/** Behind which user a page begins: those whose id was found come before those whose account was. */
export type UserPlace =
  | { readonly by: 'id'; readonly userId: string; readonly clientId: string }
  | { readonly by: 'address'; readonly address: string; readonly accountKey: string };

/** `next` is where the page behind it begins; absent on the last one. */
export type UserPage = { readonly users: readonly FoundUser[]; readonly next: UserPlace | undefined };

/** Finds users by the beginnings of their names, each page from an index. */
export interface UserDirectory {
  findUsers(
    search: UserSearch,
    page: { readonly after?: UserPlace | undefined; readonly limit: number },
  ): Promise<UserPage>;
}
