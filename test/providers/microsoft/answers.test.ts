/** The Microsoft adapter against answers that no sandbox gives at will: each test says what Graph answers. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';

import type {
  AccountSession,
  CalendarAccount,
  OAuthCredentials,
} from '../../../src/calendars/calendar-provider.ts';
import { ProviderError, type ProviderErrorKind } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { microsoftProvider } from '../../../src/providers/microsoft/microsoft-provider.ts';
import { close, listen } from '../../harness/loopback.ts';
import { type Canary, startCanary } from '../../servers/canary.ts';
import { type Mirror, sync, titles } from '../../servers/mirror.ts';
import { recordingLog } from '../../servers/recording-log.ts';

type Answer = {
  readonly status?: number;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: unknown;
};

/** A function sees the whole request. */
type Scripted = Answer | ((url: URL, headers: http.IncomingHttpHeaders) => Answer);
/** By the end of a request's path. */
type Answers = ReadonlyMap<RegExp, Scripted>;

const NOW = Date.UTC(2026, 10, 18, 12);
const DAY = 86_400_000;
const LINK = '/v1.0/me/calendars/cal/calendarView/delta?$deltatoken=';

describe('The Microsoft adapter', () => {
  let server: http.Server;
  let canary: Canary;
  let egress: Egress;
  let origin: string;
  let now: number;
  /** Responses to the next requests. */
  let answers: Answers;
  let calls: { url: string; authorization: string | undefined; prefer: unknown }[];
  const { log, entries } = recordingLog();

  before(async () => {
    canary = await startCanary();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    server = http.createServer(({ url = '', headers }, response) => {
      calls.push({ url, authorization: headers.authorization, prefer: headers.prefer });
      const target = new URL(url, 'http://graph.test');
      const reply = [...answers].find(([path]) => path.test(target.pathname + target.search))?.[1];
      const answer = typeof reply === 'function' ? reply(target, headers) : reply;
      const { status = answer === undefined ? 404 : 200, body = {}, headers: more = {} } = answer ?? {};
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    origin = await listen(server);
  });
  beforeEach(() => {
    calls = [];
    now = NOW;
  });
  after(async () => {
    await egress.close();
    await canary.stop();
    await close(server);
  });

  const session: AccountSession = {
    accessToken: async () => 'first',
    renewAccessToken: async (refused) => `after ${refused}`,
    limited: (_operation, request) => request(),
  };
  function open(scopes = ['Calendars.Read']): CalendarAccount {
    const deps = { egress, log, now: () => now, apiUrl: `${origin}/v1.0`, issuer: `${origin}/common/v2.0` };
    const credentials: OAuthCredentials = {
      accessToken: 'first',
      refreshToken: undefined,
      expiresAt: 0,
      scopes,
      appClientId: 'app',
      issuedAt: 0,
    };
    return microsoftProvider(deps).open(credentials, session);
  }

  describe('takes an answer', () => {
    const refusals: readonly (readonly [number, string, ProviderErrorKind, http.OutgoingHttpHeaders?])[] = [
      [401, 'InvalidAuthenticationToken', 'unauthorized'],
      [403, 'ErrorAccessDenied', 'permission_missing'],
      [404, 'ErrorItemNotFound', 'not_found'],
      [400, 'ErrorInvalidIdMalformed', 'not_found'],
      [404, 'MailboxNotEnabledForRESTAPI', 'no_calendars'],
      [410, 'SyncStateNotFound', 'sync_token_expired'],
      [400, 'SyncStateInvalid', 'sync_token_expired'],
      [410, 'resyncRequired', 'sync_token_expired'],
      [429, 'ApplicationThrottled', 'rate_limited', { 'retry-after': '7' }],
      [503, 'ServiceUnavailable', 'rate_limited', { 'retry-after': '7' }],
      [503, 'ServiceUnavailable', 'unavailable'],
      [500, 'UnknownError', 'unavailable'],
      [504, 'UnknownError', 'unavailable'],
      [400, 'BadRequest', 'invalid_response'],
    ];
    for (const [status, code, kind, headers] of refusals)
      it(`an answer of ${status} ${code}${headers ? ' with Retry-After' : ''} is taken for ${kind}`, async () => {
        const body = { error: { code, message: 'Why' } };
        answers = new Map([[/calendars/, { status, body, headers: headers ?? {} }]]);

        const failure = await open()
          .listCalendars()
          .catch((reason: unknown) => reason);

        assert.ok(failure instanceof ProviderError);
        assert.deepEqual([failure.kind, failure.retryAfter], [kind, headers ? 7000 : undefined]);
      });

    const unreadable: readonly (readonly [string, unknown])[] = [
      ['that is no JSON', '<html>'],
      ['that is no object', '[]'],
      ['without a list', {}],
      ['that links to a foreign address', { value: [], '@odata.nextLink': 'https://graph.example/next' }],
    ];
    for (const [name, body] of unreadable)
      it(`an answer ${name} is taken for invalid_response`, async () => {
        answers = new Map([[/calendars/, { body }]]);

        await assert.rejects(open().listCalendars(), { kind: 'invalid_response' });
      });
  });

  it('Microsoft’s access token never goes to an address outside of the API', async () => {
    const foreign = `http://127.0.0.1:${canary.port}/`;
    const leaks: readonly Answer[] = [
      { body: { value: [], '@odata.nextLink': `${foreign}next` } },
      { status: 302, headers: { location: foreign } },
    ];
    for (const leak of leaks) {
      answers = new Map([[/calendars/, leak]]);
      await assert.rejects(open().listCalendars(), ProviderError);
    }

    assert.deepEqual(canary.requests, []);
  });

  it('retries at Graph with another access token if the first is refused, and not a third time', async () => {
    answers = new Map([
      [
        /calendars/,
        (_url, { authorization }) => ({
          status: authorization === 'Bearer first' ? 401 : 200,
          body: { value: [] },
        }),
      ],
    ]);
    assert.deepEqual(await open().listCalendars(), []);
    answers = new Map([[/calendars/, { status: 401 }]]);
    await assert.rejects(open().listCalendars(), { kind: 'unauthorized' });

    const tokens = calls.map(({ authorization }) => authorization);
    assert.deepEqual(tokens, ['Bearer first', 'Bearer after first', 'Bearer first', 'Bearer after first']);
  });

  it('every request to Graph prefers UTC, plain text and immutable ids', async () => {
    answers = fullCalendar([]);
    await sync(open(), 'cal', new Map());

    assert.ok(calls.length >= 2);
    for (const { prefer } of calls)
      assert.match(
        String(prefer),
        /outlook\.timezone="UTC", outlook\.body-content-type="text", IdType="ImmutableId"/,
      );
  });

  it('a grant for free-busy alone is asked for nothing that it may not see', async () => {
    answers = fullCalendar([]);
    await sync(open(['https://graph.microsoft.com/Calendars.ReadBasic']), 'cal', new Map());

    assert.ok(
      calls.every(({ url }) => !/body|attendees|singleValueExtendedProperties/.test(decodeURIComponent(url))),
    );
  });

  /** A calendar with these events, whose delta names none of them. */
  function fullCalendar(events: readonly object[], more: Answers = new Map()): Answers {
    return new Map<RegExp, Scripted>([
      ...more,
      [/calendarView\/delta/, () => ({ body: { value: [], '@odata.deltaLink': `${origin}${LINK}next` } })],
      [/events\?/, { body: { value: events } }],
    ]);
  }

  const event = (id: string, changeKey = 'one') => ({
    id,
    changeKey,
    type: 'singleInstance',
    subject: id,
    start: { dateTime: '2026-11-18T09:00:00.0000000', timeZone: 'UTC' },
    end: { dateTime: '2026-11-18T10:00:00.0000000', timeZone: 'UTC' },
  });

  it('Graph is asked once where nothing is new', async () => {
    answers = fullCalendar([event('a')]);
    const mirror: Mirror = new Map();
    const { next } = await sync(open(), 'cal', mirror);
    calls = [];

    await sync(open(), 'cal', mirror, next);

    assert.equal(calls.length, 1);
    assert.deepEqual(titles(mirror), ['a']);
  });

  it('a calendar is listed again in full if an older Kalends read less of its events', async () => {
    answers = fullCalendar([event('a')]);
    const { next } = await sync(open(), 'cal', new Map());
    const older = JSON.stringify({ ...JSON.parse(next), v: 1 });

    await assert.rejects(sync(open(), 'cal', new Map(), older), { kind: 'sync_token_expired' });
  });

  it('an event that only left the window is kept, and one that is gone is dropped', async () => {
    answers = fullCalendar([event('moved'), event('gone')]);
    const mirror: Mirror = new Map();
    const { next } = await sync(open(), 'cal', mirror);
    const removed = ['moved', 'gone'].map((id) => ({ id, '@removed': { reason: 'deleted' } }));
    answers = new Map([
      [/deltatoken/, { body: { value: removed, '@odata.deltaLink': `${origin}${LINK}2` } }],
      [/events\?/, { body: { value: [event('moved', 'two')] } }],
      [/events\/moved/, { body: { ...event('moved', 'two'), subject: 'far away' } }],
      [/events\/gone/, { body: event('gone', 'in Deleted Items') }],
    ]);

    await sync(open(), 'cal', mirror, next);

    assert.deepEqual(titles(mirror), ['far away']);
  });

  it('a calendar of Graph is compared whole every quarter of an hour, and what is missing looked for twice', async () => {
    answers = fullCalendar([event('same'), event('changed'), event('gone'), event('passed over')]);
    const mirror: Mirror = new Map();
    const { next } = await sync(open(), 'cal', mirror);
    const listed = [event('same'), event('changed', 'two'), event('new')];
    let listings = 0;
    answers = fullCalendar(
      [],
      new Map<RegExp, Scripted>([
        [
          /events\?/,
          () => {
            listings += 1;
            return { body: { value: listings === 1 ? listed : [...listed, event('passed over')] } };
          },
        ],
        [/events\/changed/, { body: { ...event('changed', 'two'), subject: 'changed twice' } }],
        [/events\/new/, { body: event('new') }],
        [/events\/passed%20over/, { body: event('passed over') }],
        [/events\/gone/, { body: event('gone', 'in Deleted Items') }],
      ]),
    );
    calls = [];
    now += 15 * 60_000;
    await sync(open(), 'cal', mirror, next);

    assert.deepEqual(titles(mirror), ['changed twice', 'new', 'passed over', 'same']);
    assert.ok(calls.every(({ url }) => !/events\/same/.test(url)));
  });

  it('what the delta named and the listing passed over is read where another listing names it', async () => {
    answers = new Map<RegExp, Scripted>([
      [
        /calendarView\/delta/,
        () => ({ body: { value: [event('b'), event('gone')], '@odata.deltaLink': `${origin}${LINK}1` } }),
      ],
      [/events\?\$select=id,changeKey,type&/, { body: { value: [event('a'), event('b')] } }],
      [/events\?/, { body: { value: [event('a')] } }],
      [/events\/b/, { body: event('b') }],
      [/events\/gone/, { body: event('gone') }],
    ]);
    const mirror: Mirror = new Map();

    await sync(open(), 'cal', mirror);

    assert.deepEqual(titles(mirror), ['a', 'b']);
  });

  it('a window that Graph cannot answer in time is halved', async () => {
    const windows: number[] = [];
    answers = fullCalendar(
      [event('a')],
      new Map([
        [
          /startDateTime/,
          ({ searchParams }) => {
            const [start = '', end = ''] = ['startDateTime', 'endDateTime'].map(
              (name) => searchParams.get(name) ?? '',
            );
            windows.push((Date.parse(end) - Date.parse(start)) / DAY);
            const tooLong = windows.length < 3;
            return {
              status: tooLong ? 504 : 200,
              body: { value: [], '@odata.deltaLink': `${origin}${LINK}1` },
            };
          },
        ],
      ]),
    );
    const mirror: Mirror = new Map();

    const { next } = await sync(open(), 'cal', mirror);

    assert.deepEqual(windows, [1095, 548, 274]);
    assert.deepEqual(titles(mirror), ['a']);
    answers = new Map<RegExp, Scripted>([[/deltatoken/, { status: 504 }], ...answers]);
    await sync(open(), 'cal', mirror, next);
    assert.equal(windows.at(-1), 137);
  });

  it('while its window is shorter, everything is compared each time, and the whole one is tried the next day', async () => {
    const slow = new Map<RegExp, Scripted>([
      [
        /startDateTime=2025-11-18/,
        { status: 504, body: { error: { code: 'UnknownError', message: 'Timed out' } } },
      ],
    ]);
    answers = fullCalendar([event('a')], slow);
    const mirror: Mirror = new Map();
    const { next } = await sync(open(), 'cal', mirror);
    answers = fullCalendar(
      [event('a'), event('far')],
      new Map<RegExp, Scripted>([...slow, [/events\/far/, { body: event('far') }]]),
    );

    const { next: later } = await sync(open(), 'cal', mirror, next);

    assert.deepEqual(titles(mirror), ['a', 'far']);
    now += DAY;
    calls = [];
    await sync(open(), 'cal', mirror, later);
    assert.ok(calls.some(({ url }) => url.includes('startDateTime=2025-11-19')));
  });

  it('the window at Graph moves once a month', async () => {
    answers = fullCalendar([event('a')]);
    const mirror: Mirror = new Map();
    const { next } = await sync(open(), 'cal', mirror);
    now += 31 * DAY;
    calls = [];

    await sync(open(), 'cal', mirror, next);

    assert.ok(calls.some(({ url }) => url.includes('startDateTime=2025-12-19T00:00:00Z')));
  });

  it('a sync token that was not written for this API is not followed', async () => {
    answers = fullCalendar([]);
    const { next } = await sync(open(), 'cal', new Map());
    const foreign = next.replace(origin, `http://127.0.0.1:${canary.port}`);

    for (const token of ['', 'nonsense', '{}', '[]', '{"v":1}', foreign])
      await assert.rejects(sync(open(), 'cal', new Map(), token), { kind: 'sync_token_expired' });
    assert.deepEqual(canary.requests, []);
  });

  it('an event from Graph that cannot be read is skipped and logged', async () => {
    answers = fullCalendar([event('good'), { ...event('bad'), start: null }]);
    const mirror: Mirror = new Map();
    entries.length = 0;

    await sync(open(), 'cal', mirror);

    assert.deepEqual(titles(mirror), ['good']);
    assert.equal(entries.filter(({ level }) => level === 'warn').length, 1);
  });

  it('an event that can no longer be read leaves the mirror, and is not read again before it is another', async () => {
    const listing = (bad: object) => {
      answers = fullCalendar([event('good'), bad], new Map([[/events\/bad/, { body: bad }]]));
      now += 15 * 60_000;
      calls = [];
    };
    const mirror: Mirror = new Map();
    listing(event('bad'));
    const { next } = await sync(open(), 'cal', mirror);

    listing({ ...event('bad', 'two'), start: null });
    await sync(open(), 'cal', mirror, next);
    assert.deepEqual(titles(mirror), ['good']);
    listing({ ...event('bad', 'two'), start: null });
    await sync(open(), 'cal', mirror, next);
    assert.ok(calls.every(({ url }) => !/events\/bad/.test(url)));

    listing(event('bad', 'three'));
    await sync(open(), 'cal', mirror, next);
    assert.deepEqual(titles(mirror), ['bad', 'good']);
  });
});
