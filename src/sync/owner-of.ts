import type { Account } from '../calendars/account-store.ts';

/** Names a user, so that users take turns. */
export const ownerOf = ({ clientId, userId }: Pick<Account, 'clientId' | 'userId'>): string =>
  `${clientId} ${userId}`;
