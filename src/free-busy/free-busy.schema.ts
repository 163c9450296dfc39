/** GET /free-busy and POST /availability for the API reference. */
import { Type } from 'typebox';
import { badBodies, badField, badTokens, refusal, unreadable } from '../http/error.schema.ts';
import { instant, type Operation } from '../http/operation.ts';
import { badClients, oauthRefusal } from '../oauth/oauth.schema.ts';
import { errorsMember } from '../reading/calendar.schema.ts';
import { tooManyReads } from '../reading/events.schema.ts';
import { AVAILABILITY_REQUEST, FREE_BUSY_QUERY } from './availability-request.ts';

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
    body: { fields: AVAILABILITY_REQUEST, name: 'AvailabilityRequest', required: true },
    answer: { description: 'The slots.', schema: Availability, example: { slots: [SLOT] } },
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
