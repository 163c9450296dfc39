/** Linking an Apple or CalDAV account: the login is proved on the live server, then stored sealed. */

import type { PasswordLogin, PasswordSignIn } from '../../calendars/calendar-provider.ts';
import { ProviderError, type ProviderErrorKind } from '../../calendars/provider-error.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import type { MessageKey } from '../messages/messages.ts';
import { type CalDavPreset, isUnfilled, presetOf, YOUR_SERVER } from './caldav-presets.ts';
import { saveAccount } from './save-account.ts';

export type LinkField = 'server' | 'username' | 'password';

/** What was typed into a form, as it was typed. */
export type TypedLogin = Readonly<Record<LinkField, string>>;

export type LinkInput = {
  readonly request: AuthorizationRequest;
  readonly kind: 'apple' | 'caldav';
  readonly typed: TypedLogin;
  /** The known CalDAV server that the user chose. */
  readonly chosen: CalDavPreset | undefined;
  /** The secret of the browser that links it. */
  readonly device: string;
  /** The network address the form came from. */
  readonly address: string;
};

/** Why an account was not linked, in words for its owner. */
export type LinkProblem = {
  readonly status: 422 | 429;
  readonly message: MessageKey;
  readonly values: Readonly<Record<string, string | number>>;
  /** What is to be corrected, in the order of the form. */
  readonly fields: readonly LinkField[];
  /** Whole seconds. */
  readonly retryAfter: number | undefined;
};

type LinkDeps = Pick<ConnectDeps, 'accounts' | 'attempts' | 'requests' | 'log' | 'now'>;

const LIMITS: Readonly<Record<LinkField, number>> = { server: 2048, username: 512, password: 1024 };

/**
 * Links the account, or answers why not. An account linked already gets new credentials and keeps its
 * id. Throws ConnectError when the request ended meanwhile.
 */
export async function linkAccount(
  input: LinkInput,
  signIn: PasswordSignIn,
  deps: LinkDeps,
): Promise<LinkProblem | undefined> {
  const login = loginOf(input, signIn);
  if ('message' in login) return login;
  const unusable = await checkAttempts(input, deps);
  if (unusable !== undefined) return unusable;
  const { request, kind, typed } = input;
  try {
    const verified = await signIn.verify(login);
    await refundAttempt(input, deps);
    const none = { grantedScopes: [], calendarPermission: undefined };
    await saveAccount({ request, kind, device: input.device, verified, ...none }, deps);
    return undefined;
  } catch (reason) {
    if (!(reason instanceof ProviderError)) throw reason;
    deps.log.info(
      { clientId: request.clientId, provider: kind, kind: reason.kind },
      'An account was not linked',
    );
    const preset = kind === 'caldav' ? presetOf(typed.server, input.chosen) : undefined;
    return problemOf(kind, reason, preset);
  }
}

/** What to prove, or why no server could accept it: then none is asked, and it counts as no attempt. */
function loginOf({ kind, typed }: LinkInput, { readPassword }: PasswordSignIn): PasswordLogin | LinkProblem {
  const username = typed.username.trim();
  if (kind === 'caldav') {
    const unusable = checkTyped(typed, ['server', 'username', 'password']);
    if (unusable !== undefined) return unusable;
    if (isUnfilled(typed.server)) return problemAt('link.placeholder', ['server'], { part: YOUR_SERVER });
    return { server: typed.server.trim(), username, password: typed.password };
  }
  const unusable = checkTyped(typed, ['username', 'password']);
  if (unusable !== undefined) return unusable;
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

/** Passwords cannot be tried out here: a few for each transaction, and not many from one address. */
async function checkAttempts({ request, address }: LinkInput, { attempts }: LinkDeps) {
  const inTransaction = await attempts.passwordsInTransaction(request.transactionId);
  const fromAddress = await attempts.passwordsFromAddress(address);
  const wait = Math.max(inTransaction ?? 0, fromAddress ?? 0);
  return wait > 0 ? limited(wait) : undefined;
}

/** A correct password does not count: many people behind one address can link their accounts. */
async function refundAttempt({ request, address }: LinkInput, { attempts }: LinkDeps): Promise<void> {
  await attempts.passwordsInTransaction.refund(request.transactionId);
  await attempts.passwordsFromAddress.refund(address);
}

type Wording = readonly [message: MessageKey, ...fields: LinkField[]];

const UNREADABLE_ANSWER: Wording = ['link.invalid_response', 'server'];
const WORDINGS: Readonly<Record<Exclude<ProviderErrorKind, 'rate_limited'>, Wording>> = {
  unauthorized: ['link.unauthorized', 'password'],
  not_found: ['link.not_found', 'server'],
  unavailable: ['link.unavailable', 'server'],
  no_calendars: ['link.no_calendars'],
  forbidden_address: ['link.forbidden_address', 'server'],
  invalid_response: UNREADABLE_ANSWER,
  // What only sign-ins on a provider's own pages, or calls after linking, can meet.
  access_denied: UNREADABLE_ANSWER,
  permission_missing: UNREADABLE_ANSWER,
  misconfigured: UNREADABLE_ANSWER,
  precondition_failed: UNREADABLE_ANSWER,
  sync_token_expired: UNREADABLE_ANSWER,
};

const REFUSED_AT_PRESET: Readonly<Record<CalDavPreset['password'], MessageKey>> = {
  app: 'link.unauthorized_app',
  app_2fa: 'link.unauthorized_app_2fa',
  usual: 'link.unauthorized_usual',
};

/** What a provider's refusal means to the person at the form; `preset` is the known server that refused. */
function problemOf(
  kind: LinkInput['kind'],
  { kind: refusal, retryAfter }: ProviderError,
  preset: CalDavPreset | undefined,
): LinkProblem {
  if (refusal === 'rate_limited') return limited(Math.max(1, Math.ceil((retryAfter ?? 60_000) / 1000)));
  if (kind === 'apple') return appleProblem(refusal);
  if (refusal === 'unauthorized' && preset !== undefined) {
    return problemAt(REFUSED_AT_PRESET[preset.password], ['password'], { provider: preset.name });
  }
  const [message, ...fields] = WORDINGS[refusal];
  return problemAt(message, fields);
}

/** The user cannot correct Apple's address: the operator has set it. */
function appleProblem(refusal: Exclude<ProviderErrorKind, 'rate_limited'>): LinkProblem {
  if (refusal === 'unauthorized') return problemAt('link.apple_unauthorized', ['password']);
  if (refusal === 'no_calendars') return problemAt('link.no_calendars', []);
  return problemAt(refusal === 'unavailable' ? 'link.apple_unavailable' : 'link.apple_unexpected', []);
}

function problemAt(
  message: MessageKey,
  fields: readonly LinkField[],
  values: LinkProblem['values'] = {},
): LinkProblem {
  return { status: 422, message, values, fields, retryAfter: undefined };
}

function limited(retryAfter: number): LinkProblem {
  const minutes = Math.ceil(retryAfter / 60);
  return { status: 429, message: 'link.rate_limited', values: { minutes }, fields: [], retryAfter };
}
