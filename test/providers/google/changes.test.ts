/** Following Google's events: every page, every deletion, and a reason for every refusal. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { calendar_v3 } from '@googleapis/calendar';

import type { Changes, OAuthCredentials } from '../../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { googleProvider } from '../../../src/providers/google/google-provider.ts';
import { type GoogleAnswer, OddGoogle } from '../../servers/odd-google.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { failsAs } from './failure.ts';
import { sessionOf } from './google-session.ts';

const AUTH = 'https://www.googleapis.com/auth/calendar';
const app = { clientId: 'app-1', clientSecret: 'secret-1' };
const credentials: OAuthCredentials = {
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  expiresAt: Number.MAX_SAFE_INTEGER,
  scopes: [`${AUTH}.events.readonly`, `${AUTH}.calendarlist.readonly`],
  appClientId: 'app-1',
  issuedAt: 0,
};

const single = (id: string, more: calendar_v3.Schema$Event = {}): calendar_v3.Schema$Event => ({
  id,
  summary: id,
  start: { dateTime: '2026-11-23T09:00:00+01:00', timeZone: 'Europe/Paris' },
  end: { dateTime: '2026-11-23T10:00:00+01:00', timeZone: 'Europe/Paris' },
  ...more,
});
const exception = (series: string, day: number, more: calendar_v3.Schema$Event = {}) =>
  single(`${series}_202611${day}T080000Z`, {
    recurringEventId: series,
    originalStartTime: { dateTime: `2026-11-${day}T09:00:00+01:00`, timeZone: 'Europe/Paris' },
    ...more,
  });
const cancelled = { status: 'cancelled' };

describe('following Google’s events', () => {
  let egress: Egress;
  let server: OddGoogle;
  const { log, entries } = recordingLog();
  before(async () => {
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    server = await OddGoogle.start();
  });
  beforeEach(() => {
    server.odd = () => undefined;
    server.events = [];
    server.pageSize = 1_000;
    server.calls.length = 0;
  });
  after(async () => {
    await egress?.close();
    await server?.stop();
  });

  const opened = (current: OAuthCredentials = credentials) => {
    const { origin: issuer } = server;
    const provider = googleProvider({ egress, issuer, apiUrl: `${issuer}/v3`, log, now: Date.now });
    const session = sessionOf(provider, app, current);
    return { account: provider.open(current, session), session };
  };
  const storedVersions = async () => new Map<string, string | undefined>();
  async function follow(token?: string, current = credentials) {
    const parts: Changes[] = [];
    for await (const part of opened(current).account.changesSince('a/b@group', token, storedVersions))
      parts.push(part);
    return {
      parts,
      changed: parts.flatMap(({ changed }) => changed.map(({ href }) => href)),
      removed: parts.flatMap(({ removed }) => removed),
      next: parts.map(({ next }) => next),
      complete: parts.every((part) => part.complete),
    };
  }
  const answering = (answer: GoogleAnswer) => {
    server.odd = ({ path }) => (path.startsWith('/v3/') ? answer : undefined);
  };
  /** A token of a first sync, after which the server answers with these events. */
  async function tokenBefore(...events: calendar_v3.Schema$Event[]): Promise<string> {
    const { next } = await follow();
    server.events = events;
    server.calls.length = 0;
    return next.at(-1) ?? '';
  }

  it('a first sync at Google lists everything page by page, each a part of a complete listing, the token with the last', async () => {
    server.events = [
      single('a'),
      single('b'),
      single('s', { recurrence: ['RRULE:FREQ=WEEKLY'] }),
      exception('s', 30),
    ];
    server.pageSize = 2;

    const { changed, removed, next, complete } = await follow();

    assert.deepEqual(changed, ['a', 'b', 's', 's_20261130T080000Z']);
    assert.deepEqual(removed, []);
    assert.equal(complete, true);
    assert.deepEqual(next, [undefined, undefined, 'words sync-1']);
    assert.deepEqual(
      server.calls.map(({ path, query }) => [path, Object.fromEntries(query)]),
      [
        ['/v3/calendars/a%2Fb%40group/events', { maxResults: '2500', singleEvents: 'false' }],
        ['/v3/calendars/a%2Fb%40group/events', { maxResults: '2500', singleEvents: 'false', pageToken: '2' }],
      ],
    );
  });

  it('Google is asked once when nothing changed', async () => {
    const token = await tokenBefore();

    const { changed, removed, next, complete } = await follow(token);

    assert.deepEqual([changed, removed, complete], [[], [], false]);
    assert.equal(next.at(-1), 'words sync-1');
    assert.equal(server.calls.length, 1);
    assert.equal(server.calls[0]?.query.get('syncToken'), 'sync-1');
    assert.equal(server.calls[0]?.authorization, 'Bearer access-1');
  });

  it('distinguishes Google’s deleted events from cancelled instances of a series that still exists', async () => {
    const token = await tokenBefore(single('a', cancelled), exception('s', 30, cancelled), single('b'));

    const { changed, removed } = await follow(token);

    assert.deepEqual(changed, ['b', 's_20261130T080000Z']);
    assert.deepEqual(removed, ['a']);
  });

  it('what is gone is removed before the last part, so that an instance somebody is left with stays', async () => {
    const token = await tokenBefore(
      exception('s', 23),
      exception('s', 30, cancelled),
      single('x'),
      single('s', cancelled),
    );
    server.pageSize = 2;

    const { parts } = await follow(token);

    const at = parts.findIndex(({ removed }) => removed.includes('s'));
    const [last] = parts.filter(({ changed }) => changed.some(({ seriesId }) => seriesId === 's'));
    assert.ok(at >= 0 && last !== undefined && parts.indexOf(last) > at);
    assert.deepEqual(
      last.changed.map(({ href }) => href),
      ['s_20261123T080000Z'],
    );
    assert.deepEqual(last.removed, ['s_20261130T080000Z']);
  });

  it('working locations are left out, and what cannot be read is said in the log', async () => {
    server.events = [
      single('w', { eventType: 'workingLocation' }),
      single('bad', { start: {} }),
      single('good'),
    ];

    const { changed } = await follow();

    assert.deepEqual(changed, ['good']);
    assert.ok(entries.some(({ fields }) => 'href' in fields && fields.href === 'bad'));
  });

  it('unreadable events come with the last part and name their series; one without an id is only logged', async () => {
    const bad = exception('s', 30, { start: {} });
    const token = await tokenBefore(bad, single('x', { start: {} }), single('', { start: {} }), single('s'));
    entries.length = 0;

    const { parts } = await follow(token);

    const reason = 'it has no readable time';
    const left = { kind: 'unreadable', etag: undefined, reason };
    assert.deepEqual(
      parts
        .map(({ leftOut = [] }) => leftOut)
        .slice(0, -2)
        .flat(),
      [],
    );
    assert.deepEqual(parts.at(-2)?.leftOut, [
      { ...left, href: 's_20261130T080000Z', seriesId: 's' },
      { ...left, href: 'x' },
    ]);
    assert.equal(entries.length, 3);
  });

  it('Google’s events are listed again in full when the grant shows more, or less, than the sync token’s', async () => {
    const token = await tokenBefore();
    const busy = { ...credentials, scopes: [`${AUTH}.events.freebusy`, `${AUTH}.calendarlist.readonly`] };

    await assert.rejects(follow(token, busy), failsAs('sync_token_expired'));
    assert.equal((await follow(undefined, busy)).next.at(-1), 'busy sync-1');
    assert.equal(server.calls.length, 1);
  });

  for (const status of [410, 400]) {
    it(`Google’s ${status} to a sync token is taken for one that is forgotten`, async () => {
      const token = await tokenBefore();
      answering({ status, body: { error: { code: status, errors: [{ reason: 'fullSyncRequired' }] } } });

      await assert.rejects(follow(token), failsAs('sync_token_expired'));
    });
  }

  const error = (code: number, reason?: string) => ({
    status: code,
    body: { error: { code, message: 'No', errors: reason === undefined ? [] : [{ domain: 'x', reason }] } },
  });
  const info = (code: number, reason: string) => ({
    status: code,
    body: { error: { code, message: 'No', details: [{ reason }] } },
  });
  const refusals: [answer: GoogleAnswer, kind: string, reason?: string][] = [
    [error(403, 'rateLimitExceeded'), 'rate_limited', 'quota_exhausted'],
    [error(403, 'userRateLimitExceeded'), 'rate_limited', 'user_quota_exhausted'],
    [error(403, 'quotaExceeded'), 'rate_limited', 'user_quota_exhausted'],
    [error(429, 'rateLimitExceeded'), 'rate_limited', 'quota_exhausted'],
    [error(429), 'rate_limited', 'quota_exhausted'],
    [error(403, 'insufficientPermissions'), 'permission_missing', 'calendar_permission_missing'],
    [info(403, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'), 'permission_missing', 'calendar_permission_missing'],
    [error(403, 'accessNotConfigured'), 'misconfigured', 'provider_not_set_up'],
    [error(403, 'domainPolicy'), 'permission_missing', 'admin_consent_required'],
    [error(403, 'notACalendarUser'), 'no_calendars'],
    [error(403, 'forbidden'), 'not_found'],
    [error(403, 'constructor'), 'not_found'],
    [error(404, 'notFound'), 'not_found'],
    [error(410, 'gone'), 'unavailable', 'provider_unavailable'],
    [error(400, 'badRequest'), 'invalid_response', 'provider_answer_unreadable'],
    [error(500, 'backendError'), 'unavailable', 'provider_unavailable'],
    [{ status: 503, body: '<html>out of order</html>' }, 'unavailable', 'provider_unavailable'],
    [{ status: 200, body: '{"items":[' }, 'invalid_response', 'provider_answer_unreadable'],
    [{ status: 200, body: '[]' }, 'invalid_response', 'provider_answer_unreadable'],
    [
      { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
      'invalid_response',
      'provider_answer_unreadable',
    ],
    [
      { status: 200, body: { items: [], nextPageToken: 'again' } },
      'invalid_response',
      'provider_answer_unreadable',
    ],
  ];
  for (const [answer, kind, reason] of refusals) {
    it(`Google’s ${answer.status} ${JSON.stringify(answer.body)} is taken for ${kind}, ${reason}`, async () => {
      answering(answer);

      await assert.rejects(follow(), failsAs(kind, reason));
    });
  }

  it('a sync tells how long Google asks to wait', async () => {
    answering({ ...error(403, 'userRateLimitExceeded'), headers: { 'retry-after': '17' } });

    await assert.rejects(
      follow(),
      (failure) => failure instanceof ProviderError && failure.retryAfter === 17_000,
    );
  });

  it('an answer that breaks off is taken for an unavailable provider', async () => {
    answering({
      status: 200,
      body: '{"items":[]',
      headers: { 'content-length': '400', connection: 'close' },
    });

    await assert.rejects(follow(), failsAs('unavailable', 'provider_unavailable'));
  });

  it('a refused token is renewed once, and the user must act when that does not help', async () => {
    answering(error(401, 'authError'));
    const { account, session } = opened();

    await assert.rejects(account.listCalendars(), failsAs('unauthorized', 'access_revoked'));
    assert.equal(server.calls.filter(({ path }) => path === '/token').length, 1);
    assert.deepEqual(session.operations, ['calendarList.list', 'calendarList.list']);
  });

  it('the access token goes to the address of Google’s API alone', async () => {
    const page = { status: 200, body: { items: [] } };
    answering({ status: 307, headers: { location: 'https://evil.example/' } });
    await assert.rejects(
      opened().account.listCalendars(),
      failsAs('invalid_response', 'provider_answer_unreadable'),
    );
    answering(page);

    assert.deepEqual(await opened().account.listCalendars(), []);
  });

  it('members of a page that are not what they should be are taken for nothing', async () => {
    for (const items of [null, {}, 'none', [null, 1, 'x', [], { id: 3 }]]) {
      answering({ status: 200, body: { items, nextSyncToken: 5, timeZone: [] } });

      const { changed, next } = await follow();
      assert.deepEqual([changed, next.at(-1)], [[], undefined]);
      assert.deepEqual(await opened().account.listCalendars(), []);
    }
  });

  it('Google’s calendars are listed as the user sees them: named by the user, without those hidden or deleted', async () => {
    const items: calendar_v3.Schema$CalendarListEntry[] = [
      {
        id: 'ada@example.com',
        summary: 'ada@example.com',
        summaryOverride: 'Mine',
        description: 'All',
        backgroundColor: '#9FE1E7',
        timeZone: 'Europe/Paris',
        accessRole: 'owner',
        primary: true,
      },
      { id: 'team', summary: 'Team', accessRole: 'freeBusyReader', selected: false },
      { id: 'edited', accessRole: 'writer' },
      { id: 'hidden', summary: 'Hidden', hidden: true },
      { id: 'deleted', summary: 'Deleted', deleted: true },
    ];
    answering({ status: 200, body: { items } });

    const calendars = await opened().account.listCalendars();

    assert.deepEqual(calendars, [
      {
        href: 'ada@example.com',
        title: 'Mine',
        description: 'All',
        color: '#9fe1e7',
        timeZone: 'Europe/Paris',
        access: 'write',
        primary: true,
        original: items[0],
      },
      { href: 'team', title: 'Team', timeZone: 'UTC', access: 'read', original: items[1] },
      { href: 'edited', title: 'edited', timeZone: 'UTC', access: 'write', original: items[2] },
    ]);
  });
});
