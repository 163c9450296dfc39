/** GET /calendars (docs/wire.md 1.6) for the API reference. */
import { Type } from 'typebox';
import { badTokens, smallScope } from '../http/error.schema.ts';
import type { Operation } from '../http/operation.ts';
import { Calendar, unreadable } from './calendar.schema.ts';

const NO_CALENDAR_LIST = 'Calendar list access is forbidden for free-busy scope';

export const calendarOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/calendars',
    id: 'listCalendars',
    group: 'Calendars and accounts',
    summary: 'The calendars of all connected accounts',
    description:
      'Grouped by provider: google, microsoft, apple, caldav. The header `Kalends-Errors` lists the accounts that could not be synced, as JSON.',
    callers: ['read'],
    answer: {
      description: 'The calendars.',
      schema: Type.Array(Calendar),
      example: [
        {
          provider: 'google',
          account: 'ada@example.com',
          accountName: 'ada@example.com',
          id: 'ada@example.com',
          title: 'Ada',
          timeZone: 'Europe/Vienna',
          color: '#0b8043',
          primary: true,
          access: 'write',
          original: {},
        },
      ],
      headers: { 'Kalends-Errors': 'A JSON list of ReadProblem. Absent if there are none.' },
    },
    errors: [...badTokens, smallScope(NO_CALENDAR_LIST, NO_CALENDAR_LIST), ...unreadable],
  },
];
