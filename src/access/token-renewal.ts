/** Renews access tokens of Google and Microsoft, one instance at a time. The others wait and use the stored result. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, AccountStore } from '../calendars/account-store.ts';
import type { CalendarProvider, OAuthCredentials } from '../calendars/calendar-provider.ts';
import { healthAfter } from '../calendars/health.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import { errorOfFailure, failureOfError, type SyncFailure } from '../calendars/sync-failure.ts';
import type { Log } from '../lib/log.ts';
import { LATE, within } from '../lib/within.ts';
import { parseOAuthCredentials } from './oauth-credentials.ts';
import type { ProviderApps } from './provider-apps.ts';
import type { NewLease, StoredCredentials, TokenLease, TokenLeaseStore } from './token-lease-store.ts';

export type TokenRenewalDeps = {
  readonly tokens: TokenLeaseStore;
  readonly accounts: Pick<AccountStore, 'setHealth'>;
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  readonly apps: ProviderApps;
  readonly log: Log;
  readonly now: () => number;
};

type Renewal = { readonly account: Account; readonly deps: TokenRenewalDeps };

/** A token counts as expired this long before it expires, since a request takes its time. */
export const SPARE_MS = 60_000;
/** The lease of a renewal, longer than one may take. After it, another instance takes over from a holder that died. */
const LEASE_MS = 60_000;
const RENEWAL_MS = 45_000;
const POLL_MS = 100;
/** The longest wait for another renewal: the lease of a holder that died, and one renewal. */
const PATIENCE_MS = LEASE_MS + RENEWAL_MS;

/**
 * Returns credentials whose access token is valid for another minute and is not `refused`; renews them if necessary.
 * Fails with ProviderError: `unauthorized` if the user must sign in again, `misconfigured` if the operator must act,
 * `rate_limited` or `unavailable` if a later try may succeed.
 */
export async function usableCredentials(
  account: Account,
  refused: string | undefined,
  deps: TokenRenewalDeps,
): Promise<OAuthCredentials> {
  const startedAt = deps.now();
  const { accountKey } = account;
  let before: StoredCredentials | undefined;
  for (let patience: AbortSignal | undefined; !patience?.aborted; ) {
    const stored = await deps.tokens.findCredentials(accountKey);
    if (stored === undefined) throw new ProviderError('unauthorized', 'The account is no longer connected');
    const { version, failures } = stored;
    const credentials = parseOAuthCredentials(stored.credentials);
    const isNew = before !== undefined && before.version !== version;
    // A token that another caller renewed during the wait is used even if it is valid only for seconds.
    const isValid = credentials.expiresAt - (isNew ? 0 : SPARE_MS) > deps.now();
    if (isValid && credentials.accessToken !== refused) return credentials;
    if (mustNotRetry(stored, startedAt, deps.now())) throw toCallerError(stored.failure, deps.now());

    const lease = { accountKey, version, failures, holder: randomUUID() };
    const now = deps.now();
    if (await deps.tokens.leaseTokens(lease, now, now + LEASE_MS)) {
      const renewed = await renewUnder(lease, credentials, { account, deps });
      if (renewed !== undefined) return renewed;
    } else {
      await sleep(POLL_MS * (0.5 + Math.random()));
    }
    before ??= stored;
    // Real time bounds the wait, whatever the clock says.
    patience ??= AbortSignal.timeout(PATIENCE_MS);
  }
  throw new ProviderError('unavailable', 'Another instance took too long to renew the access token');
}

type FailedCredentials = StoredCredentials & { readonly failure: SyncFailure };

/** Returns whether renewing failed while the caller waited, or too recently. */
function mustNotRetry(
  stored: StoredCredentials,
  startedAt: number,
  now: number,
): stored is FailedCredentials {
  if (stored.failure === undefined) return false;
  return (stored.failedAt ?? 0) >= startedAt || (stored.failure.retryAt ?? 0) > now;
}

/** Returns `undefined` if the credentials were replaced meanwhile and must be read again. */
async function renewUnder(
  lease: NewLease,
  credentials: OAuthCredentials,
  renewal: Renewal,
): Promise<OAuthCredentials | undefined> {
  const { account, deps } = renewal;
  let renewed: OAuthCredentials;
  try {
    renewed = await renew(credentials, renewal);
  } catch (reason) {
    const failure = reportRenewalFailure(reason, lease.failures, renewal);
    if (!(await deps.tokens.failRenewal(lease, failure, deps.now()))) return undefined;
    const problem = healthAfter(failure, account.provider);
    if (problem !== undefined) await deps.accounts.setHealth(account, problem, deps.now());
    throw toCallerError(failure, deps.now());
  }
  if (!(await storeWithRetries(lease, renewed, deps))) return undefined;
  deps.log.debug(
    { event: 'access_renewed', accountKey: account.accountKey, provider: account.provider },
    'An access token was renewed',
  );
  return renewed;
}

