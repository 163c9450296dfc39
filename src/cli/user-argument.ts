/** How commands name a user: by the application and the application's own id. */
import type { UsersDeps } from '../administration/users.ts';
import type { UserSummary } from '../oauth/user-store.ts';
import { unknownClient } from './client-commands.ts';
import { CommandError, type Context, type Input, type Positional, type Storage } from './command.ts';

export const USER_ID: Positional = { name: 'USER_ID', doc: "The application's own id of the user." };

export type NamedUser = Pick<UserSummary, 'clientId' | 'userId'>;

/** What the functions need that the dashboard does the same with. */
export const usersDeps = (storage: Storage, { config, deps }: Context): UsersDeps => ({
  ...storage,
  publicUrl: config().url,
  now: deps.now,
});

/** Throws CommandError when there is no such application or user. */
export async function findUser(
  storage: Storage,
  { CLIENT_ID: clientId = '', USER_ID: userId = '' }: Input['positionals'],
): Promise<UserSummary> {
  if ((await storage.clients.findClient(clientId)) === undefined) throw unknownClient(clientId);
  const user = await storage.users.findUser(clientId, userId);
  if (user !== undefined) return user;
  throw new CommandError(
    'not_found',
    `The application has no user "${userId}"; "kalends user list ${clientId}" shows those it has.`,
  );
}
