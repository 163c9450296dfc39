/** Commands identify a user by the application and the application's own user id. */
import type { UsersDeps } from '../administration/users.ts';
import type { By } from '../audit/audit-entry.ts';
import type { UserSummary } from '../oauth/user-store.ts';
import { requireClient } from './client-commands.ts';
import {
  CommandError,
  type Context,
  type Input,
  type Positional,
  type Result,
  type Storage,
} from './command.ts';

export const USER_ID: Positional = { name: 'USER_ID', doc: "The application's id of the user." };

export type NamedUser = Pick<UserSummary, 'clientId' | 'userId'>;

/** Returns the dependencies of the functions that commands share with the dashboard. */
export const usersDeps = (storage: Storage, { config, deps }: Context): UsersDeps & By => ({
  ...storage,
  publicUrl: config().url,
  now: deps.now,
});

/** Returns a user. Throws CommandError if the application or the user does not exist. */
async function findUser(
  storage: Storage,
  { CLIENT_ID: clientId = '', USER_ID: userId = '' }: Input['positionals'],
): Promise<UserSummary> {
  await requireClient(clientId, storage.clients);
  const user = await storage.users.findUser(clientId, userId);
  if (user !== undefined) return user;
  throw new CommandError(
    'not_found',
    `The application has no user "${userId}"; "kalends user list ${clientId}" lists its users.`,
  );
}

/** Opens the storage and runs `work` on the user that the command names. */
export const withUser = (
  { positionals }: Pick<Input, 'positionals'>,
  context: Context,
  work: (user: UserSummary, storage: Storage) => Promise<Result | undefined>,
): Promise<Result | undefined> =>
  context.withStorage(async (storage) => work(await findUser(storage, positionals), storage));
