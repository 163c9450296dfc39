/**
 * Renewal of the access tokens of Google and Microsoft accounts: by one instance at a time, under a
 * lease in the database. Whoever comes meanwhile waits and takes what the winner stored, be it a token
 * or why there is none.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, AccountStore } from '../calendars/account-store.ts';
import type { CalendarProvider, OAuthCredentials } from '../calendars/calendar-provider.ts';
import { healthAfter } from '../calendars/health.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import { errorOfFailure, failureOfError, type SyncFailure } from '../calendars/sync-failure.ts';
import type { Log } from '../lib/log.ts';
import { oauthCredentialsOf } from './oauth-credentials.ts';
import type { ProviderApps } from './provider-apps.ts';
import type { HeldCredentials, TokenLease, TokenLeaseStore } from './token-lease-store.ts';

export type TokenRenewalDeps = {
  readonly tokens: TokenLeaseStore;
  readonly accounts: Pick<AccountStore, 'setHealth'>;
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  readonly apps: ProviderApps;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The provider's side of one account, told apart by whether its tokens need renewing. */
type Renewing = { readonly account: Account; readonly deps: TokenRenewalDeps };

/** A token counts as expired this long before it does: a request takes its time. */
export const SPARE_MS = 60_000;
/** Longer than a renewal may take; a holder that died is replaced after it. */
const LEASE_MS = 60_000;
const RENEWAL_MS = 45_000;
const POLL_MS = 100;
/** For how long somebody waits for another's renewal: one lease of the dead, and one renewal. */
const PATIENCE_MS = LEASE_MS + RENEWAL_MS;

/**
 * Credentials whose access token is good for another minute and is not `refused`; renewed first when
 * there are none. Fails with ProviderError: `unauthorized` when the user must sign in again,
 * `misconfigured` when the operator must act, `rate_limited` or `unavailable` when it is to be tried later.
 */
export async function usableCredentials(
  account: Account,
  refused: string | undefined,
  deps: TokenRenewalDeps,
): Promise<OAuthCredentials> {
  const startedAt = deps.now();
  const { accountKey } = account;
  let before: HeldCredentials | undefined;
  for (let patience: AbortSignal | undefined; !patience?.aborted; ) {
    const held = await deps.tokens.heldCredentials(accountKey);
    if (held === undefined) throw new ProviderError('unauthorized', 'The account is no longer connected');
    const credentials = oauthCredentialsOf(held.credentials);
    if (isUsable(held, credentials, { refused, before, now: deps.now() })) return credentials;
    if (standsStill(held, startedAt, deps.now())) throw errorOfFailure(told(held.failure), deps.now());

    const lease: TokenLease = { accountKey, version: held.version, holder: randomUUID() };
    const now = deps.now();
    if (await deps.tokens.leaseTokens(lease, held.failures, now, now + LEASE_MS)) {
      const renewed = await renewUnder(lease, held.failures, credentials, { account, deps });
      if (renewed !== undefined) return renewed;
    } else {
      await sleep(POLL_MS * (0.5 + Math.random()));
    }
    before ??= held;
    // Real time bounds the wait, whatever the clock says.
    patience ??= AbortSignal.timeout(PATIENCE_MS);
  }
  throw new ProviderError('unavailable', 'The renewal of the access by another instance took too long');
}

/** What another renewed while we waited is taken even if it is good for seconds only. */
function isUsable(
  held: HeldCredentials,
  { accessToken, expiresAt }: OAuthCredentials,
  asked: { refused: string | undefined; before: HeldCredentials | undefined; now: number },
): boolean {
  if (accessToken === asked.refused) return false;
  const isNew = asked.before !== undefined && asked.before.version !== held.version;
  return expiresAt - (isNew ? 0 : SPARE_MS) > asked.now;
}

type Failed = HeldCredentials & { readonly failure: SyncFailure };

/** A failure that happened while the caller waited, or whose time has not come, is not tried again. */
function standsStill(held: HeldCredentials, startedAt: number, now: number): held is Failed {
  if (held.failure === undefined) return false;
  return (held.failedAt ?? 0) >= startedAt || (held.failure.retryAt ?? 0) > now;
}

