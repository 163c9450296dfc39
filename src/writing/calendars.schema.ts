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
    description: 'The fields of the calendar, and the same calendar again under `calendar`.',
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
  description: 'The calendar as `GET /calendars` now returns it.',
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
    summary: 'Create a calendar, if the provider supports it',
    description: 'If the user has several accounts at the provider, name one in `account`.',
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
    summary: 'Change the name, color or description of a calendar',
    description:
      'Omitted fields do not change. A field that the provider does not let applications change is refused by name.',
    callers: ['read-write'],
    body: {
      fields: CALENDAR_UPDATE,
      name: 'CalendarUpdate',
      description: 'Omitted fields do not change. An empty `description` removes it.',
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
    description: 'The parameters can also be sent in a JSON body. The query has precedence.',
    callers: ['read-write'],
    query: CALENDAR,
    answer: {
      description: 'The calendar was deleted.',
      schema: Done,
      example: { success: true, message: 'The calendar was deleted' },
    },
    errors: [badField('calendarId', 'is missing'), ...ofAnyWrite, WRITING.calendar_not_deletable],
  },
];
