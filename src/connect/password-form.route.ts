/** The Apple and CalDAV forms. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseTheme, type Theme } from '../branding/branding.ts';
import type { PasswordSignIn } from '../calendars/calendar-provider.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { parseProviderKind } from '../calendars/provider-facts.ts';
import { closedSignal } from '../http/closed-signal.ts';
import { setCookie } from '../http/cookies.ts';
import { scalar } from '../http/received-query.ts';
import { type AccountView, manageableAccount, maskedName } from './accounts/account-views.ts';
import { detectPreset, feedAmong, findPreset } from './accounts/caldav-presets.ts';
import { accountToConfirm } from './accounts/confirm-account.ts';
import { type LinkMode, type LinkProblem, linkAccount, type TypedLogin } from './accounts/link-account.ts';
import { findLinkedAccount } from './accounts/save-account.ts';
import { type AuthorizationRequest, isReconnectLink } from './flow/authorization-request-store.ts';
import { themeCookie } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError } from './flow/connect-error.ts';
import { ANY_OPEN, changeLanguage, countStep } from './flow/connect-flow.ts';
import { messagesFor } from './messages/messages.ts';
import { type PasswordForm, passwordFormPage } from './pages/password-form.page.ts';
import { continueAfterSignIn, loadAppearance, noteOwnError, openPage, readForm, showPage } from './visit.ts';

type Provider = { Params: { provider: string } };

/** GET and POST /connect/apple and /connect/caldav. Buttons for language or theme only show the form again. */
export function passwordFormRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get<Provider>('/connect/:provider', async (http, reply) => {
    const page = await openPage(http, deps, ANY_OPEN);
    const { visit, request } = page;
    const { kind, signIn } = formOffered(http.params.provider, request, deps);
    if (isReconnectLink(request)) {
      const { form } = await openLinkedForm(request, { kind, signIn }, deps);
      return showForm({ http, reply, form }, deps);
    }
    const linkedView = await manageableAccount(page, scalar(visit.query, 'account'), deps);
    const account = linkedView?.provider === kind ? linkedView : undefined;
    const confirms = await accountToConfirm(page, { kind, accountKey: scalar(visit.query, 'confirm') }, deps);
    await countStep(request, 'chosen', deps);
    const { server, username, isFeed } = await rememberedLogin(account, signIn, deps);
    const chosen = kind === 'caldav' ? findPreset(scalar(visit.query, 'preset')) : undefined;
    const typed = { server: chosen?.server ?? server, username, address: '' };
    const by = scalar(visit.query, 'by') ?? (isFeed ? 'address' : typed.server === '' ? 'email' : 'server');
    const mode = typed.server === '' || by === 'address' ? parseLinkMode(by, signIn) : 'server';
    const form = {
      ...{ kind, request, typed, problem: undefined, chosen, accountKey: account?.accountKey },
      ...{ mode, confirm: confirms?.accountKey, reconnects: undefined },
    };
    return showForm({ http, reply, form }, deps);
  });

  app.post<Provider>('/connect/:provider', (http, reply) => link(http, reply, deps));
}

function parseLinkMode(by: string, { verifyAddress }: PasswordSignIn): LinkMode {
  if (by === 'address' && verifyAddress !== undefined) return 'address';
  return by === 'server' ? 'server' : 'email';
}

async function link(http: FastifyRequest<Provider>, reply: FastifyReply, deps: ConnectDeps) {
  const page = await readForm(http, deps, ANY_OPEN);
  const { request, field } = page;
  const { form, input } = await readLogin(page, formOffered(http.params.provider, request, deps), deps);
  const theme = parseTheme(field('theme'));
  if (theme !== undefined) {
    setCookie(reply, themeCookie(theme), deps);
    return showForm({ http, reply, form, theme }, deps);
  }
  const translated = await changeLanguage(request, field('language'), deps);
  if (translated !== undefined)
    return showForm({ http, reply, form: { ...form, request: translated } }, deps);
  const closed = closedSignal(reply);
  const result = await linkAccount({ page, closed, ...input }, input.signIn, deps);
  if ('problem' in result) {
    const { problem } = result;
    return showForm({ http, reply, form: { ...form, ...corrected(form, problem), problem } }, deps);
  }
  const { kind } = form;
  const ending = input.confirms === undefined ? kind : `${kind}_confirmed`;
  const outcome = `${ending}.${result.account.accountKey}`;
  return continueAfterSignIn({ reply, page, result: outcome, device: result.device }, deps);
}

type FormOffered = { readonly kind: 'apple' | 'caldav'; readonly signIn: PasswordSignIn };
type FormPage = Awaited<ReturnType<typeof readForm>>;

