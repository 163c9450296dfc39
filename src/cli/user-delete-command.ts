/** `kalends user delete`: deletes all data of a user and prints a receipt. */
import { instantText } from '../lib/rendered-json.ts';
import type { DeletedUser } from '../oauth/user-store.ts';
import { deleteUser } from '../user-data/delete-user.ts';
import { CLIENT_ID } from './client-commands.ts';
import { type Command, CommandError } from './command.ts';
import { confirm, YES } from './confirm.ts';
import { USER_ID, withUser } from './user-argument.ts';

export const userDelete: Command = {
  name: 'user delete',
  summary: 'Delete a user with its grants, linked accounts and mirrored calendars',
  positionals: [CLIENT_ID, USER_ID],
  options: [YES],
  notes: [
    'The receipt says what was deleted and when; the audit log stores it without the identity of the user. docs/privacy.md says what remains after a deletion.',
  ],
  run: (input, context) =>
    withUser(input, context, async ({ clientId, userId, accounts }, storage) => {
      await confirm(`Deleting ${userId} with ${accounts} account(s)`, input, context);
      const receipt = await deleteUser({ clientId, userId }, { ...storage, now: context.deps.now });
      if (receipt === undefined)
        throw new CommandError('not_found', `The user "${userId}" was deleted meanwhile.`);
      const { deletedAt, deleted, accessToEnd, isOffDisk } = receipt;
      return {
        json: {
          deleted: true,
          client_id: clientId,
          user_id: userId,
          receipt: { deleted_at: instantText(deletedAt), ...deleted },
          access_to_end: accessToEnd,
          off_disk: isOffDisk,
        },
        text: [
          `Deleted ${userId}.`,
          `Receipt: ${instantText(deletedAt)}, ${countsText(deleted)}.`,
          ...pendingLines(accessToEnd, isOffDisk),
        ].join('\n'),
      };
    }),
};

const countsText = (deleted: Omit<DeletedUser, 'accessToEnd'>): string =>
  Object.entries(deleted)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');

/** Returns a line for each part of the deletion that happens later. */
function pendingLines(accessToEnd: number, isOffDisk: boolean): string[] {
  const access = `Pending: a running server revokes the access to ${accessToEnd} account(s) at Google and Microsoft. It retries for a day.`;
  const disk =
    'Pending: the database overwrites deleted rows later (docs/privacy.md#what-is-left-after-a-deletion).';
  return [...(accessToEnd > 0 ? [access] : []), ...(isOffDisk ? [] : [disk])];
}
