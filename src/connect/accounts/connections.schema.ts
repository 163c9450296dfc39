/** GET /connection-status and POST /disconnect (docs/wire.md 1.4, 1.5) for the API reference. */
import { type TSchema, Type } from 'typebox';

import { badField, badTokens } from '../../http/error.schema.ts';
import { enumeration, instant, type Operation } from '../../http/operation.ts';
import { ACTORS, Done } from '../../reading/calendar.schema.ts';
import { DISCONNECTION } from './connections.ts';

const Account = Type.Object(
  {
    id: Type.String({ description: 'The same value as `account` elsewhere.' }),
    display: Type.String(),
    grantedScopes: Type.Array(Type.String(), { description: 'The status that the provider states.' }),
    calendarPermissionGranted: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Null if the provider has no such permission, or if it is unknown.',
    }),
    syncState: enumeration(
      ['active', 'reauth_required'],
      '`reauth_required`: the provider refuses the account, and the user must reconnect it.',
    ),
    syncStateUpdatedAt: Type.Union([instant('When `syncState` last changed.'), Type.Null()], {
      description: 'Null if `syncState` has never changed.',
    }),
    health: Type.Object({
      state: enumeration(['active', 'degraded', 'reauth_required']),
      reason: Type.Optional(Type.String()),
      actor: Type.Optional(enumeration(ACTORS, 'The party that must act.')),
      message: Type.Optional(Type.String()),
      since: instant('When this state started.'),
    }),
    updates: enumeration(
      ['push', 'polling'],
      'Whether the provider sends push notifications of changes, or is polled.',
    ),
    lastSyncedAt: Type.Union(
      [instant('The time at which all calendars of the account last matched the provider.'), Type.Null()],
      {
        description: 'Null until the first sync of its calendars has finished.',
      },
    ),
    firstSync: Type.Optional(
      Type.Object(
        {
          calendars: Type.Integer({ description: '0 until the list of calendars was read.' }),
          calendarsRead: Type.Integer(),
          events: Type.Integer({ description: 'How many events were read, in all calendars.' }),
          eventsExpected: Type.Union([Type.Integer(), Type.Null()], {
            description:
              'How many events were listed so far. It grows when the next calendar is listed. Null for providers that do not list events before they send them.',
          }),
        },
        { description: 'The progress until all calendars were read. Absent after that.' },
      ),
    ),
  },
  { $id: 'Account' },
);

const accounts = Type.Array(Account);
const SINCE = '2026-11-01T08:00:00.000Z';

const ConnectionStatus: TSchema = Type.Object(
  {
    connections: Type.Object({ google: accounts, microsoft: accounts, apple: accounts, caldav: accounts }),
    limitReached: Type.Boolean(),
  },
  { $id: 'ConnectionStatus' },
);

export const connectionOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/connection-status',
    id: 'getConnectionStatus',
    group: 'Calendars and accounts',
    summary: 'Show the connected accounts of the user and their health',
    description: 'The accounts of the grant by provider, each with its problem and who can fix it.',
    callers: ['free-busy'],
    answer: {
      description: 'A list of accounts for each of the four providers.',
      schema: ConnectionStatus,
      example: {
        connections: {
          google: [
            {
              id: 'ada@example.com',
              display: 'ada@example.com',
              grantedScopes: ['https://www.googleapis.com/auth/calendar'],
              calendarPermissionGranted: true,
              syncState: 'active',
              syncStateUpdatedAt: null,
              health: { state: 'active', since: SINCE },
              updates: 'push',
              lastSyncedAt: SINCE,
            },
          ],
          microsoft: [],
          apple: [],
          caldav: [],
        },
        limitReached: false,
      },
    },
    errors: [...badTokens],
  },
  {
    method: 'post',
    path: '/disconnect',
    id: 'disconnectAccount',
    group: 'Calendars and accounts',
    summary: 'Disconnect an account, or all accounts of a provider',
    description:
      'The parameters can also be sent in a JSON body. An account that does not exist is not an error, so the request can be repeated.',
    callers: ['free-busy'],
    query: DISCONNECTION,
    answer: {
      description: 'The accounts are disconnected.',
      schema: Done,
      example: { success: true, message: 'Disconnected accounts: 1' },
    },
    errors: [badField('provider', 'is missing'), ...badTokens],
  },
];
