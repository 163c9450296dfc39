/** The content of the selection page. */
import type { AccountLoading } from '../../calendars/account-store.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { AccountView, UserAccounts } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';

export type ProviderSelection = {
  readonly request: AuthorizationRequest;
  readonly accounts: readonly AccountView[];
  /** The user's other accounts, masked unless the request was pushed. */
  readonly others: readonly AccountView[];
  /** By account key. */
  readonly loading: ReadonlyMap<string, AccountLoading>;
  readonly ending: UserAccounts['ending'];
  readonly limit: number | undefined;
  /** Whether the user came with accounts, so that the page manages them. */
  readonly isManaging: boolean;
  readonly providers: readonly OfferedProvider[];
  readonly happened: Happening | undefined;
};

export type OfferedProvider = { readonly kind: ProviderKind; readonly available: boolean };

/** The action that was just done, with its provider if the text needs it. */
export type Happening =
  | {
      readonly what:
        | ('disconnected' | 'disconnected_all' | 'removed' | 'confirmed' | 'chosen')
        | ('not_this' | 'not_finished');
      readonly provider?: ProviderKind | undefined;
    }
  | { readonly what: 'linked' | 'cancelled' | 'unpermitted' | 'other'; readonly provider: ProviderKind };
