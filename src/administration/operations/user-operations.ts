/** The operations on the users of an application. Names of users are masked for keys that may not read them. */
import { maskedName } from '../../connect/accounts/account-views.ts';
import { text } from '../../http/fields.ts';
import { instantText } from '../../lib/rendered-json.ts';
import { may } from '../../people/permission.ts';
import type { DeletionReceipt } from '../../user-data/delete-user.ts';
import type { UserPlace } from '../../user-data/user-directory.ts';
import { readApplication } from '../applications.ts';
import { toDocument } from '../documents/field.ts';
import { ACCOUNT, type AccountSubject, FOUND_USER, GRANT, USER as USER_DOCUMENT } from '../documents/user.ts';
import type { ShownUser } from '../user-details.ts';
import { deleteUserPermanently, findUsers, readUser, revokeUser, syncUser } from '../users.ts';
import {
  type AdministrationDeps,
  CLIENT,
  DRY_RUN,
  openPosition,
  operation,
  PAGE,
  pageSize,
  sealPosition,
  USER,
} from './operation.ts';

const GROUP = 'Users';
const PATH = '/applications/{client_id}/users/{user_id}';

/** Returns the name as the actor may read it. */
export function visibleName(
  name: string,
  clientId: string,
  { actor }: Pick<AdministrationDeps, 'actor'>,
): string {
  return may(actor, 'user.name', clientId) ? name : maskedName(name);
}

export const listUsers = operation({
  ...{ id: 'listUsers', method: 'get', path: '/applications/{client_id}/users', group: GROUP },
  summary: 'List the users of an application, in the order of their ids',
  permission: 'user.read',
  pathFields: CLIENT,
  fields: {
    search: text({
      max: 512,
      doc: "Users whose id, or whose account's name or address, starts with this text. Viewers find whole names only.",
    }),
    ...PAGE,
  },
  ...{ command: 'user list', result: ['users', 'next'] },
  run: ({ client_id: clientId, ...search }, deps) => findVisibleUsers({ clientId, ...search }, deps),
  toDocument: ({ users, next }) => ({
    users: users.map((user) => toDocument(FOUND_USER, user)),
    next: next ?? null,
  }),
});

type Search = {
  /** All applications that the actor may read if it is absent. */
  readonly clientId?: string;
  readonly search: string | undefined;
  readonly limit: number | undefined;
  readonly after: string | undefined;
};

/** Returns a page of users with names as the actor may read them. */
export async function findVisibleUsers(
  { clientId, search: beginning = '', limit, after }: Search,
  deps: AdministrationDeps,
) {
  if (clientId !== undefined) await readApplication(deps.actor, clientId, deps);
  const page = { after: openPosition<UserPlace>('users', after, deps), limit: pageSize(limit) };
  const { users, next } = await findUsers(deps.actor, { clientId, beginning, ...page }, deps);
  return {
    users: users.map((user) => {
      const name = (text: string) => visibleName(text, user.clientId, deps);
      const address = user.address === undefined ? undefined : name(user.address);
      return { ...user, userId: name(user.userId), address };
    }),
    next: next && sealPosition('users', next, deps),
  };
}

/** Returns an account of a user with what its document contains. */
function toAccountSubject(
  account: AccountSubject['account'],
  { ownApps, history, updates }: Pick<ShownUser, 'ownApps' | 'history' | 'updates'>,
): AccountSubject {
  const { accountKey, provider } = account;
  return {
    ...{ account, hasOwnApp: ownApps.has(provider) },
    ...{ updates: updates.get(accountKey), history: history.get(accountKey) ?? [] },
  };
}

/** Returns the account without its names, and without texts of its provider, which can contain names. */
function maskedSubject({ account, history, ...subject }: AccountSubject): AccountSubject {
  const { accountId, display, health } = account;
  const names = { accountId: maskedName(accountId), display: maskedName(display) };
  return {
    ...subject,
    account: { ...account, ...names, health: { ...health, message: undefined } },
    history: history.map((event) => ({ ...event, message: undefined })),
  };
}

