/** Every request to the sandbox's Google gets a response, and never an internal error. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import fc from 'fast-check';

import { rounds } from '../../harness/rounds.ts';
import { ADA, APP, CALLBACK, type OpenGoogle, openGoogle, signIn } from './google-client.ts';

const RUNS = { numRuns: rounds(100) };

const word = fc.constantFrom(
  '',
  'primary',
  'null',
  '0',
  '-1',
  'true',
  '2026-11-23',
  '2026-11-23T09:00:00Z',
  '../x',
);
const text = fc.oneof(word, fc.string({ maxLength: 20 }));
const names = fc.constantFrom(
  ...['syncToken', 'pageToken', 'timeMin', 'timeMax', 'maxResults', 'orderBy', 'singleEvents', 'showDeleted'],
  ...['timeZone', 'q', 'iCalUID', 'eventTypes', 'updatedMin', 'originalStart', 'conferenceDataVersion'],
);
const time = fc.record({ date: text, dateTime: text, timeZone: text }, { requiredKeys: [] });
const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text);
const field = fc.oneof(json, time);
const body = fc.oneof(
  fc.record(
    {
      id: json,
      summary: json,
      status: json,
      start: fc.oneof(field, fc.constant({ date: '2026-11-23' })),
      end: fc.oneof(field, fc.constant({ date: '2026-11-24' })),
      recurrence: fc.oneof(
        json,
        fc.array(fc.constantFrom('RRULE:FREQ=DAILY', 'RDATE:x', 'EXDATE;TZID=x:20261123', 'x')),
      ),
      attendees: fc.oneof(json, fc.array(json, { maxLength: 2 })),
      conferenceData: fc.oneof(
        json,
        fc.record({ createRequest: json, entryPoints: fc.array(json, { maxLength: 2 }) }),
      ),
      extendedProperties: fc.oneof(json, fc.record({ private: json })),
      type: json,
      address: text,
      token: json,
      params: json,
      expiration: json,
      resourceId: json,
      timeMin: text,
      timeMax: text,
      timeZone: json,
      items: json,
    },
    { requiredKeys: [] },
  ),
  json,
);

describe('whatever is sent to the sandbox’s Google', () => {
  let open: OpenGoogle;
  let token: string;
  before(async () => {
    open = await openGoogle();
    const scope = 'openid email https://www.googleapis.com/auth/calendar';
    token = (await signIn(open.google, { scope })).access_token;
  });

  const makeSeries = () =>
    open.google.manual.createEvent(ADA.email, ADA.email, {
      title: 'Daily',
      start: { dateTime: '2026-11-23T09:00:00', timeZone: 'UTC' },
      end: { dateTime: '2026-11-23T10:00:00', timeZone: 'UTC' },
      recurrence: { frequency: 'daily', count: 3 },
    });
  const answered = async (response: Response) => {
    const answerText = await response.text();
    assert.ok(response.status < 500, `${response.status} ${answerText}`);
    if (response.status >= 400) assert.ok(answerText.length > 20, 'An error says what is wrong');
  };

  it('the Calendar API answers whatever is sent to it, and refuses it with words', async () => {
    const paths = fc.constantFrom(
      ...[
        '/users/me/calendarList',
        '/calendars',
        '/calendars/primary',
        '/calendars/primary/events',
        '/freeBusy',
      ],
      ...[
        '/calendars/primary/events/watch',
        '/channels/stop',
        '/users/me/calendarList/watch',
        '/calendars/%E0/events',
      ],
      ...[
        '/calendars/primary/events/EVENT',
        '/calendars/primary/events/EVENT/instances',
        '/nothing',
        '/calendars//events',
      ],
      ...['/calendars/primary/events/EVENT_20261124T090000Z', '/calendars/primary/events/EVENT_99999999'],
    );
    const methods = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE');
    const query = fc.array(fc.tuple(names, text), { maxLength: 3 });

    await fc.assert(
      fc.asyncProperty(methods, paths, query, body, async (method, path, parameters, sent) => {
        const search = new URLSearchParams(parameters.map(([name, value]) => [name, value]));
        const url = `${open.google.apiUrl}${path.replace('EVENT', await makeSeries())}?${search}`;
        const headers = { authorization: `Bearer ${token}` };
        const init =
          method === 'GET' ? { method, headers } : { method, headers, body: JSON.stringify(sent) ?? '' };
        await answered(await fetch(url, init));
      }),
      RUNS,
    );
  });

  it('the OAuth endpoints answer whatever is sent to them, and refuse it with words', async () => {
    const fields = fc.dictionary(
      fc.constantFrom(
        ...[
          'grant_type',
          'code',
          'redirect_uri',
          'client_id',
          'client_secret',
          'code_verifier',
          'refresh_token',
        ],
        ...[
          'token',
          'transaction',
          'account',
          'decision',
          'scope',
          'response_type',
          'state',
          'code_challenge',
        ],
      ),
      fc.oneof(
        text,
        fc.constantFrom('refresh_token', 'authorization_code', APP.clientId, APP.clientSecret, CALLBACK),
      ),
    );
    const paths = fc.constantFrom(
      '/token',
      '/revoke',
      '/signin/account',
      '/signin/consent',
      '/o/oauth2/v2/auth',
      '/v1/userinfo',
    );
    const authorization = fc.oneof(
      text.map((value) => `Basic ${Buffer.from(value).toString('base64')}`),
      fc.constant('Bearer x'),
      fc.constant(''),
    );

    await fc.assert(
      fc.asyncProperty(paths, fields, authorization, async (path, sent, header) => {
        const form = new URLSearchParams(sent);
        const headers = { authorization: header };
        const isGet = path.startsWith('/o/') || path.startsWith('/v1/');
        const url = `${open.google.issuer}${path}${isGet ? `?${form}` : ''}`;
        await answered(await fetch(url, isGet ? { headers } : { method: 'POST', headers, body: form }));
      }),
      RUNS,
    );
  });
});
