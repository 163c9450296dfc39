/** POST, PUT and DELETE /calendars (additive to the wire) for the API reference. */
import { Type } from 'typebox';
import { badField } from '../http/error.schema.ts';
import type { Operation } from '../http/operation.ts';
import { Calendar, calendarMembers, Done } from '../reading/calendar.schema.ts';
import { READING } from '../reading/read-error.ts';
import { CALENDAR_UPDATE, NEW_CALENDAR } from './calendar-input.ts';
import { WRITING } from './calendar-turn.ts';
import { ofAnyWrite, ofKey } from './events.schema.ts';
import { IDEMPOTENCY_KEY } from './idempotency.ts';
import { CALENDAR } from './write-requests.ts';

const CalendarAnswer = Type.Object(
  { success: Type.Literal(true), ...calendarMembers, calendar: Calendar },
  {
    $id: 'WrittenCalendar',
    description: 'The calendar’s members at the root, and the same calendar under `calendar`.',
  },
);

const EXAMPLE = {
  provider: 'google',
  account: 'ada@example.com',
  accountName: 'ada@example.com',
  id: 'c_1b2d3f@group.calendar.google.com',
  title: 'Bookings',
  timeZone: 'Europe/Vienna',
  primary: false,
  access: 'write',
  original: {},
};
const writeAnswer = {
  description: 'The calendar as `GET /calendars` answers it from now on.',
  schema: CalendarAnswer,
  example: { success: true, ...EXAMPLE, calendar: EXAMPLE },
};
const group = 'Calendars and accounts';

export const calendarWriteOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/calendars',
    id: 'createCalendar',
    group,
    summary: 'Create a calendar where the provider can',
    description: 'The account that it belongs to is named with the provider where the user has several.',
    callers: ['read-write'],
    headers: IDEMPOTENCY_KEY,
    body: { fields: NEW_CALENDAR, name: 'NewCalendar', required: true },
    answer: writeAnswer,
    errors: [
      badField('title', 'is missing'),
      ...ofAnyWrite,
      READING.account_not_found,
      ...ofKey,
      WRITING.field_not_supported_by_provider,
      WRITING.calendar_creation_not_supported_by_provider,
    ],
  },
  {
    method: 'put',
    path: '/calendars',
    id: 'updateCalendar',
    group,
    summary: 'Rename, recolour or describe a calendar',
    description:
      'Fields that are absent stay as they are. Fields that the provider does not let others change are refused by name.',
    callers: ['read-write'],
    body: {
      fields: CALENDAR_UPDATE,
      name: 'CalendarUpdate',
      description: 'An absent field stays as it is; an empty `description` removes it.',
      required: true,
    },
    answer: writeAnswer,
    errors: [badField('calendarId', 'is missing'), ...ofAnyWrite, WRITING.field_not_supported_by_provider],
  },
  {
    method: 'delete',
    path: '/calendars',
    id: 'deleteCalendar',
    group,
    summary: 'Delete a calendar with all its events',
    description: 'The parameters may stand in a JSON body instead; the query wins.',
    callers: ['read-write'],
    query: CALENDAR,
    answer: {
      description: 'It is gone.',
      schema: Done,
      example: { success: true, message: 'The calendar was deleted' },
    },
    errors: [badField('calendarId', 'is missing'), ...ofAnyWrite, WRITING.calendar_not_deletable],
  },
];
