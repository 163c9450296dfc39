import type { AccountStore } from '../calendars/account-store.ts';
import { hostOfUrl } from '../lib/host-of-url.ts';
import type { MirrorStore } from './mirror-store.ts';
import { ownerOf } from './owner-of.ts';
import type { SyncPlace } from './sync-turns.ts';

/** A list of calendars, by its account's key, or a calendar. */
export type Synced = { readonly kind: 'sync-account' | 'sync-calendar'; readonly key: string };

export type SyncPlaceDeps = {
  readonly mirror: Pick<MirrorStore, 'findCalendar'>;
  readonly accounts: Pick<AccountStore, 'findAccount'>;
};

/** Whose sync it is, and at which server; nobody's where it is gone. */
export async function placeOf(
  { kind, key }: Synced,
  { mirror, accounts }: SyncPlaceDeps,
): Promise<SyncPlace> {
  const accountKey = kind === 'sync-account' ? key : (await mirror.findCalendar(key))?.accountKey;
  const account = accountKey === undefined ? undefined : await accounts.findAccount(accountKey);
  if (account === undefined) return { owner: '', host: '' };
  return { owner: ownerOf(account), host: account.provider === 'caldav' ? hostOfUrl(account.accountId) : '' };
}
