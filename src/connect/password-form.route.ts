/** The Apple and CalDAV forms: shown, and sent. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../calendars/account-store.ts';
import type { PasswordSignIn } from '../calendars/calendar-provider.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { parseProviderKind } from '../calendars/provider-kind.ts';
import { setCookie } from '../http/cookies.ts';
import { seeOther } from '../http/page.ts';
import { scalar } from '../http/received-query.ts';
import { accountLinkedHere } from './accounts/account-views.ts';
import { findPreset, presetOf } from './accounts/caldav-presets.ts';
import { linkAccount, type TypedLogin } from './accounts/link-account.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { deviceCookie, newDevice } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError } from './flow/connect-error.ts';
import { changeLanguage } from './flow/connect-flow.ts';
import { selectionPath } from './flow/paths.ts';
import { type PasswordForm, passwordFormPage } from './pages/password-form.page.ts';
import { appearanceOf, openPage, readForm, showPage } from './visit.ts';

type Provider = { Params: { provider: string } };

/** GET and POST /connect/apple and /connect/caldav; sent by the button of a language, the form is only shown in it. */
export function passwordFormRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get<Provider>('/connect/:provider', async (http, reply) => {
    const page = await openPage(http, deps);
    const { visit, request } = page;
    const { kind, signIn } = formOffered(http.params.provider, request, deps);
    const named = await accountLinkedHere(page, scalar(visit.query, 'account'), deps);
    const account = named?.provider === kind ? named : undefined;
    const { server, username } = await rememberedLogin(account, signIn, deps);
    const chosen = kind === 'caldav' ? findPreset(scalar(visit.query, 'preset')) : undefined;
    const typed = { server: chosen?.server ?? server, username };
    const form = { kind, request, typed, problem: undefined, chosen, accountKey: account?.accountKey };
    return showForm({ http, reply, form }, deps);
  });

  app.post<Provider>('/connect/:provider', (http, reply) => link(http, reply, deps));
}

async function link(http: FastifyRequest<Provider>, reply: FastifyReply, deps: ConnectDeps) {
  const { visit, request, field } = await readForm(http, deps);
  const { kind, signIn } = formOffered(http.params.provider, request, deps);
  const typed: TypedLogin = {
    server: field('server'),
    username: field('username'),
    password: field('password'),
  };
  const chosen = kind === 'caldav' ? findPreset(field('preset')) : undefined;
  const form = { kind, request, typed, problem: undefined, chosen, accountKey: undefined };
  const translated = await changeLanguage(request, field('language'), deps);
  if (translated !== undefined) {
    return showForm({ http, reply, form: { ...form, request: translated } }, deps);
  }
  const device = visit.cookies.device ?? newDevice();
  const problem = await linkAccount({ request, kind, typed, chosen, device, address: http.ip }, signIn, deps);
  if (problem !== undefined) return showForm({ http, reply, form: { ...form, problem } }, deps);
  // Renewed at each link, so that a browser in use keeps its secret.
  setCookie(reply, deviceCookie(device), deps);
  return seeOther(reply, selectionPath(request, kind));
}

/** For an account that is to be connected again, all but the password; else empty fields. */
async function rememberedLogin(
  account: Account | undefined,
  signIn: PasswordSignIn,
  { accounts }: Pick<ConnectDeps, 'accounts'>,
): Promise<PasswordForm['typed']> {
  const credentials = account && (await accounts.credentialsOf(account.accountKey));
  if (credentials === undefined) return { server: '', username: '' };
  try {
    const { server = '', username = '' } = signIn.remembered?.(credentials) ?? {};
    return { server, username };
  } catch (failure) {
    // What cannot be read any more is typed anew: that is what the form is for.
    if (failure instanceof ProviderError) return { server: '', username: '' };
    throw failure;
  }
}

type ShownForm = {
  readonly http: FastifyRequest;
  readonly reply: FastifyReply;
  readonly form: Omit<PasswordForm, 'preset'>;
};

async function showForm({ http, reply, form }: ShownForm, deps: ConnectDeps): Promise<FastifyReply> {
  const { kind, request, typed, problem, chosen } = form;
  const preset = kind === 'caldav' ? presetOf(typed.server, chosen) : undefined;
  if (problem?.retryAfter !== undefined) reply.header('retry-after', problem.retryAfter);
  const page = passwordFormPage({ ...form, preset }, await appearanceOf(http, request, deps));
  return showPage(reply, page, { request, status: problem?.status ?? 200 });
}

/** The provider's sign-in, when this request offers it, it is set up, and a form of ours leads to it. */
function formOffered(
  provider: string,
  request: AuthorizationRequest,
  { providers }: ConnectDeps,
): { kind: 'apple' | 'caldav'; signIn: PasswordSignIn } {
  const kind = parseProviderKind(provider);
  if ((kind === 'apple' || kind === 'caldav') && request.providers.includes(kind)) {
    const signIn = providers[kind]?.signIn;
    if (signIn?.method === 'password') return { kind, signIn };
  }
  throw new ConnectError('not_offered', backToAccounts(request));
}
