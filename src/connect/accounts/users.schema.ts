/** GET and DELETE /users/{user_id} for the API reference. */
import { Type } from 'typebox';

import { required, text } from '../../http/fields.ts';
import { enumeration, instant, type Operation } from '../../http/operation.ts';
import { badClients } from '../../oauth/oauth.schema.ts';
import { SCOPES } from '../../oauth/scope.ts';
import { Provider } from '../../reading/calendar.schema.ts';
import { READING } from '../../reading/read-error.ts';
import type { DeletionReceipt } from '../../user-data/delete-user.ts';

const ApplicationUser = Type.Object(
  {
    user_id: Type.String({ description: 'Your own id of the user.' }),
    createdAt: instant('When it was made known.'),
    lastSeenAt: instant('When it was last sent to `/authorize`.'),
    accounts: Type.Array(
      Type.Object({
        provider: Provider,
        id: Type.String({ description: 'The same value as `account` elsewhere.' }),
        display: Type.String(),
        linkedAt: instant('When it was connected.'),
        syncState: enumeration(
          ['active', 'reauth_required'],
          '`reauth_required`: the provider refuses it, and the user must connect it again.',
        ),
        health: Type.Object({
          state: enumeration(['active', 'degraded', 'reauth_required']),
          reason: Type.Optional(Type.String({ description: 'Absent while it is active.' })),
        }),
      }),
    ),
    grants: Type.Array(
      Type.Object({
        scope: enumeration(SCOPES),
        createdAt: instant('When its code was exchanged.'),
        refreshedAt: instant('When its tokens were last renewed.'),
      }),
      { description: 'Those that live.' },
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
const toEnd = 'Accounts whose access a running server ends at Google and Microsoft.';
const offDisk = 'Whether the deleted data has left the disk of the database.';

const group = 'Users';
const AT = '2026-11-01T08:00:00.000Z';
const USER = {
  user_id: required(text({ doc: 'Your own id of the user, percent-encoded.', example: 'ada' })),
};

export const userOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/users/{user_id}',
    id: 'getUser',
    group,
    summary: 'Show what a user has connected and granted, whatever the state of the tokens',
    description:
      'For the application itself, by its secret: it shows accounts and grants, and no token or password.',
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
    summary: 'Forget a user: accounts, copies of calendars, grants and tokens',
    description:
      'A user that does not exist is no error: the call may be repeated. On SQLite the deleted data leaves the disk before the response. Calls within one second share this, so each waits up to a second.',
    callers: ['application'],
    pathFields: USER,
    answer: {
      description: 'The receipt of the deletion. For a user that does not exist only `success`.',
      schema: Type.Object({
        success: Type.Literal(true),
        receipt: Type.Optional(Receipt),
        accessToEnd: Type.Optional(Type.Integer({ description: toEnd })),
        offDisk: Type.Optional(Type.Boolean({ description: offDisk })),
      }),
      example: { success: true, receipt: { deletedAt: AT, ...HAD }, accessToEnd: 1, offDisk: true },
    },
    errors: [...badClients],
  },
];
