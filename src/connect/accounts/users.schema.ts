/** The operations on users for the API reference. */
import { Type } from 'typebox';

import { badBodies, badField } from '../../http/error.schema.ts';
import { required, text } from '../../http/fields.ts';
import { enumeration, instant, type Operation } from '../../http/operation.ts';
import { badClients } from '../../oauth/oauth.schema.ts';
import { SCOPES } from '../../oauth/scope.ts';
import { Provider } from '../../reading/calendar.schema.ts';
import { READING } from '../../reading/read-error.ts';
import type { DeletionReceipt } from '../../user-data/delete-user.ts';
import { NEW_RECONNECT_LINK, RECONNECTING } from './reconnect-link.ts';

const ApplicationUser = Type.Object(
  {
    user_id: Type.String({ description: 'Your id for the user.' }),
    createdAt: instant('When the user was created.'),
    lastSeenAt: instant('When the user was last sent to `/authorize`.'),
    accounts: Type.Array(
      Type.Object({
        provider: Provider,
        id: Type.String({ description: 'The same value as `account` elsewhere.' }),
        display: Type.String(),
        linkedAt: instant('When the account was connected.'),
        syncState: enumeration(
          ['active', 'reauth_required'],
          '`reauth_required`: the provider refuses the account, and the user must reconnect it.',
        ),
        health: Type.Object({
          state: enumeration(['active', 'degraded', 'reauth_required']),
          reason: Type.Optional(Type.String({ description: 'Absent while the account is active.' })),
        }),
      }),
    ),
    grants: Type.Array(
      Type.Object({
        scope: enumeration(SCOPES),
        createdAt: instant('When the code of the grant was exchanged.'),
        refreshedAt: instant('When its tokens were last refreshed.'),
      }),
      { description: 'The active grants.' },
    ),
  },
  { $id: 'ApplicationUser' },
);

const HAD = {
  ...{ accounts: 1, grants: 1, calendars: 2, events: 96, changes: 12, deliveries: 3 },
} satisfies DeletionReceipt['deleted'];

const Receipt = Type.Object(
  {
    deletedAt: instant('When it was deleted.'),
    ...Object.fromEntries(Object.keys(HAD).map((kind) => [kind, Type.Integer()])),
  },
  { description: 'The number of deleted objects by kind. It does not identify the user.' },
);
const toEnd = 'The number of accounts whose access a running server revokes at Google and Microsoft.';
const offDisk = 'Whether the deleted data has left the disk of the database.';

const DeletedUser = Type.Object(
  {
    success: Type.Literal(true),
    receipt: Type.Optional(Receipt),
    accessToEnd: Type.Optional(Type.Integer({ description: toEnd })),
    offDisk: Type.Optional(Type.Boolean({ description: offDisk })),
  },
  { $id: 'DeletedUser' },
);

const group = 'Users';
const AT = '2026-11-01T08:00:00.000Z';
const USER = {
  user_id: required(text({ doc: 'Your id for the user, percent-encoded.', example: 'ada' })),
};

export const userOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/users/{user_id}',
    id: 'getUser',
    group,
    summary: 'Show the accounts and grants of a user, also without a valid token',
    description:
      'Authenticated with the client secret of the application. The response contains accounts and grants, but no token or password.',
    callers: ['application'],
    pathFields: USER,
    answer: {
      description: 'The user.',
      schema: ApplicationUser,
      example: {
        user_id: 'ada',
        createdAt: AT,
        lastSeenAt: AT,
        accounts: [
          {
            provider: 'google',
            id: 'ada@example.com',
            display: 'ada@example.com',
            linkedAt: AT,
            syncState: 'active',
            health: { state: 'active' },
          },
        ],
        grants: [{ scope: 'read', createdAt: AT, refreshedAt: AT }],
      },
    },
    errors: [READING.user_not_found, ...badClients],
  },
  {
    method: 'delete',
    path: '/users/{user_id}',
    id: 'forgetUser',
    group,
    summary: 'Delete a user with all accounts, copies of calendars, grants and tokens',
    description:
      'A user that does not exist is not an error, so the request can be repeated. On SQLite the deleted data leaves the disk before the response. Requests within one second share this step, so each waits up to a second.',
    callers: ['application'],
    pathFields: USER,
    answer: {
      description: 'The receipt of the deletion. Only `success` for a user that does not exist.',
      schema: DeletedUser,
      example: { success: true, receipt: { deletedAt: AT, ...HAD }, accessToEnd: 1, offDisk: true },
    },
    errors: [...badClients],
  },
  {
    method: 'post',
    path: '/users/{user_id}/reconnect-links',
    id: 'createReconnectLink',
    group,
    summary: 'Create a link with which the user reconnects an account',
    description:
      'Send the link to the user, for example by email. It opens the sign-in of the account’s provider and is valid for seven days, until the user has signed in. It gives no code and changes no grant. It also works if the application must push its requests.',
    callers: ['application'],
    pathFields: USER,
    body: { fields: NEW_RECONNECT_LINK, name: 'NewReconnectLink', required: true },
    answer: {
      status: 201,
      description: 'The link.',
      schema: Type.Object({
        url: Type.String({ format: 'uri', description: 'A secret of the user. Do not log it.' }),
        expiresAt: instant('When the link expires.'),
      }),
      example: {
        url: 'https://calendars.example.com/reconnect/q83vEjRWeJCrze8SNFZ4kA',
        expiresAt: '2026-11-08T08:00:00.000Z',
      },
    },
    errors: [
      badField('provider', 'is missing'),
      READING.user_not_found,
      READING.account_not_found,
      RECONNECTING.grant_required,
      ...badBodies,
      ...badClients,
    ],
  },
];
