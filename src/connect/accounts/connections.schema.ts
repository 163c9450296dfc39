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
    grantedScopes: Type.Array(Type.String(), { description: 'The provider’s own.' }),
    calendarPermissionGranted: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Null where the provider has no such permission, or it is not known.',
    }),
    syncState: enumeration(
      ['active', 'reauth_required'],
      '`reauth_required`: the provider refuses it, and the user must connect it again.',
    ),
    syncStateUpdatedAt: Type.Union([instant('When it last changed.'), Type.Null()], {
      description: 'Null until it first changes.',
    }),
    health: Type.Object({
      state: enumeration(['active', 'degraded', 'reauth_required']),
      reason: Type.Optional(Type.String()),
      actor: Type.Optional(enumeration(ACTORS, 'Who must act.')),
      message: Type.Optional(Type.String()),
      since: instant('Since when.'),
    }),
    updates: enumeration(
      ['push', 'polling'],
      'Whether its provider sends push notifications of changes, or is polled.',
    ),
    lastSyncedAt: Type.Union(
      [instant('When all of its calendars were last known to be as they are at the provider.'), Type.Null()],
      {
        description: 'Null until its calendars were read for the first time.',
      },
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
    summary: 'Which accounts the user has connected, and how they do',
    description: 'The accounts of the grant by provider, each with its problem and with who can fix it.',
    callers: ['free-busy'],
    answer: {
      description: 'All four providers, each with a list.',
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
    summary: 'Disconnect an account, or all of a provider',
    description:
      'The parameters may stand in a JSON body instead. An account that is not there is no error: the call may be repeated.',
    callers: ['free-busy'],
    query: DISCONNECTION,
    answer: {
      description: 'Done.',
      schema: Done,
      example: { success: true, message: 'Disconnected accounts: 1' },
    },
    errors: [badField('provider', 'is missing'), ...badTokens],
  },
];
