/** The provider-selection page and what is done on it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { parseProviderKind } from '../calendars/provider-kind.ts';
import type { ConnectDeps } from './connect-deps.ts';
import { ConnectError } from './connect-error.ts';
import type { AccountView } from './connect-flow.ts';
import { accountsOf } from './connect-session.ts';
import { selectionPath } from './paths.ts';
import { type ProviderSelection, providerSelectionPage } from './provider-selection.page.ts';
import { type ReceivedQuery, values } from './received-query.ts';
import { appearanceOf, openPage, readForm, seeOther, showPage } from './visit.route.ts';

export async function showSelection(
  http: FastifyRequest,
  reply: FastifyReply,
  deps: ConnectDeps,
): Promise<FastifyReply> {
  const { visit, request } = await openPage(http, deps);
  const { views } = await accountsOf(request, visit.cookies.device, deps);
  const selection: ProviderSelection = {
    request,
    displayName: (await deps.clients.findClient(request.clientId))?.displayName,
    accounts: views,
    providers: request.providers.map((kind) => ({ kind, available: deps.providers[kind] !== undefined })),
    happened: happenedOf(visit.query, views),
  };
  return showPage(reply, 200, providerSelectionPage(selection, appearanceOf(request)), request);
}

/** POST /connect/disconnect: only accounts that this browser linked (threat T4). */
export function disconnectRoute(app: FastifyInstance, deps: ConnectDeps): void {
  app.post('/connect/disconnect', async (http, reply) => {
    const { visit, request, field } = await readForm(http, deps);
    const { linked, views } = await accountsOf(request, visit.cookies.device, deps);
    const account = linked.find(({ accountKey }) => accountKey === field('account'));
    if (account !== undefined) {
      if (!views.some(({ accountKey, own }) => own && accountKey === account.accountKey)) {
        throw new ConnectError('foreign_form', { request });
      }
      const { clientId, userId, provider, accountId } = account;
      await deps.accounts.disconnect(clientId, userId, provider, accountId, deps.now());
      deps.log.info({ clientId, provider }, 'An account was disconnected by its user');
    }
    return seeOther(reply, selectionPath(request, 'disconnected'));
  });
}

/** What the address claims was just done, where the accounts bear it out. */
function happenedOf(query: ReceivedQuery, views: readonly AccountView[]): ProviderSelection['happened'] {
  // Ours is behind everything the application sent.
  const claim = values(query, 'happened').at(-1) ?? '';
  if (claim === 'disconnected') return claim;
  const linked = parseProviderKind(claim);
  return linked !== undefined && views.some(({ provider }) => provider === linked) ? { linked } : undefined;
}