async function renew(credentials: OAuthCredentials, renewal: Renewal): Promise<OAuthCredentials> {
  const { account, deps } = renewal;
  const { refreshToken } = credentials;
  if (refreshToken === undefined) {
    const message = 'The provider granted access for a limited time only; the account must be reconnected';
    throw new ProviderError('unauthorized', message, { reason: 'access_revoked' });
  }
  const provider = deps.providers[account.provider];
  if (provider?.signIn.method !== 'redirect') throw notSetUp(account);
  const app = await requireIssuer(credentials, renewal);
  const renewing = provider.signIn.renew(credentials, { ...app, user: account }, account.identity);
  const renewed = await within(RENEWAL_MS, renewing);
  if (renewed === LATE) throw new ProviderError('unavailable', 'The provider did not respond in time');
  // A provider that does not rotate refresh tokens need not repeat the previous one.
  return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken };
}

/** Returns the app that issued the tokens: no other can renew them. */
async function requireIssuer({ appClientId }: OAuthCredentials, { account, deps }: Renewal) {
  const { clientId, provider } = account;
  const issuer = await deps.apps.findIssuer(clientId, provider, appClientId);
  if (issuer !== undefined) return issuer;
  if ((await deps.apps.find(clientId, provider)) === undefined) throw notSetUp(account);
  const message = `The app that this account was connected with at ${provider} was replaced; the account must be reconnected`;
  throw new ProviderError('unauthorized', message, { reason: 'app_replaced' });
}

const notSetUp = ({ provider }: Account) =>
  new ProviderError('misconfigured', `The provider ${provider} is not set up here`, {
    reason: 'provider_not_set_up',
  });

const STORE_TRIES = 5;
const STORE_WAIT_MS = 500;

/** Stores the tokens with retries, because they may include the only refresh token that still works. */
async function storeWithRetries(
  lease: TokenLease,
  renewed: OAuthCredentials,
  deps: TokenRenewalDeps,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await deps.tokens.storeRenewed(lease, renewed, deps.now());
    } catch (err) {
      deps.log.error(
        { event: 'renewal_not_stored', err, accountKey: lease.accountKey, attempt },
        'A renewed access token could not be stored',
      );
      if (attempt === STORE_TRIES) throw err;
      await sleep(STORE_WAIT_MS * attempt);
    }
  }
}

/** Only the user can replace a refused refresh token: trying it again is left to the sync's own retries. */
const REFUSED_REST_MS = 25 * 60_000;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 5 * 60_000;

/** Returns the failure. `retryAt` is when an instance may try again: later each time, and never before Retry-After. */
function reportRenewalFailure(reason: unknown, failures: number, { account, deps }: Renewal): SyncFailure {
  const { accountKey, provider } = account;
  const fields = { accountKey, provider, err: reason };
  const now = deps.now();
  let failure: SyncFailure;
  if (reason instanceof ProviderError) {
    const details = { ...fields, kind: reason.kind, reason: reason.reason };
    // No user can fix it: the operator learns of it from the log.
    if (reason.kind === 'misconfigured')
      deps.log.error(
        { event: 'renewal_misconfigured', ...details },
        'Access tokens could not be renewed: the provider rejects the provider app',
      );
    else deps.log.warn({ event: 'renewal_failed', ...details }, 'An access token could not be renewed');
    failure = failureOfError(reason, now);
  } else {
    deps.log.error(
      { event: 'renewal_fault', ...fields },
      'An access token was not renewed because of an internal error',
    );
    const message = 'The access token could not be renewed because of an error on our side';
    failure = { kind: 'unavailable', message, reason: 'internal_fault' };
  }
  const doubled = Math.min(FIRST_REST_MS * 2 ** Math.min(failures, 10), LONGEST_REST_MS);
  const rest = now + (failure.kind === 'unauthorized' ? REFUSED_REST_MS : doubled);
  return { ...failure, failures: failures + 1, retryAt: Math.max(rest, failure.retryAt ?? 0) };
}

/** Returns the callers' error. After `unauthorized` it has no time: a user who signs in again need not wait. */
function toCallerError({ kind, message, reason, retryAt }: SyncFailure, now: number): ProviderError {
  const failure = { kind, message, ...(reason === undefined ? {} : { reason }) };
  const isTimed = kind !== 'unauthorized' && retryAt !== undefined;
  return errorOfFailure(isTimed ? { ...failure, retryAt } : failure, now);
}
