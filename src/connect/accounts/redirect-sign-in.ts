/**
 * Signs in on a provider's own pages (RFC 6749 §4.1, docs/security.md T11). The `state` names the authorization request
 * and has 256 random bits. The data that redeems the code stays here, sealed. It is used once, for a browser with that
 * state and the cookies with which it left.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_KINDS, type AppKind } from '../../access/provider-apps.ts';
import { type Account, AccountLimitReached } from '../../calendars/account-store.ts';
import type { ProviderApp, RedirectSignIn, SignedInAccount } from '../../calendars/calendar-provider.ts';
import { actorOf } from '../../calendars/health-reason.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { hashOfSecret } from '../../lib/sealing.ts';
import { SCOPES, type Scope } from '../../oauth/scope.ts';
import { type AuthorizationRequest, isReconnectLink } from '../flow/authorization-request-store.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import {
  backToAccounts,
  ConnectError,
  type ConnectErrorContext,
  type ConnectErrorKind,
} from '../flow/connect-error.ts';
import { countStep, type PageVisit, secretOf } from '../flow/connect-flow.ts';
import { callbackPath, selectionPath, signInPath } from '../flow/paths.ts';
import type { SignInId, StoredSignIn } from '../flow/sign-in-store.ts';
import { accountToConfirm, isSignInTo, logRefusedProof } from './confirm-account.ts';
import { findLinkedAccount, reconnectAccount, type SaveDeps, saveAccount } from './save-account.ts';

type SignInDeps = SaveDeps & Pick<ConnectDeps, 'apps' | 'signIns' | 'endedAccess' | 'publicUrl'>;

type SignInAttempt = {
  readonly page: PageVisit;
  readonly kind: AppKind;
  readonly signIn: RedirectSignIn;
};

/** `account` is to be reconnected, but its owner may choose another one. `confirms` must be the same account. */
type Departure = SignInAttempt & {
  readonly account: Account | undefined;
  readonly confirms: Account | undefined;
};

const ENDINGS = ['cancelled', 'unpermitted', 'other', 'confirmed', 'not_this', 'limit'] as const;
const RESULTS = APP_KINDS.flatMap((kind) => [kind, ...ENDINGS.map((ending) => `${kind}_${ending}` as const)]);

/** The result on the selection page, with the key of the account if there is one. `kind` alone means linked. */
type SignInResult = (typeof RESULTS)[number] | `${(typeof RESULTS)[number]}.${string}`;

/** The end of a sign-in. `device` is the new secret of this browser, if it got one. */
type Returned = { readonly result: SignInResult | undefined; readonly device: string | undefined };

/** Returns the address to send the browser to. Throws ConnectError with a page about the problem. */
export async function beginSignIn(departure: Departure, deps: SignInDeps): Promise<URL> {
  const { page, kind, signIn, account, confirms } = departure;
  const { request } = page;
  const app = await deps.apps.find(request.clientId, kind);
  if (app === undefined) throw notOffered(request);
  const state = `${request.transactionId}.${randomBytes(32).toString('base64url')}`;
  const scope = scopeToRequest(request.scope, account, signIn);
  const requested = { redirectUri: deps.publicUrl + callbackPath(kind), scope };
  const accountKey = account?.accountKey;
  // No hint when confirming: anyone who knows a user's id would learn an address.
  const loginHint = confirms === undefined ? (account?.accountId ?? request.loginHint) : undefined;
  const step: SignInStep = { request, kind, app, signIn, accountKey, requested, at: 'departure' };
  const { url, pending } = await refusalsAsPages(step, deps, () =>
    signIn.begin({
      app: { ...app, user: toEgressUser(request) },
      ...requested,
      state,
      ...(loginHint !== undefined && { loginHint }),
      language: request.language,
    }),
  );
  const stored = {
    pending,
    appClientId: app.clientId,
    scope,
    ...(accountKey !== undefined && { accountKey }),
    ...(confirms !== undefined && { confirms: confirms.accountKey }),
  };
  await deps.signIns.beginSignIn(signInId({ page, kind, state }), stored);
  await countStep(request, 'chosen', deps);
  return url;
}

const toEgressUser = ({ clientId, userId }: AuthorizationRequest) => ({ clientId, userId });

/** `callback` is the whole address to which the browser came back. */
type Return = SignInAttempt & { readonly state: string; readonly callback: URL };

