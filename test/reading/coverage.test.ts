/** A grant reads the groups it covers, each at its own scope, whatever other grants of the user were given. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Scope } from '../../src/oauth/scope.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const MINE = { provider: 'caldav', calendarId: '/mine/', eventId: 'mine' };
const OTHER = { provider: 'apple', calendarId: '/other/', eventId: 'other' };

describe('reading what a grant covers', () => {
  let server: CalendarServer;
  let mine: string;
  let both: string;
  before(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar('/mine/', { title: 'Mine' }));
    server.provider.put(
      '/mine/',
      resource('mine', event('2026-11-20T09:00:00', { title: 'Mine, planned' })),
      resource('mine2', event('2026-11-20T13:00:00', { title: 'Mine, planned too' })),
    );
    server.apple.addCalendar(calendar('/other/', { title: 'Other' }));
    server.apple.put(
      '/other/',
      resource('other', event('2026-11-20T11:00:00', { title: 'Other, planned' })),
      resource('other2', event('2026-11-20T15:00:00', { title: 'Other, planned too' })),
    );
    await link(server, { accountId: 'mine' });
    await link(server, { provider: 'apple', accountId: 'other', group: 'other' });
    mine = await server.token();
    both = await covering({ own: 'read-write', other: 'read-write' });
  });
  after(() => server.close());

  const covering = (covers: Record<string, Scope>, scope: Scope = 'read-write') =>
    server.tokenOf({ covers, scope });
  const titles = async (url: string, token: string): Promise<string[]> => {
    const answer = await get(server, url, token);
    assert.equal(answer.statusCode, 200, answer.body);
    const { events = [], changes = [] } = answer.json();
    const listed = [...events, ...changes.map((change: { event: object }) => change.event)];
    return listed.map(({ title, id }: { title?: string; id: string }) => title ?? id);
  };
  const statusOf = async (named: Record<string, string>, token: string) =>
    (await get(server, `/event?${new URLSearchParams(named)}`, token)).statusCode;

  it('a listing has the events of covered accounts, and one that another grant had is not shown again', async () => {
    const all = ['Mine, planned', 'Other, planned', 'Mine, planned too', 'Other, planned too'];
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await titles('/events', both), all);
      assert.deepEqual(await titles('/events', mine), ['Mine, planned', 'Mine, planned too']);
    }
  });

  it('an event and a calendar of another group are not found', async () => {
    assert.deepEqual([await statusOf(MINE, mine), await statusOf(OTHER, mine)], [200, 404]);
    assert.equal((await get(server, '/events/other', mine)).statusCode, 404);
    const listed = (await get(server, '/calendars', mine)).json();
    assert.deepEqual(
      listed.map(({ title }: { title: string }) => title),
      ['Mine'],
    );
  });

  it('a page token of another grant shows what this one covers and no more', async () => {
    const filter = encodeURIComponent(JSON.stringify({ caldav: ['/mine/'], apple: ['/other/'] }));
    for (const query of ['pageSize=1', `pageSize=1&calendarIds=${filter}`]) {
      const { nextPageToken } = (await get(server, `/events?${query}`, both)).json();

      const rest = await titles(`/events?pageSize=9&nextPageToken=${nextPageToken}`, mine);

      assert.deepEqual(rest, ['Mine, planned too']);
    }
  });

  it('a cursor of another grant returns only what this grant covers', async () => {
    const { cursor } = (await get(server, '/events/changes', both)).json();
    server.provider.put('/mine/', resource('new', event('2026-12-20T09:00:00', { title: 'Mine, new' })));
    server.apple.put('/other/', resource('new', event('2026-12-20T09:00:00', { title: 'Other, new' })));
    server.clock.now += 61_000;

    assert.deepEqual((await titles(`/events/changes?cursor=${cursor}`, both)).sort(), [
      'Mine, new',
      'Other, new',
    ]);
    assert.deepEqual(await titles(`/events/changes?cursor=${cursor}`, mine), ['Mine, new']);
    server.apple.remove('/other/', '/new.ics');
    server.provider.remove('/mine/', '/new.ics');
    server.clock.now += 61_000;
    assert.deepEqual((await titles(`/events/changes?cursor=${cursor}`, mine)).sort(), ['new']);
  });

  it('an account that is covered for busy time shows no more than that, whatever the grant may do', async () => {
    const token = await covering({ own: 'free-busy', other: 'read' }, 'read-write');

    assert.deepEqual(await titles('/events', token), [
      'Busy',
      'Other, planned',
      'Busy',
      'Other, planned too',
    ]);
    const shown = await get(server, `/event?${new URLSearchParams(MINE)}`, token);
    assert.equal(shown.json().title, 'Busy');
    assert.deepEqual(await titles('/events?q=planned', token), ['Other, planned', 'Other, planned too']);
    const state = await titles('/events/changes?initial=true', token);
    assert.deepEqual(state.sort(), ['Other, planned', 'Other, planned too']);
    const calendars = (await get(server, '/calendars', token)).json();
    assert.deepEqual(
      calendars.map(({ title }: { title: string }) => title),
      ['Other'],
    );
  });

  it('the next page of a search leaves out what is covered for busy time', async () => {
    const token = await covering({ own: 'read', other: 'read' }, 'read');
    const narrow = await covering({ own: 'read', other: 'free-busy' }, 'read');
    const { nextPageToken } = (await get(server, '/events?q=planned&pageSize=1', token)).json();

    assert.deepEqual(await titles(`/events?nextPageToken=${nextPageToken}&pageSize=9`, narrow), [
      'Mine, planned too',
    ]);
  });

  it('free time is that of covered accounts, and for the application that of all living grants', async () => {
    const busy = async (token: string) => {
      const query = 'start=2026-11-20T00:00:00Z&end=2026-11-21T00:00:00Z';
      return (await get(server, `/free-busy?${query}`, token)).json().busy.length;
    };
    await link(server, { userId: 'ben', provider: 'apple', accountId: 'other', group: 'other' });
    const slots = async (userId: string) => {
      const body = { start: '2026-11-20T10:00:00Z', end: '2026-11-20T11:00:00Z', duration: 60 };
      const authorization = `Basic ${Buffer.from('acme:acme').toString('base64')}`;
      const payload = { ...body, user_ids: [userId] };
      const answer = await server.app.inject({
        method: 'POST',
        url: '/availability',
        headers: { authorization },
        payload,
      });
      return [answer.statusCode, answer.json().slots?.length];
    };

    assert.deepEqual([await busy(mine), await busy(both)], [2, 4]);
    assert.deepEqual(await slots('ada'), [200, 0]);
    assert.deepEqual(await slots('ben'), [404, undefined], 'nobody was given what ben has');
    await server.tokenOf({ covers: { own: 'read-write' }, userId: 'ben' });
    assert.deepEqual(await slots('ben'), [404, undefined], 'a grant without accounts gives nothing');
  });
});
