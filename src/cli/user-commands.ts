/** `kalends user …`: the applications' users, what they linked and what was granted for them. */
import { CLIENT_ID } from './client-commands.ts';
import type { Command } from './command.ts';
import { userAccountCommands } from './user-account-commands.ts';
import { findUser, USER_ID } from './user-argument.ts';
import { userDelete } from './user-delete-command.ts';
import { userExport } from './user-export-command.ts';
import { userList } from './user-list-command.ts';
import { userShow } from './user-show-command.ts';

const revoke: Command = {
  name: 'user revoke',
  summary: 'End every grant of a user: its tokens are refused at once',
  positionals: [CLIENT_ID, USER_ID],
  options: [],
  notes: [
    'A code that waits to be exchanged is withdrawn. Linked accounts stay; after the next authorization the application reads them again.',
  ],
  run: ({ positionals }, { withStorage, deps }) =>
    withStorage(async (storage) => {
      const user = await findUser(storage, positionals);
      const ended = await storage.families.endGrantsOf(user.clientId, user.userId, deps.now());
      return {
        json: { client_id: user.clientId, user_id: user.userId, ended_grants: ended },
        text: `Ended ${ended} grant(s) of ${user.userId}.`,
      };
    }),
};

export const userCommands: readonly Command[] = [
  userList,
  userShow,
  ...userAccountCommands,
  userExport,
  revoke,
  userDelete,
];