/** Redeems the code and links the account. A repeated call returns the first result, or none while it is pending. */
export async function finishSignIn(back: Return, deps: SignInDeps): Promise<Returned> {
  const { kind, page } = back;
  const { request } = page;
  const id = signInId(back);
  const attempt = await deps.signIns.takeSignIn(id);
  const context = { ...backToAccounts(request), provider: kind };
  if (attempt === undefined) throw new ConnectError('sign_in_replaced', context);
  if (!('signIn' in attempt)) {
    const outcome = attempt.outcome ?? (await pollOutcome(id, deps));
    if (outcome === FAILED) throw new ConnectError('sign_in_failed', context);
    return { result: isSignInResult(outcome) ? outcome : undefined, device: undefined };
  }
  let outcome: SignInResult | typeof FAILED = FAILED;
  try {
    const returned = await linkReturned(back, attempt.signIn, deps);
    outcome = returned.result;
    return returned;
  } finally {
    await deps.signIns.endSignIn(id, outcome);
  }
}

const FAILED = 'failed';
const POLL_MS = 250;
const MOST_POLLS = 40;

async function linkReturned(
  back: Return,
  stored: StoredSignIn,
  deps: SignInDeps,
): Promise<Returned & { readonly result: SignInResult }> {
  const { page, kind } = back;
  const { request } = page;
  // The app for which the code was issued: one that was set since could not redeem it.
  const app = await deps.apps.findIssuer(request.clientId, kind, stored.appClientId);
  if (app === undefined) throw notOffered(request);
  const signedIn = await redeem({ ...back, ...stored, app }, deps);
  if (signedIn === undefined) return { result: `${kind}_cancelled`, device: undefined };
  const drop = () => endAccessLater(back, signedIn, deps);
  const orDrop = <T>(work: Promise<T>): Promise<T> =>
    work.catch(async (refusal: unknown) => {
      await drop();
      throw refusal;
    });
  const confirms = await orDrop(accountToConfirm(page, { kind, accountKey: stored.confirms }, deps));
  if (confirms !== undefined && !isSignInTo(confirms, signedIn)) {
    await drop();
    logRefusedProof(page, { account: confirms, reason: 'another_account' }, deps);
    return { result: `${kind}_not_this`, device: undefined };
  }
  const { grantedScopes, calendarPermission } = signedIn;
  const proved = { page, kind, verified: signedIn, grantedScopes, calendarPermission, confirms };
  if (isReconnectLink(request)) {
    const linked = await orDrop(findLinkedAccount(request, deps));
    const isSame = isSignInTo(linked, signedIn);
    if (isSame && calendarPermission)
      return { result: kind, device: (await orDrop(reconnectAccount(proved, deps))).device };
    await drop();
    if (!isSame) logRefusedProof(page, { account: linked, reason: 'another_account' }, deps);
    return { result: isSame ? `${kind}_unpermitted` : `${kind}_not_this`, device: undefined };
  }
  const saved = await orDrop(saveAccount(proved, deps)).catch((refusal: unknown) => {
    if (refusal instanceof AccountLimitReached) return undefined;
    throw refusal;
  });
  // The page shows the limit.
  if (saved === undefined) return { result: `${kind}_limit`, device: undefined };
  const { device, account } = saved;
  const { accountKey } = account;
  if (!calendarPermission) return { result: `${kind}_unpermitted`, device };
  if (confirms !== undefined) return { result: `${kind}_confirmed.${accountKey}`, device };
  const expected = stored.accountKey && (await deps.accounts.findAccount(stored.accountKey));
  const what = expected && !isSignInTo(expected, signedIn) ? (`${kind}_other` as const) : kind;
  return { result: `${what}.${accountKey}`, device };
}

/** Ends access that no account has, because the user could not end it from a list of accounts. */
async function endAccessLater(
  { page, kind: provider }: Return,
  { accountId, identity, credentials }: SignedInAccount,
  { endedAccess, log, now }: SignInDeps,
): Promise<void> {
  const { clientId } = page.request;
  try {
    await endedAccess.addEndedAccess({ clientId, provider, accountId, identity, credentials }, now());
  } catch (err) {
    // The user gets the reason why the account was not linked instead.
    log.error(
      { event: 'unlinked_access_not_ended', err, clientId, provider },
      'Access of an account that was not connected could not be revoked at the provider',
    );
  }
}

type Redemption = Return & StoredSignIn & { readonly app: ProviderApp };

/** Returns `undefined` if the user declined at the provider. */
async function redeem(
  { page, kind, signIn, callback, pending, accountKey, scope, app }: Redemption,
  deps: SignInDeps,
): Promise<SignedInAccount | undefined> {
  const { request } = page;
  const requested = { redirectUri: deps.publicUrl + callbackPath(kind), scope };
  const step: SignInStep = { request, kind, app, signIn, accountKey, requested, at: 'return' };
  return refusalsAsPages(step, deps, () =>
    signIn.complete(callback, pending, { ...app, user: toEgressUser(request) }).catch((failure: unknown) => {
      const saidNo = failure instanceof ProviderError && failure.kind === 'access_denied';
      if (saidNo && failure.reason === undefined) return undefined;
      throw failure;
    }),
  );
}

