/** Links an Apple or CalDAV account: proves the login on the live server, then stores it sealed. */

import { type Account, AccountLimitReached } from '../../calendars/account-store.ts';
import type { PasswordLogin, PasswordSignIn, VerifiedAccount } from '../../calendars/calendar-provider.ts';
import {
  ProviderError,
  type ProviderErrorDetail,
  type ProviderErrorKind,
} from '../../calendars/provider-error.ts';
import type { FormUser } from '../../lib/egress/account-egress.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import type { PageVisit } from '../flow/connect-flow.ts';
import type { MessageKey } from '../messages/messages.ts';
import {
  type CalDavPreset,
  detectPreset,
  feedAmong,
  isUnfilled,
  webcalAmong,
  YOUR_SERVER,
} from './caldav-presets.ts';
import { isLinkedElsewhere, isSignInTo, logRefusedProof } from './confirm-account.ts';
import { reconnectAccount, type SaveDeps, type SavedAccount, saveAccount } from './save-account.ts';

export type LinkField = 'server' | 'username' | 'password' | 'address';

export type TypedLogin = Readonly<Record<LinkField, string>>;

type LinkInput = {
  readonly page: PageVisit;
  readonly kind: 'apple' | 'caldav';
  readonly mode: LinkMode;
  readonly typed: TypedLogin;
  readonly chosen: CalDavPreset | undefined;
  /** The account whose owner this sign-in is to prove. */
  readonly confirms: Account | undefined;
  /** The account of a reconnect link: no other counts. */
  readonly reconnects: Account | undefined;
  /** Aborted when the client closes its connection. */
  readonly closed: AbortSignal;
};

/**
 * The input of the form: an e-mail address, which is also the user name and identifies the CalDAV server; a server's
 * address; or the address of a single calendar, which needs no login.
 */
export type LinkMode = 'email' | 'server' | 'address';

export type LinkProblem = {
  readonly status: 422 | 429;
  readonly message: MessageKey;
  readonly values: Readonly<Record<string, string | number>>;
  /** The fields to correct, in the order of the form. */
  readonly fields: readonly LinkField[];
  /** Whole seconds. */
  readonly retryAfter: number | undefined;
};

type LinkDeps = SaveDeps & Pick<ConnectDeps, 'attempts' | 'formSlots'>;

const LIMITS: Readonly<Record<LinkField, number>> = {
  server: 2048,
  username: 512,
  password: 1024,
  address: 2048,
};

/**
 * Links the account within its transaction. Returns the problem, or the account and the new secret of this browser. If an
 * account is to be confirmed, only a sign-in to that one counts. Throws ConnectError if the request has ended meanwhile.
 * If the client leaves before the login is checked, nothing is saved.
 */
export async function linkAccount(
  input: LinkInput,
  signIn: PasswordSignIn,
  deps: LinkDeps,
): Promise<{ readonly problem: LinkProblem } | SavedAccount> {
  const login = parseTypedLogin(input, signIn);
  if ('message' in login) return { problem: login };
  const { visit, request } = input.page;
  const leave = await deps.formSlots.enter({ clientId: request.clientId, address: visit.address });
  if (leave === undefined) return { problem: limited(deps.formSlots.seconds) };
  try {
    return await linkInSlot(input, login, { ...deps, signIn });
  } finally {
    leave();
  }
}

async function linkInSlot(
  input: LinkInput,
  login: PasswordLogin | FeedLogin,
  deps: ProofDeps,
): Promise<{ readonly problem: LinkProblem } | SavedAccount> {
  const unusable = await checkAttempts(input, deps);
  if (unusable !== undefined) return { problem: unusable };
  const { page, kind, confirms, reconnects } = input;
  const save = reconnects === undefined ? saveAccount : reconnectAccount;
  try {
    const proof = await checkLogin(input, login, deps);
    if ('message' in proof) return { problem: proof };
    await refundAttempt(input, deps);
    const none = { grantedScopes: [], calendarPermission: undefined };
    return await save({ page, kind, confirms, verified: proof, ...none }, deps);
  } catch (reason) {
    if (reason instanceof AccountLimitReached)
      return { problem: problemAt('selection.limit_reached', [], { count: reason.most }) };
    if (!(reason instanceof ProviderError)) throw reason;
    const { clientId } = page.request;
    const account = confirms ?? reconnects;
    if (account !== undefined && reason.kind === 'unauthorized')
      logRefusedProof(page, { account, reason: 'wrong_password' }, deps);
    deps.log.info(
      { event: 'account_not_linked', clientId, provider: kind, kind: reason.kind },
      'An account was not connected',
    );
    return { problem: toLinkProblem(input, reason) };
  }
}

