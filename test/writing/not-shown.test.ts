/** Events that a provider took and the mirror cannot show: the caller has their id, and creates none twice. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { stoppedBySystem } from '../../src/calendars/stopped-error.ts';
import { type StopReason, WorkStopped } from '../../src/lib/work-pool/work-stopped.ts';
import type { ResourceRendering } from '../../src/sync/resource-rendering.ts';
import { calendar } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { renderHere } from '../harness/render-here.ts';

describe('a new event that the mirror cannot show', () => {
  let server: CalendarServer;
  let token: string;
  let rendering: ResourceRendering;
  const open = async (trouble: ResourceRendering) => {
    rendering = renderHere;
    server = await openCalendarServer({ rendering: (...input) => rendering(...input) });
    server.provider.addCalendar(calendar('/a/'));
    await link(server);
    token = await server.token();
    await get(server, '/events', token);
    rendering = trouble;
  };
  afterEach(() => server.close());

  const leavesOut: ResourceRendering = async (resources) => ({
    changed: [],
    leftOut: resources.map(({ href, etag }) => ({
      kind: 'too_complex' as const,
      href,
      etag,
      reason: 'placing it takes too long',
    })),
  });
  const losesTurn: ResourceRendering = async (...input) => {
    await server.db.write(`UPDATE calendar SET lease_holder = 'another instance'`);
    return renderHere(...input);
  };
  const stopsFor =
    (reason: StopReason): ResourceRendering =>
    async () => {
      throw stoppedBySystem(new WorkStopped(reason));
    };
  const send = (method: 'POST' | 'PUT', payload: object, headers = {}) => {
    const all = { authorization: `Bearer ${token}`, ...headers };
    return server.app.inject({ method, url: '/event', headers: all, payload });
  };
  const WEEKLY = {
    ...{
      provider: 'caldav',
      calendarId: '/a/',
      title: 'Stand-up',
      location: 'Roof',
      timeZone: 'Europe/Vienna',
    },
    ...{ start: '2026-11-19T09:00:00', end: '2026-11-19T09:30:00' },
    recurrence: { frequency: 'WEEKLY', byDay: ['TH'], count: 3 },
  };

  const troubles = {
    'is too complex': leavesOut,
    'finds no free thread': stopsFor('busy'),
    'meets a thread that stalls': stopsFor('stalled'),
    'loses its turn to another instance': losesTurn,
  };
  for (const [what, trouble] of Object.entries(troubles))
    it(`is answered with 200, its id and what was sent, if it ${what}`, async () => {
      await open(trouble);
      const key = { 'idempotency-key': 'once' };
      const answer = await send('POST', WEEKLY, key);

      assert.equal(answer.statusCode, 200, answer.body);
      const { success, event, id, recurrence, ...fields } = answer.json();
      assert.deepEqual([success, event.id, event.title], [true, id, 'Stand-up']);
      assert.equal(`/a/${id}.ics`, server.provider.resourcesOf('/a/')[0]?.href);
      assert.deepEqual(recurrence, { frequency: 'WEEKLY', interval: 1, count: 3, byDay: ['TH'] });
      const { start, end, allDay, location, timeZone } = fields;
      assert.deepEqual([start, end], ['2026-11-19T08:00:00.000Z', '2026-11-19T08:30:00.000Z']);
      assert.deepEqual([allDay, location, timeZone], [false, 'Roof', 'Europe/Vienna']);
      assert.equal((await send('POST', WEEKLY, key)).body, answer.body);
      assert.equal(server.provider.resourcesOf('/a/').length, 1);
    });

  it('is in the mirror once a sync finds a thread', async () => {
    await open(stopsFor('busy'));
    const { id } = (await send('POST', { ...WEEKLY, recurrence: undefined })).json();
    const sql = `SELECT run_at AS "runAt" FROM job WHERE kind = 'sync-calendar'`;
    assert.deepEqual({ ...(await server.db.get<object>(sql)) }, { runAt: server.clock.now });
    rendering = renderHere;
    server.clock.now += 11_000;
    const { events } = (await get(server, '/events', token)).json();

    assert.deepEqual(
      events.map((event: { id: string }) => event.id),
      [id],
    );
  });

  it('keeps its account healthy, and a change of it is refused with 503', async () => {
    await open(renderHere);
    const { id } = (await send('POST', WEEKLY)).json();
    rendering = stopsFor('busy');
    const changed = await send('PUT', { ...WEEKLY, eventId: id, title: 'Sit-down' });

    assert.deepEqual([changed.statusCode, changed.json().code], [503, 'temporarily_unavailable']);
    assert.equal(changed.headers['retry-after'], '5');
    const [account] = await server.deps.accounts.listAccounts('acme', 'ada');
    assert.equal(account?.health.state, 'active');
    rendering = stopsFor('stalled');
    const stalled = await send('PUT', { ...WEEKLY, eventId: id, title: 'Lie-down' });
    assert.deepEqual([stalled.statusCode, stalled.json().code], [503, 'temporarily_unavailable']);
  });
});
