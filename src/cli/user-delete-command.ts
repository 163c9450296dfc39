/** `kalends user delete`: everything of a user goes, and a receipt says what it was. */
import { instantText } from '../lib/rendered-json.ts';
import type { DeletedUser } from '../oauth/user-store.ts';
import { deleteUser } from '../user-data/delete-user.ts';
import { CLIENT_ID } from './client-commands.ts';
import { type Command, CommandError } from './command.ts';
import { confirm, YES } from './confirm.ts';
import { findUser, USER_ID } from './user-argument.ts';

/** Deletes a user and answers what was deleted, what waits, and whether the disk has anything left of it. */
export const userDelete: Command = {
  name: 'user delete',
  summary: 'Delete a user with its grants, linked accounts and mirrored calendars',
  positionals: [CLIENT_ID, USER_ID],
  options: [YES],
  notes: [
    'The receipt says what was deleted and when, and the audit log keeps it without saying who it was. docs/privacy.md says what is left after a deletion.',
  ],
  run: (input, context) =>
    context.withStorage(async (storage) => {
      const { clientId, userId, accounts } = await findUser(storage, input.positionals);
      await confirm(`Deleting ${userId} with ${accounts} linked account(s)`, input, context);
      const receipt = await deleteUser({ clientId, userId }, { ...storage, now: context.deps.now });
      if (receipt === undefined) throw new CommandError('not_found', `The user "${userId}" is gone already.`);
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
          `Receipt: ${instantText(deletedAt)}, ${countsOf(deleted)}.`,
          ...waitsOf(accessToEnd, isOffDisk),
        ].join('\n'),
      };
    }),
};

const countsOf = (deleted: Omit<DeletedUser, 'accessToEnd'>): string =>
  Object.entries(deleted)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');

/** A line for everything that the deletion could not do at once. */
function waitsOf(accessToEnd: number, isOffDisk: boolean): string[] {
  const access = `Waiting: the access of ${accessToEnd} account(s) is ended at Google and Microsoft by a running server; it is tried for a day.`;
  const disk =
    'Waiting: the database writes over what was deleted in its own time (docs/privacy.md#what-is-left-after-a-deletion).';
  return [...(accessToEnd > 0 ? [access] : []), ...(isOffDisk ? [] : [disk])];
}
