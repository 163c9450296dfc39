/**
 * Signing in on a provider's own pages (RFC 6749 §4.1, threat T11). The browser leaves with a `state` that
 * names the authorization request and holds 256 random bits; what is needed to redeem its code stays here,
 * sealed, and is given out once, to a browser that has the state and the cookies it left with.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_KINDS, type AppKind } from '../../access/provider-apps.ts';
import type { Account } from '../../calendars/account-store.ts';
import type { ProviderApp, RedirectSignIn, SignedInAccount } from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { hashOfSecret } from '../../lib/sealing.ts';
import { SCOPES, type Scope } from '../../oauth/scope.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import { backToAccounts, ConnectError } from '../flow/connect-error.ts';
import { callbackPath } from '../flow/paths.ts';
import type { KeptSignIn, SignInId } from '../flow/sign-in-store.ts';
import { keepAccount } from './keep-account.ts';
import { refusalOf, type SignInStep } from './sign-in-refusal.ts';

type SignInDeps = Pick<
  ConnectDeps,
  'accounts' | 'requests' | 'apps' | 'signIns' | 'endedAccess' | 'publicUrl' | 'log' | 'now'
>;

export type Departure = {
  readonly request: AuthorizationRequest;
  readonly kind: AppKind;
  readonly signIn: RedirectSignIn;
  /** The account to connect again; its owner may choose another one there. */
  readonly account: Account | undefined;
  /** The secret of the browser that leaves. */
  readonly device: string;
};

/** How the selection page tells what happened; `kind` alone: linked. */
export type SignInWord = AppKind | `${AppKind}_${'cancelled' | 'unpermitted' | 'other'}`;

/** Where to send the browser. Throws ConnectError with the page that says why not. */
export async function beginSignIn(departure: Departure, deps: SignInDeps): Promise<URL> {
  const { request, kind, signIn, account, device } = departure;
  const app = await deps.apps.find(request.clientId, kind);
  if (app === undefined) throw notOffered(request);
  const state = `${request.transactionId}.${randomBytes(32).toString('base64url')}`;
  const scope = scopeToAsk(request.scope, account, signIn);
  const asked = { redirectUri: deps.publicUrl + callbackPath(kind), scope };
  const accountKey = account?.accountKey;
  const step: SignInStep = { request, kind, app, signIn, accountKey, asked, at: 'departure' };
  const { url, pending } = await refusing(step, deps, () =>
    signIn.begin({
      app,
      ...asked,
      state,
      ...(account && { loginHint: account.accountId }),
      language: request.language,
    }),
  );
  const kept = {
    pending,
    appClientId: app.clientId,
    scope,
    ...(account && { accountKey: account.accountKey }),
  };
  await deps.signIns.beginSignIn(signInId({ request, kind, state, device }), kept);
  return url;
}

export type Return = {
  readonly request: AuthorizationRequest;
  readonly kind: AppKind;
  readonly signIn: RedirectSignIn;
  /** The `state` that came back. */
  readonly state: string;
  /** The whole address the browser came back to. */
  readonly callback: URL;
  readonly device: string;
};

/**
 * Redeems what the browser came back with, and links the account. A repeated call answers as the first
 * did; `undefined` when that is not over yet. Throws ConnectError with the page that says what went wrong.
 */
export async function finishSignIn(back: Return, deps: SignInDeps): Promise<SignInWord | undefined> {
  const { request, kind } = back;
  const id = signInId(back);
  const taken = await deps.signIns.takeSignIn(id);
  const context = { ...backToAccounts(request), provider: kind };
  if (taken === undefined) throw new ConnectError('sign_in_replaced', context);
  if (!('kept' in taken)) {
    const outcome = taken.outcome ?? (await outcomeOf(id, deps));
    if (outcome === FAILED) throw new ConnectError('sign_in_failed', context);
    return isSignInWord(outcome) ? outcome : undefined;
  }
  let outcome: SignInWord | typeof FAILED = FAILED;
  try {
    outcome = await complete(back, taken.kept, deps);
    return outcome;
  } finally {
    await deps.signIns.endSignIn(id, outcome);
  }
}

const FAILED = 'failed';
const POLL_MS = 250;
const MOST_POLLS = 40;

