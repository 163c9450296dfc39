/** The start of a flow: `GET /authorize` without a transaction (docs/wire.md O4.1, O3.4). */
import { randomBytes } from 'node:crypto';
import { queryWithout, type ReceivedQuery, scalar } from '../../http/received-query.ts';
import { chooseLanguage } from '../messages/messages.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import { readAuthorizeRequest, readClientId } from './authorize-request.ts';
import type { ConnectDeps } from './connect-deps.ts';
import { ConnectError } from './connect-error.ts';

export type StartInput = {
  readonly query: ReceivedQuery;
  readonly acceptLanguage: string | undefined;
};

type StartDeps = Pick<ConnectDeps, 'clients' | 'users' | 'requests' | 'log' | 'now'>;

/**
 * Checks the application before anything else, then the rest; creates the user or finds it, and keeps
 * the request. Revokes nothing. Throws ConnectError: 401 for the application, 400 for the rest.
 */
export async function startAuthorization(
  { query, acceptLanguage }: StartInput,
  deps: StartDeps,
): Promise<AuthorizationRequest> {
  const clientId = readClientId(query);
  const client = clientId === undefined ? undefined : await deps.clients.findClient(clientId);
  if (client === undefined) throw new ConnectError('client_unknown');

  const request: AuthorizationRequest = {
    ...readAuthorizeRequest(query),
    transactionId: randomBytes(16).toString('base64url'),
    clientId: client.clientId,
    redirectUri: client.redirectUri,
    // Fixed here for the whole flow: the way through a provider and back keeps it.
    language: chooseLanguage({ named: scalar(query, 'lng'), acceptLanguage }),
    query: queryWithout(query, 'transaction', 'redirect_uri'),
    formToken: randomBytes(32).toString('base64url'),
    status: 'open',
    createdAt: deps.now(),
  };
  await loadUser(request, deps);
  await deps.requests.createRequest(request);
  return request;
}

/** docs/wire.md O7 answers 400 when the user cannot be created or retrieved, whatever the cause. */
async function loadUser({ clientId, userId }: AuthorizationRequest, deps: StartDeps): Promise<void> {
  try {
    await deps.users.loadOrCreateUser(clientId, userId, deps.now());
  } catch (cause) {
    deps.log.error({ err: cause, clientId }, 'A user could not be created or retrieved');
    throw new ConnectError('user_failed', { cause });
  }
}