/** Sends the requests of the form. Fails as `unavailable` if they take too long or the client leaves. */
function checkLogin(
  input: LinkInput,
  login: PasswordLogin | FeedLogin,
  deps: ProofDeps,
): Promise<VerifiedAccount | LinkProblem> {
  const { clientId, userId } = input.page.request;
  const { seconds } = deps.formSlots;
  const signal = AbortSignal.any([input.closed, AbortSignal.timeout(seconds * 1000)]);
  const user = { clientId, userId, signal };
  const check = async () => {
    const verified = await ('address' in login ? login.verify(user) : deps.signIn.verify(login, user));
    return proveAccount(verified, input, { ...deps, user });
  };
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () =>
    reject(new ProviderError('unavailable', `The login was not checked within ${seconds} seconds`));
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  // The requests end with the signal. Parsing a response may take longer.
  return Promise.race([promise, check()]);
}

/**
 * Returns the account as this sign-in proves it, or why it does not prove `confirms`. A server that accepts any
 * password proves nothing, so that is tested before a sign-in counts for accounts linked earlier.
 */
async function proveAccount(
  verified: VerifiedAccount,
  { page, kind, confirms, reconnects }: LinkInput,
  deps: ProofDeps & { readonly user: FormUser },
): Promise<VerifiedAccount | LinkProblem> {
  const provesOwner = async () =>
    verified.provesOwner && !(await deps.signIn.takesAnyPassword(verified.credentials, deps.user));
  if (reconnects !== undefined) {
    if (isSignInTo(reconnects, verified))
      return { ...verified, provesOwner: await provesOwner().catch(provesNothing) };
    logRefusedProof(page, { account: reconnects, reason: 'another_account' }, deps);
    return problemAt('error.another_account', []);
  }
  if (confirms === undefined) {
    // Otherwise nothing is tested, and so nothing proved: another person may link this account later.
    const isAsked = await isLinkedElsewhere(page, kind, verified, deps);
    return { ...verified, provesOwner: isAsked && (await provesOwner()) };
  }
  if (!isSignInTo(confirms, verified)) {
    logRefusedProof(page, { account: confirms, reason: 'another_account' }, deps);
    return problemAt('link.not_this', []);
  }
  if (await provesOwner()) return verified;
  logRefusedProof(page, { account: confirms, reason: 'proves_nothing' }, deps);
  return problemAt('link.cannot_prove', []);
}

/** An inconclusive answer proves nothing, and the account can still be reconnected. */
function provesNothing(reason: unknown): false {
  if (reason instanceof ProviderError) return false;
  throw reason;
}

type FeedLogin = {
  readonly address: string;
  readonly verify: (user: FormUser) => Promise<VerifiedAccount>;
};
type ProofDeps = LinkDeps & { readonly signIn: PasswordSignIn };

/** Returns the login to prove, or a problem that needs no request to a server and counts as no attempt. */
function parseTypedLogin(
  { kind, mode, typed }: LinkInput,
  { readPassword, verifyAddress }: PasswordSignIn,
): PasswordLogin | FeedLogin | LinkProblem {
  const username = typed.username.trim();
  if (mode === 'address' && verifyAddress !== undefined) {
    const address = typed.address.trim();
    const verify = (user: FormUser) => verifyAddress(address, user);
    return checkTyped(typed, ['address']) ?? { address, verify };
  }
  const feed = mode === 'email' ? feedAmong(typed) : webcalAmong(typed);
  if (verifyAddress !== undefined && feed !== undefined) return problemAt('link.is_address', ['address']);
  const isByServer = kind === 'caldav' && mode !== 'email';
  const unusable = checkTyped(typed, [...(isByServer ? ['server' as const] : []), 'username', 'password']);
  if (unusable !== undefined) return unusable;
  if (isByServer) {
    if (isUnfilled(typed.server)) return problemAt('link.placeholder', ['server'], { part: YOUR_SERVER });
    return { server: typed.server.trim(), username, password: typed.password };
  }
  if (kind === 'caldav') {
    if (!/^[^\s@]+@[^\s@]+$/.test(username)) return problemAt('link.email_not_found', ['username']);
    return { username, password: typed.password };
  }
  const password = readPassword ? readPassword(typed.password) : typed.password;
  return password === undefined ? problemAt('link.apple_format', ['password']) : { username, password };
}

function checkTyped(typed: TypedLogin, fields: readonly LinkField[]): LinkProblem | undefined {
  const empty = fields.filter((field) => typed[field].trim() === '');
  if (empty.length > 0) return problemAt('link.missing', empty);
  const unreadable = fields.filter(
    (field) => typed[field].length > LIMITS[field] || /[\p{Cc}\ufffd]/u.test(typed[field]),
  );
  return unreadable.length > 0 ? problemAt('link.unreadable', unreadable) : undefined;
}

/** Counts the attempt: first by address, which is in memory, so that a flood writes nothing. */
async function checkAttempts({ page, confirms, reconnects }: LinkInput, { attempts }: LinkDeps) {
  const account = confirms ?? reconnects;
  const wait =
    (await attempts.passwordsFromAddress(page.visit.address)) ??
    (await attempts.passwordsInTransaction(page.request.transactionId)) ??
    (account && (await attempts.passwordsForAccount(account.accountKey)));
  return wait === undefined ? undefined : limited(wait);
}