async function complete(back: Return, kept: KeptSignIn, deps: SignInDeps): Promise<SignInWord> {
  const { request, kind, device } = back;
  // The app the code was asked for: a new one, set meanwhile, could not redeem it.
  const app = await deps.apps.findIssuer(request.clientId, kind, kept.appClientId);
  if (app === undefined) throw notOffered(request);
  const signedIn = await signInAt(back, kept, app, deps);
  if (signedIn === undefined) return `${kind}_cancelled`;
  const { grantedScopes, calendarPermission } = signedIn;
  const proved = { request, kind, device, verified: signedIn, grantedScopes, calendarPermission };
  const account = await keepAccount(proved, deps).catch(async (refusal: unknown) => {
    await leave(request, kind, signedIn, deps);
    throw refusal;
  });
  if (!calendarPermission) return `${kind}_unpermitted`;
  const isOther = kept.accountKey !== undefined && kept.accountKey !== account.accountKey;
  return isOther ? `${kind}_other` : kind;
}

/** What the provider gave and no account is to hold: nobody could take it back from a list of accounts. */
async function leave(
  { clientId }: AuthorizationRequest,
  provider: AppKind,
  { accountId, credentials }: SignedInAccount,
  { endedAccess, log, now }: SignInDeps,
): Promise<void> {
  try {
    await endedAccess.leaveAccess({ clientId, provider, accountId, credentials }, now());
  } catch (err) {
    // Why the account was not linked is what the user is told.
    log.error({ err, clientId, provider }, 'Access that was not linked cannot be ended at the provider');
  }
}

/** `undefined` for a user who said no at the provider. */
async function signInAt(
  { request, kind, signIn, callback }: Return,
  { pending, accountKey, scope }: KeptSignIn,
  app: ProviderApp,
  deps: SignInDeps,
): Promise<SignedInAccount | undefined> {
  const asked = { redirectUri: deps.publicUrl + callbackPath(kind), scope };
  const step: SignInStep = { request, kind, app, signIn, accountKey, asked, at: 'return' };
  return refusing(step, deps, () =>
    signIn.complete(callback, pending, app).catch((failure: unknown) => {
      const saidNo = failure instanceof ProviderError && failure.kind === 'access_denied';
      if (saidNo && failure.reason === undefined) return undefined;
      throw failure;
    }),
  );
}

/** Turns a provider's refusal into a page; what the operator must know goes into the log. */
async function refusing<T>(step: SignInStep, { log }: SignInDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    if (!(failure instanceof ProviderError)) throw failure;
    const { request, kind, at } = step;
    const fields = {
      clientId: request.clientId,
      provider: kind,
      kind: failure.kind,
      reason: failure.reason,
      at,
    };
    const refusal = refusalOf(step, failure);
    if (refusal.status >= 500) log.error({ ...fields, err: failure }, 'A sign-in at a provider failed');
    else if (failure.kind === 'invalid_response')
      log.warn({ ...fields, err: failure }, 'A sign-in did not check');
    else log.info(fields, 'A sign-in at a provider was refused');
    throw refusal;
  }
}

/** Waits for the one call that redeems it: a reload drops its answer, and asks again. */
async function outcomeOf(id: SignInId, { signIns }: SignInDeps): Promise<string | undefined> {
  for (let polls = 0; polls < MOST_POLLS; polls += 1) {
    await sleep(POLL_MS);
    const found = await signIns.takeSignIn(id);
    if (found === undefined || 'kept' in found) return undefined;
    if (found.outcome !== undefined) return found.outcome;
  }
  return undefined;
}

/** What is asked for anew takes nothing away: tokens that others hold may live by what was allowed before. */
function scopeToAsk(asked: Scope, account: Account | undefined, signIn: RedirectSignIn): Scope {
  const isAllowed = (scope: Scope) => account !== undefined && signIn.covers(account.grantedScopes, scope);
  return SCOPES.findLast((scope) => scope === asked || isAllowed(scope)) ?? asked;
}

/** The browser's own secret is part of it: a state that others come to know is no use to them. */
function signInId(from: Pick<Return, 'request' | 'kind' | 'state' | 'device'>): SignInId {
  const { request, kind, state, device } = from;
  return { transactionId: request.transactionId, kind, stateHash: hashOfSecret(`${state} ${device}`) };
}

/** The authorization request that a `state` names; `undefined` for one that was never ours. */
export function transactionOfState(state: string | undefined): string | undefined {
  return /^([\w-]{22})\.[\w-]{43}$/.exec(state ?? '')?.[1];
}

const WORDS: readonly SignInWord[] = APP_KINDS.flatMap((kind) => [
  kind,
  `${kind}_cancelled` as const,
  `${kind}_unpermitted` as const,
  `${kind}_other` as const,
]);

/** Whether a word is one of those that a sign-in ends with. */
export const isSignInWord = (word: string | undefined): word is SignInWord =>
  WORDS.some((known) => known === word);

const notOffered = (request: AuthorizationRequest): ConnectError =>
  new ConnectError('not_offered', backToAccounts(request));
