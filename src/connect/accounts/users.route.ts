/** GET and DELETE /users/{user_id}, and POST /users/{user_id}/reconnect-links, for the application itself by HTTP Basic. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Account, AccountStore } from '../../calendars/account-store.ts';
import { beforeBody } from '../../http/before-body.ts';
import { readBody } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import { FORM_BYTES } from '../../http/sizes.ts';
import type { Log } from '../../lib/log.ts';
import { instantText } from '../../lib/rendered-json.ts';
import { type ApplicationCallDeps, authenticateBasic } from '../../oauth/client-authentication.ts';
import type { UserStore } from '../../oauth/user-store.ts';
import { READING } from '../../reading/read-error.ts';
import { type DeleteUserDeps, deleteUser } from '../../user-data/delete-user.ts';
import { syncStateOf } from './connections.ts';
import { createReconnectLink, NEW_RECONNECT_LINK, type ReconnectLinkDeps } from './reconnect-link.ts';

export type UsersRouteDeps = ApplicationCallDeps & UsersDeps & Omit<ReconnectLinkDeps, keyof UsersDeps>;

type UserRequest = FastifyRequest<{ Params: { user_id: string } }>;

/** The paths are relative to the prefix of the resources. */
export function usersRoutes(deps: UsersRouteDeps): FastifyPluginAsync {
  const identifyUser = async (request: UserRequest): Promise<UserOfClient> => {
    const { clientId } = await authenticateBasic(request, deps);
    return { clientId, userId: request.params.user_id };
  };
  // A DELETE may have a body.
  const { check, foundOf } = beforeBody(identifyUser);
  const options = { onRequest: check, bodyLimit: FORM_BYTES };
  return async (app) => {
    app.get('/users/:user_id', options, (request: UserRequest) => showUser(foundOf(request), deps));
    app.delete('/users/:user_id', options, (request: UserRequest) =>
      forgetUser(foundOf(request), request.ip, deps),
    );
    app.post('/users/:user_id/reconnect-links', options, async (request: UserRequest, reply) =>
      reply.status(201).send(await linkUserAccount(foundOf(request), request.body, deps)),
    );
  };
}

export type UsersDeps = DeleteUserDeps & {
  readonly users: Pick<UserStore, 'findUser' | 'livingGrantsOf' | 'deleteUser'>;
  readonly accounts: Pick<AccountStore, 'listAccounts' | 'auditReconnectLink'>;
  readonly log: Log;
};

export type UserOfClient = { readonly clientId: string; readonly userId: string };

/** Returns accounts and active grants without secrets and internal keys. Throws 404 for an unknown user. */
export async function showUser({ clientId, userId }: UserOfClient, { users, accounts }: UsersDeps) {
  const user = await users.findUser(clientId, userId);
  if (user === undefined) throw new ApiError(READING.user_not_found);
  const [linked, grants] = await Promise.all([
    accounts.listAccounts(clientId, userId),
    users.livingGrantsOf(clientId, userId),
  ]);
  return {
    user_id: user.userId,
    createdAt: instantText(user.createdAt),
    lastSeenAt: instantText(user.lastSeenAt),
    accounts: linked.map(shownAccount),
    grants: grants.map(({ scope, createdAt, refreshedAt }) => ({
      scope,
      createdAt: instantText(createdAt),
      refreshedAt: instantText(refreshedAt),
    })),
  };
}

/**
 * Deletes the user and everything that belongs to it, from the disk too, and returns the receipt. A user that does not
 * exist is no error, so that the call can be repeated, and has no receipt.
 */
export async function forgetUser(owner: UserOfClient, address: string, deps: UsersDeps) {
  const { users, log, now } = deps;
  // Checked first: an id that no database can store belongs to no user.
  const user = await users.findUser(owner.clientId, owner.userId);
  const by = { actor: { kind: 'system' }, requestedBy: 'application', address, now } as const;
  const receipt = user && (await deleteUser(owner, { ...deps, by }));
  if (receipt === undefined) return { success: true };
  log.info({ event: 'users_forgotten', ...owner }, 'An application deleted a user');
  const { deletedAt, deleted, accessToEnd, isOffDisk: offDisk } = receipt;
  return { success: true, receipt: { deletedAt: instantText(deletedAt), ...deleted }, accessToEnd, offDisk };
}

/** Creates a reconnect link for an account of the user. Throws ApiError. */
async function linkUserAccount({ clientId, userId }: UserOfClient, body: unknown, deps: UsersRouteDeps) {
  const { provider, account: accountId } = readBody(body, NEW_RECONNECT_LINK);
  if ((await deps.users.findUser(clientId, userId)) === undefined) throw new ApiError(READING.user_not_found);
  const isRequested = (account: Account) => account.provider === provider && account.accountId === accountId;
  const link = await createReconnectLink({ clientId, userId, isRequested, by: undefined }, deps);
  return { url: link.url, expiresAt: instantText(link.expiresAt) };
}

function shownAccount({ provider, accountId, display, linkedAt, health }: Account) {
  const { state, reason } = health;
  return {
    provider,
    id: accountId,
    display,
    linkedAt: instantText(linkedAt),
    syncState: syncStateOf(health),
    health: { state, ...(reason === undefined ? {} : { reason }) },
  };
}