/** Returns the form as it was sent, and the login to prove. A reconnect link has the stored server and user name. */
async function readLogin(page: FormPage, offered: FormOffered, deps: ConnectDeps) {
  const { request, field } = page;
  const { kind, signIn } = offered;
  const secrets = { password: field('password'), address: field('address') };
  if (isReconnectLink(request)) {
    const { account: reconnects, login, form } = await openLinkedForm(request, offered, deps);
    const typed: TypedLogin = { ...login, ...secrets };
    const input = {
      ...{ kind, signIn, typed, mode: form.mode, chosen: undefined },
      confirms: undefined,
      reconnects,
    };
    return { form, input };
  }
  const confirms = await accountToConfirm(page, { kind, accountKey: field('confirm') }, deps);
  const typed: TypedLogin = { server: field('server'), username: field('username'), ...secrets };
  const chosen = kind === 'caldav' ? findPreset(field('preset')) : undefined;
  const mode = parseLinkMode(field('by') || 'server', signIn);
  const form = {
    ...{ kind, request, typed, problem: undefined, chosen, accountKey: undefined },
    ...{ mode, confirm: confirms?.accountKey, reconnects: undefined },
  };
  return { form, input: { kind, signIn, typed, mode, chosen, confirms, reconnects: undefined } };
}

/** Returns the form of a reconnect link, which shows neither server nor user name, with both. */
async function openLinkedForm(
  request: AuthorizationRequest,
  { kind, signIn }: FormOffered,
  deps: ConnectDeps,
) {
  const account = await findLinkedAccount(request, deps);
  const { isFeed, ...login } = await rememberedLogin(account, signIn, deps);
  const mode: LinkMode = isFeed ? 'address' : 'server';
  const typed = { server: '', username: '', address: '' };
  const form = {
    ...{ kind, request, typed, mode, problem: undefined, chosen: undefined, accountKey: undefined },
    ...{ confirm: undefined, reconnects: maskedName(account.display) },
  };
  return { account, login, form };
}

/** Returns the form that can fix the problem: with a server's address, or with that of a calendar. */
function corrected(
  { mode, typed, reconnects }: Pick<PasswordForm, 'mode' | 'typed' | 'reconnects'>,
  { fields }: LinkProblem,
): Pick<PasswordForm, 'mode' | 'typed'> {
  if (reconnects !== undefined) return { mode, typed };
  if (fields.includes('server')) return { mode: 'server', typed };
  if (mode === 'address' || !fields.includes('address')) return { mode, typed };
  return { mode: 'address', typed: { server: '', username: '', address: feedAmong(typed) ?? '' } };
}

/** Returns the stored login of an account to reconnect, without its password or calendar address. */
async function rememberedLogin(
  account: Pick<AccountView, 'accountKey'> | undefined,
  signIn: PasswordSignIn,
  { accounts }: Pick<ConnectDeps, 'accounts'>,
): Promise<{ readonly server: string; readonly username: string; readonly isFeed: boolean }> {
  const nothing = { server: '', username: '', isFeed: false };
  const credentials = account && (await accounts.credentialsOf(account.accountKey));
  if (credentials === undefined || signIn.remembered === undefined) return nothing;
  try {
    const remembered = signIn.remembered(credentials);
    if (remembered === undefined) return { ...nothing, isFeed: true };
    const { server = '', username } = remembered;
    return { server, username, isFeed: false };
  } catch (failure) {
    // The user types a login again that can no longer be read.
    if (failure instanceof ProviderError) return nothing;
    throw failure;
  }
}

type ShownForm = {
  readonly http: FastifyRequest;
  readonly reply: FastifyReply;
  /** A new choice, which the cookie of this request does not have yet. */
  readonly theme?: Theme;
  readonly form: Omit<PasswordForm, 'preset'>;
};

async function showForm({ http, reply, form, theme }: ShownForm, deps: ConnectDeps): Promise<FastifyReply> {
  const { kind, request, typed, problem, chosen } = form;
  const preset = kind === 'caldav' ? detectPreset(typed.server, chosen) : undefined;
  if (problem !== undefined) {
    // The values of the text are counts and names of presets: nothing that the user typed.
    const message = messagesFor('en').text(problem.message, problem.values);
    noteOwnError(http, request, { code: problem.message.replace(/^\w+\./, ''), message });
  }
  if (problem?.retryAfter !== undefined) reply.header('retry-after', problem.retryAfter);
  const appearance = await loadAppearance(http, request, deps);
  const chosenTheme = theme !== undefined && appearance.isThemeOpen ? { theme } : {};
  const page = passwordFormPage({ ...form, preset }, { ...appearance, ...chosenTheme });
  return showPage(reply, page, { request, status: problem?.status ?? 200 });
}

/** Returns the provider's sign-in if this request offers it, it is set up, and it uses a form. */
function formOffered(
  provider: string,
  request: AuthorizationRequest,
  { providers }: ConnectDeps,
): FormOffered {
  const kind = parseProviderKind(provider);
  if ((kind === 'apple' || kind === 'caldav') && request.providers.includes(kind)) {
    const signIn = providers[kind]?.signIn;
    if (signIn?.method === 'password') return { kind, signIn };
  }
  throw new ConnectError('not_offered', backToAccounts(request));
}
