/** Saves an account whose owner was just proved, whichever way they signed in. */
import type { Account } from '../../calendars/account-store.ts';
import type { VerifiedAccount } from '../../calendars/calendar-provider.ts';
import type { ProviderKind } from '../../calendars/provider-kind.ts';
import { hashOfSecret } from '../../lib/sealing.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import { ConnectError } from '../flow/connect-error.ts';
import { finishedError } from '../flow/connect-flow.ts';

export type ProvedAccount = {
  readonly request: AuthorizationRequest;
  readonly kind: ProviderKind;
  /** The secret of the browser that links it. */
  readonly device: string;
  readonly verified: VerifiedAccount;
  /** The provider's own scopes; none where it has no such thing. */
  readonly grantedScopes: readonly string[];
  readonly calendarPermission: boolean | undefined;
};

/**
 * Links it, or renews the credentials of one linked already, which keeps its id; its first sync starts at
 * once. Throws ConnectError when the request ended meanwhile.
 */
export async function saveAccount(
  { request, kind, device, verified, grantedScopes, calendarPermission }: ProvedAccount,
  { accounts, requests, log, now }: Pick<ConnectDeps, 'accounts' | 'requests' | 'log' | 'now'>,
): Promise<Account> {
  // Providers can take seconds: meanwhile the user, and this request with it, may have been deleted, or the
  // user may have answered it in another tab, on a page that did not list this account (docs/security.md T3).
  const current = await requests.findRequest(request.transactionId);
  if (current === undefined) throw new ConnectError('session_expired');
  if (current.status !== 'open') throw finishedError(current);
  const { clientId, userId } = request;
  const { accountId, display, credentials } = verified;
  const account = await accounts.linkAccount(
    {
      clientId,
      userId,
      provider: kind,
      accountId,
      display,
      credentials,
      grantedScopes,
      calendarPermission,
      deviceHash: hashOfSecret(device),
    },
    now(),
  );
  log.info({ clientId, provider: kind, calendarPermission }, 'An account was linked');
  return account;
}
