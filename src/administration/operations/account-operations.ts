/** The operations on the accounts of a user, on a user's data, and the search for users. */
import { Readable } from 'node:stream';
import type { Account } from '../../calendars/account-store.ts';
import { maskedName } from '../../connect/accounts/account-views.ts';
import { RECONNECTING } from '../../connect/accounts/reconnect-link.ts';
import { required, text } from '../../http/fields.ts';
import { may } from '../../people/permission.ts';
import { READING } from '../../reading/read-error.ts';
import type { CalendarPlace } from '../../user-data/account-calendars.ts';
import { CALENDAR } from '../documents/calendar.ts';
import { toTime } from '../documents/field.ts';
import { disconnectAccount, linkToReconnect, readAccount, readUserDocument } from '../users.ts';
import { DRY_RUN, lists, openPosition, operation, PAGE, pageSize, sealPosition, USER } from './operation.ts';
import { findVisibleUsers, listUsers } from './user-operations.ts';

const GROUP = 'Users';
const PATH = '/applications/{client_id}/users/{user_id}';
const ACCOUNT = {
  ...USER,
  account_key: required(text({ max: 100, doc: 'The `key` of the account.', example: 'acc_Zk3nQ0vT' })),
};

/** The members of an export. */
const EXPORTED =
  'kalends_user_export exported_at client_id user_id users authorization_requests pushed_requests sign_ins codes grants groups coverage accounts account_history refused_operations calendars events changes notes writes splits watches subscriptions streams deliveries delivery_attempts requests audit';

/** More calendars than an account can have. */
const MOST_CALENDARS = 100_000;

type Target = { readonly clientId: string; readonly userId: string };
type LinkedAccount = Pick<Account, 'provider' | 'accountKey' | 'accountId' | 'display'>;

/** Returns what documents call an account. */
const accountDocument = ({ provider, accountKey, accountId }: LinkedAccount) => ({
  ...{ provider, key: accountKey, id: accountId },
});

export const searchUsers = operation({
  ...{ id: 'searchUsers', method: 'get', path: '/users', group: GROUP },
  summary: 'List the users of all applications that the key may read, in the order of their ids',
  permission: 'user.list',
  ...{ pathFields: {}, fields: listUsers.fields, command: 'user list', result: listUsers.result },
  run: findVisibleUsers,
  toDocument: listUsers.toDocument,
});

export const exportUserOperation = operation({
  ...{ id: 'exportUser', method: 'get', path: `${PATH}/export`, group: GROUP },
  summary: 'Export all stored data of a user',
  description: 'The audit log records the export. docs/privacy.md describes the document.',
  permission: 'user.change',
  ...{ pathFields: USER, fields: {}, command: 'user export' },
  result: EXPORTED.split(' '),
  run: ({ client_id: clientId, user_id: userId }, deps) =>
    readUserDocument(deps.actor, { clientId, userId }, deps),
  toDocument: (pieces) => Readable.from(pieces),
});

export const createReconnectLinkOperation = operation({
  ...{ id: 'createReconnectLink', method: 'post', path: `${PATH}/reconnect-links`, group: GROUP },
  summary: 'Create a link that reconnects an account',
  description: 'The link is for the user alone. It is valid for seven days.',
  permission: 'user.change',
  errors: [READING.account_not_found, RECONNECTING.grant_required],
  pathFields: USER,
  fields: { account_key: ACCOUNT.account_key },
  ...{ status: 201, command: 'user reconnect-link' },
  result: ['client_id', 'user_id', 'account', 'url', 'expires_at'],
  async run({ client_id: clientId, user_id: userId, account_key: accountKey }, deps) {
    const { url: publicUrl } = await deps.addresses();
    const link = await linkToReconnect(deps.actor, { clientId, userId, accountKey }, { ...deps, publicUrl });
    return { clientId, userId, link };
  },
  toDocument: ({ clientId, userId, link: { account, url, expiresAt } }) => ({
    ...{ client_id: clientId, user_id: userId, account: accountDocument(account) },
    ...{ url, expires_at: toTime(expiresAt) },
  }),
});

export const disconnectAccountOperation = operation({
  ...{ id: 'disconnectAccount', method: 'delete', path: `${PATH}/accounts/{account_key}`, group: GROUP },
  summary: 'Disconnect an account of a user: its calendars and credentials are deleted',
  permission: 'user.change',
  ...{ pathFields: ACCOUNT, fields: DRY_RUN, command: 'user disconnect' },
  result: ['disconnected', 'client_id', 'user_id', 'account'],
  counted: 'calendars',
  async count({ client_id: clientId, user_id: userId, account_key: accountKey }, deps) {
    const page = { clientId, userId, accountKey, limit: MOST_CALENDARS };
    return (await readAccount(deps.actor, page, deps)).calendars.length;
  },
  async run({ client_id: clientId, user_id: userId, account_key: accountKey }, deps) {
    const account = await disconnectAccount(deps.actor, { clientId, userId, accountKey }, deps);
    return { clientId, userId, account };
  },
  toDocument: ({ clientId, userId, account }: Target & { readonly account: LinkedAccount }) => ({
    ...{ disconnected: true, client_id: clientId, user_id: userId, account: accountDocument(account) },
  }),
});

export const listAccountCalendars = operation({
  ...{ id: 'listAccountCalendars', method: 'get', group: GROUP },
  path: `${PATH}/accounts/{account_key}/calendars`,
  ...{ summary: 'List the calendars of an account, with their syncs and watches', permission: 'user.read' },
  ...{ pathFields: ACCOUNT, fields: PAGE, command: 'user calendars' },
  ...lists('calendars', CALENDAR),
  async run({ client_id: clientId, user_id: userId, account_key: accountKey, limit, after }, deps) {
    const page = { after: openPosition<CalendarPlace>('calendars', after, deps), limit: pageSize(limit) };
    const target = { clientId, userId, accountKey };
    const { calendars, next } = await readAccount(deps.actor, { ...target, ...page }, deps);
    const isNamed = may(deps.actor, 'user.name', clientId);
    const place = next && { position: next.position, calendarKey: next.calendarKey };
    return {
      // The text of a failure can contain names.
      subjects: calendars.map((calendar) =>
        isNamed ? calendar : { ...calendar, title: maskedName(calendar.title), failure: undefined },
      ),
      next: place ? sealPosition('calendars', place, deps) : null,
    };
  },
});

export const ACCOUNT_OPERATIONS = [
  ...[exportUserOperation, createReconnectLinkOperation, disconnectAccountOperation, listAccountCalendars],
  searchUsers,
];
