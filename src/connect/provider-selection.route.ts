/** The provider-selection page. */
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type ProviderKind, parseProviderKind } from '../calendars/provider-kind.ts';
import { type ReceivedQuery, values } from '../http/received-query.ts';
import { isSignInWord } from './accounts/redirect-sign-in.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import type { AccountView } from './flow/connect-flow.ts';
import { accountsOf } from './flow/connect-session.ts';
import { type ProviderSelection, providerSelectionPage } from './pages/provider-selection.page.ts';
import { appearanceOf, openPage, showPage } from './visit.ts';

/** Answers GET /authorize with a transaction. Throws ConnectError 400 as openPage does. */
export async function showSelection(
  http: FastifyRequest,
  reply: FastifyReply,
  deps: ConnectDeps,
): Promise<FastifyReply> {
  const { visit, request } = await openPage(http, deps);
  const [{ linked, views, loading }, available, look] = await Promise.all([
    accountsOf(request, visit.cookies.device, deps),
    Promise.all(request.providers.map((kind) => isAvailable(kind, request, deps))),
    appearanceOf(http, request, deps),
  ]);
  const selection: ProviderSelection = {
    request,
    accounts: views,
    loading,
    // Whoever came with accounts came to see to them.
    isManaging: linked.some(({ linkedAt }) => linkedAt < request.createdAt),
    providers: request.providers.map((kind, index) => ({ kind, available: available[index] ?? false })),
    happened: happenedOf(visit.query, views),
  };
  return showPage(reply, providerSelectionPage(selection, look), { request, providers: deps.signInOrigins });
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
  const [kind, what = 'linked'] = isSignInWord(claim) ? claim.split('_') : [claim];
  const provider = parseProviderKind(kind ?? '');
  if (provider === undefined) return undefined;
  if (what === 'cancelled') return { what, provider };
  const own = views.filter((view) => view.provider === provider);
  if (what === 'unpermitted') {
    return own.some(({ trouble }) => trouble === 'calendars_not_allowed') ? { what, provider } : undefined;
  }
  if (own.length === 0) return undefined;
  return { what: what === 'other' ? 'other' : 'linked', provider };
}
