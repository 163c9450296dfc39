/** `GET /authorize` at the origin's root: the start of a flow or, with `transaction`, the provider-selection page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { APP_KINDS, type AppKind } from '../access/provider-apps.ts';
import { type ProviderKind, parseProviderKind } from '../calendars/provider-facts.ts';
import { seeOther } from '../http/page.ts';
import { type ReceivedQuery, receivedQuery, scalar, values } from '../http/received-query.ts';
import { createIssuer } from '../oauth/issuers.ts';
import { type AccountView, loadUserAccounts, type UserAccounts } from './accounts/account-views.ts';
import { startFlow } from './authorize.route.ts';
import { type AuthorizationRequest, isTransactionId } from './flow/authorization-request-store.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { signInPath } from './flow/paths.ts';
import {
  type OfferedProvider,
  type ProviderSelection,
  providerSelectionPage,
} from './pages/provider-selection.page.ts';
import { loadAppearance, openPage, showPage } from './visit.ts';

/** A `transaction` of the issued form distinguishes the two roles (docs/wire.md 0). Others are the application's own. */
export function providerSelectionRoute(app: FastifyInstance, deps: ConnectDeps): void {
  const start = { ...deps, issuer: createIssuer('default', deps.publicUrl) };
  app.get('/authorize', (http, reply) => {
    const isPage = isTransactionId(scalar(receivedQuery(http.url), 'transaction') ?? '');
    return isPage ? showSelection(http, reply, deps) : startFlow(http, reply, start);
  });
}

async function showSelection(
  http: FastifyRequest,
  reply: FastifyReply,
  deps: ConnectDeps,
): Promise<FastifyReply> {
  const page = await openPage(http, deps);
  const { visit, request } = page;
  const [user, available, appearance] = await Promise.all([
    loadUserAccounts(page, deps),
    Promise.all(request.providers.map((kind) => isAvailable(kind, request, deps))),
    loadAppearance(http, request, deps),
  ]);
  const providers = request.providers.map((kind, index) => ({ kind, available: available[index] ?? false }));
  const only = onlyWay(providers, user, request);
  if (only !== undefined) {
    await deps.requests.noteProgress(request.transactionId, { wasSentAhead: true });
    return seeOther(reply, signInPath(only, request));
  }
  const selection: ProviderSelection = {
    ...user,
    request,
    // A user with accounts that the application already has came to manage them.
    isManaging: request.hasDisconnected || user.accounts.some(({ givenScope }) => givenScope !== undefined),
    providers,
    happened:
      parseHappening(visit.query, user.accounts) ??
      (user.isUnredeemed ? { what: 'not_finished' } : undefined),
  };
  const options = { request, providers: deps.signInOrigins };
  return showPage(reply, providerSelectionPage(selection, appearance), options);
}

/** Returns the only provider, to which a user without accounts is sent directly, once. */
function onlyWay(
  providers: readonly OfferedProvider[],
  { accounts, others, limit }: UserAccounts,
  { wasSentAhead }: AuthorizationRequest,
): AppKind | undefined {
  const [only, ...more] = providers;
  if (only === undefined || more.length > 0 || wasSentAhead) return undefined;
  if (!only.available || limit !== undefined || accounts.length > 0 || others.length > 0) return undefined;
  return APP_KINDS.find((kind) => kind === only.kind);
}

async function isAvailable(
  kind: ProviderKind,
  { clientId }: AuthorizationRequest,
  { providers, apps }: ConnectDeps,
): Promise<boolean> {
  const method = providers[kind]?.signIn.method;
  return method === 'redirect' ? (await apps.find(clientId, kind)) !== undefined : method === 'password';
}

/** Returns the event that the address claims, if the accounts confirm it. */
function parseHappening(query: ReceivedQuery, views: readonly AccountView[]): ProviderSelection['happened'] {
  // Kalends appends its own value after everything that the application sent.
  const [claim = '', accountKey] = (values(query, 'happened').at(-1) ?? '').split('.');
  if (claim === 'disconnected' || claim === 'disconnected_all' || claim === 'removed') return { what: claim };
  const account = views.find(
    (view) => view.isManageable && [view.accountKey, view.againKey].includes(accountKey),
  );
  if (claim === 'calendars_chosen') return account && { what: 'chosen', account: account.name };
  const [, kind, what = 'linked'] = /^([a-z]+)(?:_([a-z_]+))?$/.exec(claim) ?? [];
  const provider = parseProviderKind(kind ?? '');
  if (provider === undefined) return undefined;
  if (what === 'not_this') return { what };
  if (what === 'cancelled') return { what, provider };
  if (what === 'unpermitted') {
    return views.some((view) => view.provider === provider && view.problem === 'calendars_not_allowed')
      ? { what, provider }
      : undefined;
  }
  const done = (['other', 'confirmed', 'linked'] as const).find((one) => one === what);
  return done && account?.provider === provider ? { what: done, account: account.name } : undefined;
}