export const showUser = operation({
  ...{ id: 'showUser', method: 'get', path: PATH, group: GROUP },
  summary: 'Show a user with the accounts and their history',
  permission: 'user.read',
  ...{ pathFields: USER, fields: {}, command: 'user show' },
  result: [...USER_DOCUMENT.map(({ name }) => name), 'accounts', 'grants'],
  async run({ client_id: clientId, user_id: userId }, deps) {
    const { user, grants, accounts, ...details } = await readUser(deps.actor, { clientId, userId }, deps);
    const mayName = may(deps.actor, 'user.name', clientId);
    const subjects = accounts.map((account) => {
      const subject = toAccountSubject(account, details);
      return mayName ? subject : maskedSubject(subject);
    });
    return {
      user: { ...user, userId: visibleName(userId, clientId, deps) },
      ...{ grants, accounts: subjects },
    };
  },
  toDocument: ({ user, accounts, grants }) => ({
    ...toDocument(USER_DOCUMENT, user),
    accounts: accounts.map((subject) => toDocument(ACCOUNT, subject)),
    grants: grants.map((grant) => toDocument(GRANT, grant)),
  }),
});

type Deletion = {
  readonly clientId: string;
  readonly userId: string;
  /** Undefined for a dry run. */
  readonly receipt: DeletionReceipt | undefined;
  readonly accounts: number;
  readonly grants: number;
};

export const deleteUserOperation = operation({
  ...{ id: 'deleteUser', method: 'delete', path: PATH, group: GROUP },
  summary: 'Delete a user with its grants, connected accounts and mirrored calendars',
  description: 'A dry run has `accounts` and `grants` in place of the receipt.',
  permission: 'user.change',
  ...{ pathFields: USER, fields: DRY_RUN, command: 'user delete' },
  result: ['deleted', 'client_id', 'user_id', 'receipt', 'access_to_end', 'off_disk', 'accounts', 'grants'],
  async run({ client_id: clientId, user_id: userId, dry_run: isDryRun = false }, deps): Promise<Deletion> {
    const { user } = await readUser(deps.actor, { clientId, userId }, deps);
    const receipt = isDryRun
      ? undefined
      : await deleteUserPermanently(deps.actor, { clientId, userId }, deps);
    return { clientId, userId, receipt, accounts: user.accounts, grants: user.grants };
  },
  toDocument: ({ clientId, userId, receipt, accounts, grants }) =>
    receipt === undefined
      ? { deleted: false, client_id: clientId, user_id: userId, accounts, grants }
      : deletionDocument({ clientId, userId, receipt }),
});

/** Returns the document of a deletion that was done. */
export const deletionDocument = ({
  clientId,
  userId,
  receipt: { deletedAt, deleted, accessToEnd, isOffDisk },
}: Pick<Deletion, 'clientId' | 'userId'> & { readonly receipt: DeletionReceipt }) => ({
  ...{ deleted: true, client_id: clientId, user_id: userId },
  receipt: { deleted_at: instantText(deletedAt), ...deleted },
  ...{ access_to_end: accessToEnd, off_disk: isOffDisk },
});

export const revokeUserOperation = operation({
  ...{ id: 'revokeUser', method: 'post', path: `${PATH}/revoke`, group: GROUP },
  summary: 'Revoke every grant of a user: its tokens stop working at once',
  permission: 'user.change',
  ...{ pathFields: USER, fields: {}, command: 'user revoke' },
  result: ['client_id', 'user_id', 'ended_grants'],
  async run({ client_id: clientId, user_id: userId }, deps) {
    const ended = await revokeUser(deps.actor, { clientId, userId }, deps);
    return { client_id: clientId, user_id: userId, ended_grants: ended };
  },
  toDocument: (result) => result,
});

export const syncUserOperation = operation({
  ...{ id: 'syncUser', method: 'post', path: `${PATH}/sync`, group: GROUP },
  summary: 'Sync the accounts of a user now, or one',
  permission: 'user.change',
  pathFields: USER,
  fields: { account_key: text({ max: 100, doc: 'The key of one account; all accounts by default.' }) },
  ...{ command: 'user sync', result: ['client_id', 'user_id', 'accounts'] },
  async run({ client_id: clientId, user_id: userId, account_key: accountKey }, deps) {
    const accounts = await syncUser(deps.actor, { clientId, userId, accountKey }, deps);
    return { client_id: clientId, user_id: userId, accounts };
  },
  toDocument: (result) => result,
});
