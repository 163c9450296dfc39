/** `GET /authorize` at the origin's root: the start of a flow, and with its transaction the provider-selection page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { APP_KINDS, type AppKind } from '../access/provider-apps.ts';
import { type ProviderKind, parseProviderKind } from '../calendars/provider-facts.ts';
import { seeOther } from '../http/page.ts';
import { type ReceivedQuery, receivedQuery, scalar, values } from '../http/received-query.ts';
import { type AccountView, accountsOf, type UserAccounts } from './accounts/account-views.ts';
import { startFlow } from './authorize.route.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { signInPath } from './flow/paths.ts';
import {
  type OfferedProvider,
  type ProviderSelection,
  providerSelectionPage,
} from './pages/provider-selection.page.ts';
import { appearanceOf, openPage, showPage } from './visit.ts';

/** The parameter that only this server makes says which of the two is meant (docs/wire.md 0). */
export function providerSelectionRoute(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/authorize', (http, reply) => {
    const starts = scalar(receivedQuery(http.url), 'transaction') === undefined;
    return starts ? startFlow(http, reply, deps) : showSelection(http, reply, deps);
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
    accountsOf(page, deps),
    Promise.all(request.providers.map((kind) => isAvailable(kind, request, deps))),
    appearanceOf(http, request, deps),
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
    // Whoever has accounts that are the application's already came to manage them.
    isManaging: request.hasDisconnected || user.accounts.some(({ givenScope }) => givenScope !== undefined),
    providers,
    happened:
      happenedOf(visit.query, user.accounts) ?? (user.isUnredeemed ? { what: 'not_finished' } : undefined),
  };
  const options = { request, providers: deps.signInOrigins };
  return showPage(reply, providerSelectionPage(selection, appearance), options);
}

/** The one provider that a user without accounts is sent straight to, once: its own pages say who asks. */
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

/** Whether users of this application can sign in there. */
async function isAvailable(
  kind: ProviderKind,
  { clientId }: AuthorizationRequest,
  { providers, apps }: ConnectDeps,
): Promise<boolean> {
  const method = providers[kind]?.signIn.method;
  return method === 'redirect' ? (await apps.find(clientId, kind)) !== undefined : method === 'password';
}

/** What the address claims was just done, where the accounts bear it out. */
function happenedOf(query: ReceivedQuery, views: readonly AccountView[]): ProviderSelection['happened'] {
  // Ours is behind everything the application sent.
  const claim = values(query, 'happened').at(-1) ?? '';
  if (claim === 'disconnected' || claim === 'disconnected_all' || claim === 'removed') return { what: claim };
  if (claim === 'calendars_chosen') return { what: 'chosen' };
  const [, kind, what = 'linked'] = /^([a-z]+)(?:_([a-z_]+))?$/.exec(claim) ?? [];
  const provider = parseProviderKind(kind ?? '');
  if (provider === undefined) return undefined;
  if (what === 'cancelled' || what === 'not_this') return { what, provider };
  const accounts = views.filter((view) => view.provider === provider);
  if (what === 'unpermitted') {
    return accounts.some(({ problem }) => problem === 'calendars_not_allowed')
      ? { what, provider }
      : undefined;
  }
  if (accounts.length === 0) return undefined;
  const done = (['other', 'confirmed', 'linked'] as const).find((one) => one === what);
  return done && { what: done, provider };
}
