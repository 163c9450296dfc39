import type { AccountStore } from '../calendars/account-store.ts';
import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';
import { ownerOf, placeOfOwner } from '../lib/fair-slots/slot-owner.ts';
import { hostOfUrl } from '../lib/host-of-url.ts';
import type { MirrorStore } from './mirror-store.ts';

/** A list of calendars, by its account's key, or a calendar. */
export type Synced = { readonly kind: 'sync-account' | 'sync-calendar'; readonly key: string };

export type SyncPlaceDeps = {
  readonly mirror: Pick<MirrorStore, 'findCalendar'>;
  readonly accounts: Pick<AccountStore, 'findAccount'>;
};

/**
 * Returns whose sync it is, and at which server: no server if the limits are those of its provider, and nobody's if the
 * account is gone.
 */
export async function placeOf(
  { kind, key }: Synced,
  { mirror, accounts }: SyncPlaceDeps,
): Promise<SlotPlace> {
  const accountKey = kind === 'sync-account' ? key : (await mirror.findCalendar(key))?.accountKey;
  const account = accountKey === undefined ? undefined : await accounts.findAccount(accountKey);
  if (account === undefined) return placeOfOwner('');
  return placeOfOwner(ownerOf(account), account.provider === 'caldav' ? hostOfUrl(account.accountId) : '');
}
