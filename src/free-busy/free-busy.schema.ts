/** GET /free-busy and POST /availability for the API reference. */
import { Type } from 'typebox';
import { badBodies, badField, badTokens, refusal, unreadable } from '../http/error.schema.ts';
import { anyObject, instant, type Operation, oneOf, query, required } from '../http/operation.ts';
import { badClients, oauthRefusal } from '../oauth/oauth.schema.ts';
import { errorsMember } from '../reading/calendar.schema.ts';
import { calendarIds, tooManyReads } from '../reading/events.schema.ts';

const TimeInterval = Type.Object(
  { start: instant('Inclusive.'), end: instant('Exclusive.') },
  { $id: 'TimeInterval' },
);

const FreeBusy = Type.Object(
  {
    start: instant('Of the window.'),
    end: instant('Of the window.'),
    busy: Type.Array(TimeInterval, { description: 'Disjoint and in order.' }),
    errors: errorsMember,
  },
  { $id: 'FreeBusy' },
);

const Availability = Type.Object(
  { slots: Type.Array(TimeInterval, { description: 'In order.' }), errors: errorsMember },
  { $id: 'Availability' },
);

const clock = Type.String({ pattern: '^\\d\\d:\\d\\d$' });
const minutes = (description: string, minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ description: `Minutes. ${description}`, minimum, maximum }));

const WorkingHours = Type.Object(
  {
    days: Type.Optional(
      Type.Array(oneOf(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']), {
        description: 'Monday to Friday when absent.',
      }),
    ),
    start: clock,
    end: clock,
    timeZone: Type.Optional(Type.String()),
  },
  { $id: 'WorkingHours', description: 'An end that is not after the start is on the next day.' },
);

const AvailabilityRequest = Type.Object(
  {
    start: Type.String({ description: 'A date and time.' }),
    end: Type.String({ description: 'A date and time within a year of `start`.' }),
    duration: Type.Integer({ description: 'Minutes.', minimum: 1, maximum: 10_080 }),
    step: minutes('Slots begin this far apart; 30 by default.', 1, 1_440),
    bufferBefore: minutes('Free time before the slot.', 0, 1_440),
    bufferAfter: minutes('Free time after it.', 0, 1_440),
    minimumNotice: minutes('The earliest start from now.', 0, 527_040),
    limit: Type.Optional(Type.Integer({ description: 'Of slots; 50 by default.', minimum: 1, maximum: 500 })),
    timeZone: Type.Optional(
      Type.String({ description: 'IANA: where all-day events and working hours are meant.' }),
    ),
    workingHours: Type.Optional(
      Type.Array(WorkingHours, { description: 'Any time when absent.', maxItems: 50 }),
    ),
    calendarIds: Type.Optional(
      Type.Union([anyObject('Ids by provider.'), Type.Array(Type.String())], {
        description: 'All calendars when absent; `primary` is the main one of each account.',
      }),
    ),
    user_ids: Type.Optional(
      Type.Array(Type.String(), {
        description: 'With HTTP Basic: the users who must all be free.',
        minItems: 1,
        maxItems: 20,
      }),
    ),
  },
  { $id: 'AvailabilityRequest' },
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
    parameters: [
      required(query('start', 'A date and time.', '2026-11-20T00:00:00Z')),
      required(query('end', 'Exclusive; within a year of `start`.', '2026-11-21T00:00:00Z')),
      calendarIds,
      query(
        'timeZone',
        'IANA: where all-day events are meant; each calendar’s own by default.',
        'Europe/Vienna',
      ),
    ],
    answer: {
      status: 200,
      description: 'The busy intervals.',
      schema: FreeBusy,
      example: { start: '2026-11-20T00:00:00.000Z', end: '2026-11-21T00:00:00.000Z', busy: [SLOT] },
    },
    refusals: [inOrder, ...badTokens, tooManyReads, ...unreadable],
  },
  {
    method: 'post',
    path: '/availability',
    id: 'findAvailability',
    group,
    summary: 'Slots in which the user, or all of several users, are free',
    description:
      'With an access token about its user; with HTTP Basic of the application about the users in `user_ids`.',
    callers: ['free-busy', 'application'],
    body: {
      schema: AvailabilityRequest,
      required: true,
      example: {
        start: '2026-11-20T00:00:00Z',
        end: '2026-11-21T00:00:00Z',
        duration: 30,
        timeZone: 'Europe/Vienna',
        workingHours: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' }],
      },
    },
    answer: { status: 200, description: 'The slots.', schema: Availability, example: { slots: [SLOT] } },
    refusals: [
      badField('duration', 'is missing'),
      oauthRefusal(
        'invalid_request',
        'HTTP Basic that cannot be read together with the rest.',
        'Use one way of client authentication: HTTP Basic or client_secret in the body, not both',
      ),
      tooManyReads,
      ...badTokens,
      ...badClients,
      refusal(403, 'client_authentication_required', {
        when: 'An access token asks about users beside its own.',
        message:
          'user_ids needs client authentication (HTTP Basic): an access token is for its own user alone',
      }),
      refusal(404, 'user_not_connected', {
        when: 'A user has no connected account.',
        message: 'The user ada has no connected calendar account',
        details: { user_ids: ['The user ada has no connected calendar account'] },
      }),
      ...badBodies,
      ...unreadable,
    ],
  },
];
