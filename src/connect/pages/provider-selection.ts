/** What the selection page shows. */
import type { AccountLoading } from '../../calendars/account-store.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { AccountView, UserAccounts } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';

export type ProviderSelection = {
  readonly request: AuthorizationRequest;
  /** What an approval covers. */
  readonly accounts: readonly AccountView[];
  /** The user's others, masked. */
  readonly others: readonly AccountView[];
  /** By account key. */
  readonly loading: ReadonlyMap<string, AccountLoading>;
  readonly ending: UserAccounts['ending'];
  /** How many accounts there can be, where no more can be connected. */
  readonly limit: number | undefined;
  /** Whether the user came with accounts: then this page manages them. */
  readonly isManaging: boolean;
  /** The providers this request offers, in order, and whether each is set up here. */
  readonly providers: readonly OfferedProvider[];
  /** What was just done on another page. */
  readonly happened: Happening | undefined;
};

export type OfferedProvider = { readonly kind: ProviderKind; readonly available: boolean };

/** What was done, and at which provider where the words need it. */
export type Happening =
  | {
      readonly what:
        | ('disconnected' | 'disconnected_all' | 'removed' | 'confirmed' | 'chosen')
        | ('not_this' | 'not_finished');
      readonly provider?: ProviderKind | undefined;
    }
  | { readonly what: 'linked' | 'cancelled' | 'unpermitted' | 'other'; readonly provider: ProviderKind };