/** `undefined` when the credentials were replaced meanwhile: the newer ones are to be looked at. */
async function renewUnder(
  lease: TokenLease,
  failures: number,
  credentials: OAuthCredentials,
  { account, deps }: Renewing,
): Promise<OAuthCredentials | undefined> {
  let renewed: OAuthCredentials;
  try {
    renewed = await renew(credentials, { account, deps });
  } catch (reason) {
    const failure = failureOf(reason, failures, { account, deps });
    if (!(await deps.tokens.failRenewal(lease, failure, deps.now()))) return undefined;
    const problem = healthAfter(failure, account.provider);
    if (problem !== undefined) await deps.accounts.setHealth(account, problem, deps.now());
    throw errorOfFailure(told(failure), deps.now());
  }
  if (!(await storeSurely(lease, renewed, deps))) return undefined;
  deps.log.debug({ accountKey: account.accountKey, provider: account.provider }, 'Access was renewed');
  return renewed;
}

async function renew(credentials: OAuthCredentials, renewing: Renewing): Promise<OAuthCredentials> {
  const { account, deps } = renewing;
  const { refreshToken } = credentials;
  if (refreshToken === undefined) {
    const message = 'The provider gave access for a limited time only; the account must be connected again';
    throw new ProviderError('unauthorized', message, { reason: 'access_revoked' });
  }
  const provider = deps.providers[account.provider];
  if (provider?.signIn.method !== 'redirect') throw notSetUp(account);
  const app = await issuerOf(credentials, renewing);
  const renewed = await within(RENEWAL_MS, provider.signIn.renew(credentials, app));
  // A provider that does not rotate need not repeat the token it issued before.
  return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken };
}

/** The app the tokens were issued to: no other can renew them. */
async function issuerOf({ appClientId }: OAuthCredentials, { account, deps }: Renewing) {
  const { clientId, provider } = account;
  const issuer = await deps.apps.findIssuer(clientId, provider, appClientId);
  if (issuer !== undefined) return issuer;
  if ((await deps.apps.find(clientId, provider)) === undefined) throw notSetUp(account);
  const message = `The app that this account was connected with at ${provider} was replaced; it must be connected again`;
  throw new ProviderError('unauthorized', message, { reason: 'app_replaced' });
}

const notSetUp = ({ provider }: Account) =>
  new ProviderError('misconfigured', `The provider ${provider} is not set up here`, {
    reason: 'provider_not_set_up',
  });

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new ProviderError('unavailable', 'The provider did not answer in time');
    timer = setTimeout(reject, milliseconds, error);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const STORE_TRIES = 5;
const STORE_WAIT_MS = 500;

/** What the provider issued may be the only refresh token that still works: a failing write is tried again. */
async function storeSurely(
  lease: TokenLease,
  renewed: OAuthCredentials,
  deps: TokenRenewalDeps,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await deps.tokens.storeRenewed(lease, renewed, deps.now());
    } catch (err) {
      deps.log.error({ err, accountKey: lease.accountKey, attempt }, 'Renewed access could not be stored');
      if (attempt === STORE_TRIES) throw err;
      await sleep(STORE_WAIT_MS * attempt);
    }
  }
}

/** Nobody but the user mends a dead refresh token: it is tried again only with the sync's own retries. */
const DEAD_MS = 25 * 60_000;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 5 * 60_000;

/** With the instant before which no instance asks again: longer each time, and never before Retry-After. */
function failureOf(reason: unknown, failures: number, { account, deps }: Renewing): SyncFailure {
  const { accountKey, provider } = account;
  const fields = { accountKey, provider, err: reason };
  const now = deps.now();
  let failure: SyncFailure;
  if (reason instanceof ProviderError) {
    const known = { ...fields, kind: reason.kind, reason: reason.reason };
    // No user can mend it, so that nobody else will tell the operator.
    if (reason.kind === 'misconfigured')
      deps.log.error(known, 'Access cannot be renewed: the app needs mending');
    else deps.log.warn(known, 'Access could not be renewed');
    failure = failureOfError(reason, now);
  } else {
    deps.log.error(fields, 'The renewal of access met a fault of our own');
    const message = 'The access could not be renewed because of a fault on our side';
    failure = { kind: 'unavailable', message, reason: 'internal_fault' };
  }
  const doubled = Math.min(FIRST_REST_MS * 2 ** Math.min(failures, 10), LONGEST_REST_MS);
  const rest = now + (failure.kind === 'unauthorized' ? DEAD_MS : doubled);
  return { ...failure, failures: failures + 1, retryAt: Math.max(rest, failure.retryAt ?? 0) };
}

/** How it is told: a user who signs in again need wait for nothing, and a sync has its own retries for that. */
function told({ kind, message, reason, retryAt }: SyncFailure): SyncFailure {
  const cause = { kind, message, ...(reason === undefined ? {} : { reason }) };
  return kind === 'unauthorized' || retryAt === undefined ? cause : { ...cause, retryAt };
}
