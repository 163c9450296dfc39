/** Writes that are safe to repeat and never overwrite a change they did not see. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  ProviderError,
  type ProviderErrorKind,
  UnsupportedByProvider,
} from '../../src/calendars/provider-error.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { calendar } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, openCalendarServer } from '../harness/calendar-server.ts';
import { EVENT, HOME, ID, type Method, openEventSite } from './event-site.ts';

const SHARED = 'https://dav.example/ada/shared/';

const sealer = createSealer(randomBytes(32));
/** No test here is about these bounds, except the one with its own. */
const PATIENT = { turnBound: 120_000, repeatBound: 120_000 };

describe('safe writes', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    ({ server, token } = await openEventSite(
      { sealer, writing: PATIENT },
      calendar(SHARED, { access: 'read' }),
    ));
  });
  beforeEach(() => {
    server.provider.failures.length = 0;
  });
  after(() => server.close());

  type Sent = { bearer?: string; headers?: Record<string, string> };
  async function send(method: Method, body: object, sent: Sent = {}, url = '/event') {
    const headers = { authorization: `Bearer ${sent.bearer ?? token}`, ...sent.headers };
    const answer = await server.app.inject({ method, url, headers, payload: body });
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  }
  const created = async (change: object = {}) => (await send('POST', { ...EVENT, ...change })).body;
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
  const stored = (title: string) =>
    server.provider.resourcesOf(HOME).filter(({ events }) => events[0]?.title === title);

  it('50 concurrent creates with one Idempotency-Key make one event, and all are answered alike', async () => {
    server.provider.latency = 20;
    const body = { ...EVENT, title: 'Once' };

    const answers = await Promise.all(Array.from({ length: 50 }, () => send('POST', body, keyed('fifty'))));
    server.provider.latency = 0;

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ body: { id } }) => id)).size, 1);
    assert.equal(stored('Once').length, 1);
  });

  it('a repeated request is answered as before, however its members are ordered, and another under its key is refused', async () => {
    const first = await send('POST', { ...EVENT, title: 'Repeated' }, keyed('repeated'));
    const { title, ...rest } = { ...EVENT, title: 'Repeated' };

    const again = await send('POST', { title, ...rest }, keyed('repeated'));
    const other = await send('POST', { ...rest, title: 'Other' }, keyed('repeated'));
    const ben = await server.token('read-write', 'ben');

    assert.deepEqual(again.body, first.body);
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
    assert.equal((await send('POST', { ...rest, title }, { ...keyed('repeated'), bearer: ben })).status, 404);
    assert.equal(stored('Repeated').length, 1);
  });

  it('one event is made when the answer of the provider was lost and the caller tries again', async () => {
    server.provider.lostAnswers.push({ call: 'create', error: new ProviderError('unavailable', 'Reset') });
    const body = { ...EVENT, title: 'Lost' };

    const first = await send('POST', body, keyed('lost'));
    const again = await send('POST', body, keyed('lost'));

    assert.deepEqual([first.status, first.headers['retry-after']], [503, '5']);
    assert.equal(again.status, 200);
    assert.equal(stored('Lost').length, 1);
  });

  it('a refused request can be corrected under its key', async () => {
    const wrong = await send('POST', { ...EVENT, title: '' }, keyed('mended'));
    const right = await send('POST', { ...EVENT, title: 'Mended' }, keyed('mended'));

    assert.deepEqual([wrong.status, right.status], [400, 200]);
    assert.equal((await send('POST', EVENT, keyed('k'.repeat(256)))).status, 400);
  });

  it('50 concurrent updates of different fields are applied, none lost', async () => {
    const { id } = await created({ title: 'Busy' });
    const fields = [
      { title: 'T' },
      { description: 'D' },
      { location: 'L' },
      { privacy: 'private' },
      { availability: 'free' },
    ];

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => send('PUT', { ...ID, eventId: id, ...fields[i % fields.length] })),
    );

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const [resource] = stored('T');
    const { title, description, location, privacy, availability } = resource?.events[0] ?? {};
    assert.deepEqual(
      [title, description, location, privacy, availability],
      ['T', 'D', 'L', 'private', 'free'],
    );
  });

  it('an update merges with a change made at the provider meanwhile', async () => {
    const { id } = await created({ title: 'Shared work' });
    const [resource] = stored('Shared work');
    assert.ok(resource);
    const [event] = resource.events;
    assert.ok(event);
    server.provider.put(HOME, { ...resource, events: [{ ...event, description: 'Theirs' }] });

    const { status, body } = await send('PUT', { ...ID, eventId: id, location: 'Ours' });

    assert.deepEqual([status, body.description, body.location], [200, 'Theirs', 'Ours']);
  });

  it('a stale If-Match is refused with 412 and the event as it is now, and the current one is taken', async () => {
    const { id, etag } = await created({ title: 'Versioned' });
    assert.equal(typeof etag, 'string');
    const current = await send(
      'PUT',
      { ...ID, eventId: id, title: 'Versioned 2' },
      { headers: { 'if-match': etag } },
    );
    assert.equal(current.status, 200, JSON.stringify(current.body));

    const stale = { headers: { 'if-match': etag } };
    for (const [method, change] of [
      ['PUT', { title: 'Lost' }],
      ['DELETE', {}],
    ] as const) {
      const refused = await send(method, { ...ID, eventId: id, ...change }, stale);
      assert.deepEqual([refused.status, refused.body.code], [412, 'precondition_failed']);
      assert.deepEqual(refused.body.event, current.body.event);
      assert.equal(refused.headers.etag, current.body.etag);
    }
  });

  it('an If-Match that only the provider knows to be stale is refused', async () => {
    const { id, etag } = await created({ title: 'Behind' });
    const [resource] = stored('Behind');
    assert.ok(resource);
    server.provider.put(HOME, resource);

    const refused = await send(
      'PUT',
      { ...ID, eventId: id, title: 'Lost' },
      { headers: { 'if-match': etag } },
    );

    assert.equal(refused.status, 412);
    assert.notEqual(refused.body.event.etag, etag);
    assert.equal(stored('Overwritten').length, 0);
  });

  it('an event that is gone at the provider is taken for gone', async () => {
    const { id } = await created({ title: 'Vanished' });
    const [resource] = stored('Vanished');
    server.provider.remove(HOME, resource?.href ?? '');

    assert.equal((await send('PUT', { ...ID, eventId: id, title: 'Late' })).status, 404);
    const listed = await get(server, `/events?start=2026-11-20&end=2026-11-21`, token);
    assert.ok(!listed.body.includes('Vanished'));
  });

  it('an event that the mirror does not have yet is found', async () => {
    const { id } = await created({ title: 'Known' });
    const [resource] = stored('Known');
    assert.ok(resource);
    server.provider.put(HOME, { ...resource, href: `${HOME}new.ics`, eventId: 'brand-new' });
    server.clock.now += 1;

    const { status, body } = await send('PUT', { ...ID, eventId: 'brand-new', title: 'Found' });

    assert.notEqual(id, 'brand-new');
    assert.deepEqual([status, body.title], [200, 'Found']);
  });

  it('an event is not taken for missing while its provider cannot be asked', async () => {
    server.clock.now += 60_000;
    server.provider.failures.push({ call: 'changes', error: new ProviderError('unavailable', 'Down') });

    const answer = await send('PUT', { ...ID, eventId: 'perhaps', title: 'x' });

    assert.deepEqual([answer.status, answer.body.code], [503, 'provider_unavailable']);
    server.clock.now += 60_000;
    assert.equal((await send('PUT', { ...ID, eventId: 'perhaps', title: 'x' })).status, 404);
  });

  it('a write where it may not be is refused: another’s calendar, a read-only one, an unknown event', async () => {
    const ben = await server.token('read-write', 'ben');

    assert.equal((await send('POST', EVENT, { bearer: ben })).status, 404);
    const readOnly = await send('POST', { ...EVENT, calendarId: SHARED });
    assert.deepEqual([readOnly.status, readOnly.body.code], [422, 'calendar_read_only']);
    assert.equal((await send('PUT', { ...ID, eventId: 'nothing', title: 'x' })).status, 404);
    assert.equal((await send('POST', { ...EVENT, provider: 'google' })).status, 404);
  });

  const FAILURES: readonly [ProviderErrorKind, number, string, string | undefined][] = [
    ['rate_limited', 429, 'rate_limited', '30'],
    ['unavailable', 503, 'provider_unavailable', '5'],
    ['invalid_response', 502, 'provider_error', undefined],
    ['permission_missing', 403, 'calendar_permission_required', undefined],
    ['not_found', 404, 'event_not_found', undefined],
  ];
  for (const [kind, status, code, retryAfter] of FAILURES) {
    it(`a write answers ${status} ${code} when the provider fails as ${kind}`, async () => {
      server.provider.failures.push({ call: 'create', error: new ProviderError(kind, 'It said so') });

      const refused = await send('POST', { ...EVENT, title: `Failed as ${kind}` });

      assert.deepEqual([refused.status, refused.body.code], [status, code]);
      assert.equal(refused.headers['retry-after'], retryAfter);
      assert.equal(refused.body.message, 'It said so');
    });
  }

  it('reports a limit of the provider as 422 with its reason and the field', async () => {
    const error = new UnsupportedByProvider(
      'recurrence_not_supported_by_provider',
      'No such rule',
      'recurrence',
    );
    server.provider.failures.push({ call: 'create', error });

    const refused = await send('POST', EVENT);

    assert.deepEqual([refused.status, refused.body.code], [422, 'recurrence_not_supported_by_provider']);
    assert.deepEqual(refused.body.details, { recurrence: ['No such rule'] });
  });

  it('the account’s health notes what a write found out, and that it works again', async () => {
    const health = async () => (await server.deps.accounts.listAccounts('acme', 'ada'))[0]?.health.state;
    server.provider.failures.push({ call: 'create', error: new ProviderError('unavailable', 'Down') });

    await send('POST', EVENT);
    assert.equal(await health(), 'degraded');
    await send('POST', EVENT);
    assert.equal(await health(), 'active');
  });

  it('both promises hold over two instances: one event by key, no update lost', async () => {
    const { db, clock } = server;
    const caldav = server.provider.asProvider();
    const other = await openCalendarServer({ db, sealer, clock, caldav, writing: PATIENT });
    const call = (i: number, method: 'POST' | 'PUT', payload: object, headers: Record<string, string> = {}) =>
      (i % 2 === 0 ? server : other).app.inject({
        method,
        url: '/event',
        headers: { authorization: `Bearer ${token}`, ...headers },
        payload,
      });
    const twenty = Array.from({ length: 20 }, (_, i) => i);

    const made = await Promise.all(
      twenty.map((i) => call(i, 'POST', { ...EVENT, title: 'Two' }, { 'idempotency-key': 'two' })),
    );
    const eventId = made[0]?.json().id;
    const fields = [
      { description: 'D' },
      { location: 'L' },
      { privacy: 'private' },
      { availability: 'free' },
    ];
    const updates = await Promise.all(
      twenty.map((i) => call(i, 'PUT', { ...ID, eventId, ...fields[i % 4] })),
    );

    assert.deepEqual(new Set([...made, ...updates].map(({ statusCode }) => statusCode)), new Set([200]));
    assert.equal(stored('Two').length, 1);
    const { description, location, privacy, availability } = stored('Two')[0]?.events[0] ?? {};
    assert.deepEqual([description, location, privacy, availability], ['D', 'L', 'private', 'free']);
    await other.close();
  });

  it('a write waits for its turn, and says when to come back when that takes too long', async () => {
    const impatient = await openCalendarServer({ db: server.db, sealer, writing: { turnBound: 100 } });
    const lease = {
      key:
        (await server.db.get<{ k: string }>("SELECT calendar_key AS k FROM calendar WHERE access = 'write'"))
          ?.k ?? '',
      holder: 'a sync',
    };
    assert.ok(await server.deps.mirror.leaseCalendar(lease, server.clock.now, server.clock.now + 60_000));

    const busy = await impatient.app.inject({
      method: 'POST',
      url: '/event',
      headers: { authorization: `Bearer ${await impatient.token('read-write', 'ada')}` },
      payload: EVENT,
    });
    const waiting = send('POST', { ...EVENT, title: 'Patient' });
    await server.deps.mirror.releaseCalendar(lease);

    assert.deepEqual(
      [busy.statusCode, busy.json().code, busy.headers['retry-after']],
      [503, 'calendar_busy', '5'],
    );
    assert.equal((await waiting).status, 200);
    await impatient.close();
  });
});