/** Takes back the attempt of a correct password: many people behind one address can link their accounts. */
async function refundAttempt(input: LinkInput, { attempts }: LinkDeps): Promise<void> {
  const { page, confirms: account = input.reconnects } = input;
  await attempts.passwordsInTransaction.refund(page.request.transactionId);
  await attempts.passwordsFromAddress.refund(page.visit.address);
  if (account !== undefined) await attempts.passwordsForAccount.refund(account.accountKey);
}

type Wording = readonly [message: MessageKey, ...fields: LinkField[]];

const UNREADABLE_ANSWER: Wording = ['link.invalid_response', 'server'];
type LoginRefusal = Exclude<ProviderErrorKind, 'rate_limited' | 'busy'>;
const WORDINGS: Readonly<Record<LoginRefusal, Wording>> = {
  unauthorized: ['link.unauthorized', 'password'],
  not_found: ['link.not_found', 'server'],
  unavailable: ['link.unavailable', 'server'],
  no_calendars: ['link.no_calendars'],
  forbidden_address: ['link.forbidden_address', 'server'],
  invalid_response: UNREADABLE_ANSWER,
  // Only sign-ins on a provider's own pages, or calls after linking, have these.
  access_denied: UNREADABLE_ANSWER,
  permission_missing: UNREADABLE_ANSWER,
  misconfigured: UNREADABLE_ANSWER,
  precondition_failed: UNREADABLE_ANSWER,
  sync_token_expired: UNREADABLE_ANSWER,
  too_large: UNREADABLE_ANSWER,
  set_aside: UNREADABLE_ANSWER,
};

const DETAILS: Partial<Record<ProviderErrorDetail, Wording>> = {
  host_unknown: ['link.host_unknown', 'server'],
  connection_refused: ['link.connection_refused', 'server'],
  no_caldav: ['link.no_caldav', 'server'],
  too_many_requests: ['link.too_many_requests', 'server'],
  plain_http: ['link.plain_http', 'server'],
  certificate: ['link.certificate', 'server'],
};

const REFUSED_AT_PRESET: Readonly<Record<CalDavPreset['password'], MessageKey>> = {
  app: 'link.unauthorized_app',
  app_2fa: 'link.unauthorized_app_2fa',
  usual: 'link.unauthorized_usual',
};

function toLinkProblem({ kind, mode, typed, chosen }: LinkInput, error: ProviderError): LinkProblem {
  const { kind: refusal, detail, retryAfter, reason } = error;
  if (refusal === 'rate_limited' || refusal === 'busy' || reason === 'internal_fault')
    return limited(Math.max(1, Math.ceil((retryAfter ?? 60_000) / 1000)));
  if (kind === 'apple') return appleProblem(refusal);
  if (mode === 'address') return problemAt(feedRefusal(error), ['address']);
  // An existing server refuses the login with `unauthorized`. Otherwise the file was meant.
  if (refusal !== 'unauthorized' && feedAmong(typed) !== undefined)
    return problemAt('link.is_address', ['address']);
  const preset = detectPreset(typed.server, chosen);
  if (refusal === 'unauthorized' && preset !== undefined)
    return problemAt(REFUSED_AT_PRESET[preset.password], ['password'], { provider: preset.name });
  if (mode === 'email' && refusal !== 'unauthorized' && refusal !== 'no_calendars')
    return problemAt('link.email_not_found', ['server']);
  const [message, ...fields] = (detail && DETAILS[detail]) ?? WORDINGS[refusal];
  return problemAt(message, fields);
}

/** The errors of a calendar's address, by detail or by kind. */
const AT_ADDRESS: Partial<Record<ProviderErrorDetail | ProviderErrorKind, MessageKey>> = {
  no_address: 'link.no_address',
  address_credentials: 'link.address_credentials',
  no_calendar: 'link.no_calendar_there',
  sign_in_needed: 'link.address_sign_in',
  host_unknown: 'link.host_unknown',
  connection_refused: 'link.connection_refused',
  certificate: 'link.certificate',
  not_found: 'link.address_not_found',
  too_large: 'link.address_too_large',
  forbidden_address: 'link.forbidden_address',
  unavailable: 'link.unavailable',
};

const feedRefusal = ({ kind, detail }: ProviderError): MessageKey =>
  (detail && AT_ADDRESS[detail]) ?? AT_ADDRESS[kind] ?? 'link.no_calendar_there';

/** The user cannot correct Apple's address: the operator has set it. */
function appleProblem(refusal: LoginRefusal): LinkProblem {
  if (refusal === 'unauthorized') return problemAt('link.apple_unauthorized', ['password']);
  if (refusal === 'no_calendars') return problemAt('link.no_calendars', []);
  return problemAt(refusal === 'unavailable' ? 'link.apple_unavailable' : 'link.apple_unexpected', []);
}

const problemAt = (
  message: MessageKey,
  fields: readonly LinkField[],
  values: LinkProblem['values'] = {},
): LinkProblem => ({ status: 422, message, values, fields, retryAfter: undefined });

function limited(retryAfter: number): LinkProblem {
  const minutes = Math.ceil(retryAfter / 60);
  return { status: 429, message: 'link.rate_limited', values: { minutes }, fields: [], retryAfter };
}
