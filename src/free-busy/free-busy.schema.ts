/** GET /free-busy and POST /availability for the API reference. */
import { Type } from 'typebox';
import { badBodies, badField, badTokens } from '../http/error.schema.ts';
import { instant, type Operation } from '../http/operation.ts';
import { badClients, invalid } from '../oauth/oauth.schema.ts';
import { errorsMember, unreadable } from '../reading/calendar.schema.ts';
import { QUERY } from '../reading/events-query.ts';
import { FREE_BUSY } from './availability.ts';
import { AVAILABILITY_REQUEST, FREE_BUSY_QUERY } from './availability-request.ts';

const TimeInterval = Type.Object(
  { start: instant('The start, inclusive.'), end: instant('The end, exclusive.') },
  { $id: 'TimeInterval' },
);

const FreeBusy = Type.Object(
  {
    start: instant('The start of the window.'),
    end: instant('The end of the window, exclusive.'),
    busy: Type.Array(TimeInterval, { description: 'Disjoint and in order.' }),
    errors: errorsMember,
  },
  { $id: 'FreeBusy' },
);

const Availability = Type.Object(
  {
    slots: Type.Array(TimeInterval, { description: 'The free slots, in order of time.' }),
    errors: errorsMember,
  },
  { $id: 'Availability' },
);

const group = 'Free time';
const SLOT = { start: '2026-11-20T09:00:00.000Z', end: '2026-11-20T09:30:00.000Z' };
const inOrder = badField('start', 'must be before end');

export const freeBusyOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/free-busy',
    id: 'getFreeBusy',
    group,
    summary: 'When the user is busy, merged over all calendars',
    description: 'Free, cancelled and declined events do not block; tentative ones and absences do.',
    callers: ['free-busy'],
    query: FREE_BUSY_QUERY,
    answer: {
      description: 'The busy intervals.',
      schema: FreeBusy,
      example: { start: '2026-11-20T00:00:00.000Z', end: '2026-11-21T00:00:00.000Z', busy: [SLOT] },
    },
    errors: [inOrder, ...badTokens, QUERY.too_many_reads, ...unreadable],
  },
  {
    method: 'post',
    path: '/availability',
    id: 'findAvailability',
    group,
    summary: 'Slots in which the user, or all of several users, are free',
    description:
      'With an access token, for its user. With HTTP Basic of the application, for the users in `user_ids`.',
    callers: ['free-busy', 'application'],
    body: {
      fields: AVAILABILITY_REQUEST,
      name: 'AvailabilityRequest',
      shows: ['start', 'end', 'duration', 'timeZone', 'workingHours'],
      showsToo: { application: ['user_ids'] },
      required: true,
    },
    answer: { description: 'The slots.', schema: Availability, example: { slots: [SLOT] } },
    errors: [
      badField('duration', 'is missing'),
      invalid(
        'HTTP Basic is combined with other client authentication.',
        'Use one way of client authentication: HTTP Basic or client_secret in the body, not both',
      ),
      QUERY.too_many_reads,
      ...badTokens,
      ...badClients,
      FREE_BUSY.client_authentication_required,
      FREE_BUSY.user_not_connected,
      ...badBodies,
      ...unreadable,
    ],
  },
];
