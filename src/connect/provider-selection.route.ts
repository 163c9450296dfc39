/** `GET /authorize` at the origin's root: the start of a flow, and with its transaction the provider-selection page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { type ProviderKind, parseProviderKind } from '../calendars/provider-kind.ts';
import { type ReceivedQuery, receivedQuery, scalar, values } from '../http/received-query.ts';
import { type AccountView, accountsOf } from './accounts/account-views.ts';
import { isSignInResult } from './accounts/redirect-sign-in.ts';
import { startFlow } from './authorize.route.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { type ProviderSelection, providerSelectionPage } from './pages/provider-selection.page.ts';
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
  const [{ linked, views, loading }, available, appearance] = await Promise.all([
    accountsOf(page, deps),
    Promise.all(request.providers.map((kind) => isAvailable(kind, request, deps))),
    appearanceOf(http, request, deps),
  ]);
  const selection: ProviderSelection = {
    request,
    accounts: views,
    loading,
    // Whoever had accounts before this request came to manage them.
    isManaging: linked.some(({ linkedAt }) => linkedAt < request.createdAt),
    providers: request.providers.map((kind, index) => ({ kind, available: available[index] ?? false })),
    happened: happenedOf(visit.query, views),
  };
  const options = { request, providers: deps.signInOrigins };
  return showPage(reply, providerSelectionPage(selection, appearance), options);
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
  if (claim === 'disconnected' || claim === 'disconnected_all') return { what: claim };
  const [kind, what = 'linked'] = isSignInResult(claim) ? claim.split('_') : [claim];
  const provider = parseProviderKind(kind ?? '');
  if (provider === undefined) return undefined;
  if (what === 'cancelled') return { what, provider };
  const accounts = views.filter((view) => view.provider === provider);
  if (what === 'unpermitted') {
    return accounts.some(({ problem }) => problem === 'calendars_not_allowed')
      ? { what, provider }
      : undefined;
  }
  if (accounts.length === 0) return undefined;
  return { what: what === 'other' ? 'other' : 'linked', provider };
}