/** Turns a provider's error into a page, and logs the details for the operator. */
async function refusalsAsPages<T>(step: SignInStep, { log }: SignInDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    if (!(failure instanceof ProviderError)) throw failure;
    const { kind, reason } = failure;
    const fields = { clientId: step.request.clientId, provider: step.kind, kind, reason, at: step.at };
    const refusal = toSignInError(step, failure);
    if (refusal.status >= 500)
      log.error({ event: 'sign_in_failed', ...fields, err: failure }, 'A sign-in at a provider failed');
    else if (kind === 'invalid_response')
      log.warn({ event: 'sign_in_unchecked', ...fields, err: failure }, 'A sign-in failed the checks');
    else log.info({ event: 'sign_in_refused', ...fields }, 'A sign-in at a provider was refused');
    throw refusal;
  }
}

/** Waits for the call that redeems the code: after a reload, only this call has a browser waiting for it. */
async function pollOutcome(id: SignInId, { signIns }: SignInDeps): Promise<string | undefined> {
  for (let polls = 0; polls < MOST_POLLS; polls += 1) {
    await sleep(POLL_MS);
    const attempt = await signIns.takeSignIn(id);
    if (attempt === undefined || 'signIn' in attempt) return undefined;
    if (attempt.outcome !== undefined) return attempt.outcome;
  }
  return undefined;
}

/** Returns the wider of the requested scope and the granted one, on which existing tokens may depend. */
function scopeToRequest(requestedScope: Scope, account: Account | undefined, signIn: RedirectSignIn): Scope {
  const isAllowed = (scope: Scope) => account !== undefined && signIn.covers(account.grantedScopes, scope);
  return SCOPES.findLast((scope) => scope === requestedScope || isAllowed(scope)) ?? requestedScope;
}

/** Includes the secret of the transaction, so that a state alone is useless to others. */
function signInId({ page, kind, state }: Pick<Return, 'page' | 'kind' | 'state'>): SignInId {
  const { visit, request } = page;
  const stateHash = hashOfSecret(`${state} ${secretOf(visit) ?? ''}`);
  return { transactionId: request.transactionId, kind, stateHash };
}

/** Returns the authorization request that a `state` names; `undefined` for an invalid state. */
export const transactionOfState = (state: string | undefined): string | undefined =>
  /^([\w-]{22})\.[\w-]{43}$/.exec(state ?? '')?.[1];

const isSignInResult = (text: string | undefined): text is SignInResult =>
  RESULTS.some((result) => result === text?.split('.')[0]);

const notOffered = (request: AuthorizationRequest): ConnectError =>
  new ConnectError('not_offered', backToAccounts(request));

/** A step of a sign-in, to the provider or back, with its input. */
type SignInStep = {
  readonly request: AuthorizationRequest;
  readonly kind: AppKind;
  readonly app: ProviderApp;
  readonly signIn: RedirectSignIn;
  readonly accountKey: string | undefined;
  readonly requested: { readonly redirectUri: string; readonly scope: Scope };
  readonly at: 'departure' | 'return';
};

/** Chooses the page for a failed sign-in, which says who can fix it. */
function toSignInError(step: SignInStep, failure: ProviderError): ConnectError {
  const { request, kind, app, signIn, accountKey, requested } = step;
  const page = pageFor(step, failure);
  const context: ConnectErrorContext = { request, provider: kind, cause: failure };
  if (page === 'provider_misconfigured')
    return new ConnectError(page, { ...context, ...backToAccounts(request) });
  const wayBack = { path: signInPath(kind, request, accountKey), label: 'try_again' } as const;
  const link = page === 'admin_consent' ? signIn.adminConsentUrl?.(app, requested).href : undefined;
  const retryAfter = page === 'provider_unavailable' ? Math.ceil((failure.retryAfter ?? 0) / 1000) : 0;
  return new ConnectError(page, {
    ...context,
    ...(!isReconnectLink(request) && { back: selectionPath(request) }),
    wayBack,
    ...(link !== undefined && { link }),
    ...(retryAfter > 0 && { retryAfter }),
  });
}

function pageFor({ at }: SignInStep, { kind, reason }: ProviderError): ConnectErrorKind {
  const actor = reason && actorOf(reason);
  if (actor === 'administrator') return 'admin_consent';
  // On departure only the provider can have sent it. On return the browser, and so anybody.
  if (kind === 'invalid_response') return at === 'departure' ? 'provider_unavailable' : 'sign_in_failed';
  if (actor === 'operator' || kind === 'misconfigured' || kind === 'forbidden_address')
    return 'provider_misconfigured';
  return kind === 'unavailable' || kind === 'rate_limited' ? 'provider_unavailable' : 'sign_in_failed';
}
