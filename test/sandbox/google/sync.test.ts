import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { calendar_v3 } from '@googleapis/calendar';

import type { EventDraft, ManualChanges } from '../../../sandbox/core/provider-sandbox.ts';
import { countWork } from '../../harness/processor-time.ts';
import { BRUSSELS, draft, weekly } from './drafts.ts';
import { ADA, type Api, allPages, apiOf, type OpenGoogle, openGoogle, signIn } from './google-client.ts';

const titles = (items: readonly calendar_v3.Schema$Event[]) => items.map(({ summary }) => summary).sort();
const reasonOf = ({ body }: { body: { error: { errors: { reason: string }[] } } }) =>
  body.error.errors[0]?.reason;

describe('following a calendar of the sandbox’s Google', () => {
  let open: OpenGoogle;
  let manual: ManualChanges;
  let api: Api;
  let id: string;
  const create = (event: EventDraft) => manual.createEvent(ADA.email, id, event);
  const at = (date: string) => ({ dateTime: `${date}T09:00:00`, timeZone: BRUSSELS });

  before(async () => {
    open = await openGoogle();
    manual = open.google.manual;
    api = apiOf(open.google, (await signIn(open.google)).access_token);
  });
  beforeEach(async () => {
    id = await manual.addCalendar(ADA.email, { title: 'Work', timeZone: BRUSSELS });
  });

  it('a sync at Google goes through pages whose size is bounded, the sync token on the last one only', async () => {
    for (let event = 0; event < 7; event += 1) await create(draft(`Event ${event}`));

    const { items, pages, nextSyncToken } = await allPages(api, id, { maxResults: '3' });

    assert.equal(pages, 3);
    assert.equal(new Set(items.map((item) => item.id)).size, 7);
    assert.ok(nextSyncToken);
  });

  it('a sync at Google tells what changed since a token and nothing else, deletions among it', async () => {
    await create(draft('Stays'));
    const [changes, goes] = [await create(draft('Changes')), await create(draft('Goes'))];
    const { nextSyncToken: syncToken = '' } = await allPages(api, id);
    await manual.updateEvent(ADA.email, id, { ...draft('Changed'), id: changes });
    await manual.deleteEvent(ADA.email, id, goes);
    await create(draft('New'));

    const { items, nextSyncToken: next = '' } = await allPages(api, id, { syncToken });

    assert.deepEqual(titles(items.filter(({ status }) => status !== 'cancelled')), ['Changed', 'New']);
    assert.deepEqual(
      items.filter(({ status }) => status === 'cancelled').map((item) => item.id),
      [goes],
    );
    assert.deepEqual((await allPages(api, id, { syncToken: next })).items, []);
  });

  it('a change that is made between two pages is reported by the sync token of the last', async () => {
    const ids: string[] = [];
    for (let event = 0; event < 4; event += 1) ids.push(await create(draft(`Event ${event}`)));
    const [first = ''] = ids.sort();
    const page = await api.events(id, { maxResults: '2' });
    await manual.deleteEvent(ADA.email, id, first);

    const rest = await api.events(id, { maxResults: '2', pageToken: page.body.nextPageToken });
    const since = await allPages(api, id, { syncToken: rest.body.nextSyncToken });

    assert.deepEqual(
      since.items.map((item) => [item.id, item.status]),
      [[first, 'cancelled']],
    );
  });

  it('a full listing at Google has no tombstones, but every cancelled exception', async () => {
    await manual.deleteEvent(ADA.email, id, await create(draft('Gone')));
    const series = await create(weekly('Standup'));
    await manual.deleteOccurrence(ADA.email, id, { id: series, original: at('2026-10-26') });

    const { items } = await allPages(api, id);

    assert.deepEqual(items.map(({ status }) => status).sort(), ['cancelled', 'confirmed']);
    assert.equal(items.find(({ status }) => status === 'cancelled')?.recurringEventId, series);
  });

  it('a sync at Google names a deleted series once and its exceptions no more', async () => {
    const series = await create(weekly('Standup'));
    await manual.changeOccurrence(ADA.email, id, {
      id: series,
      original: at('2026-10-26'),
      title: 'Special',
    });
    const { nextSyncToken: syncToken = '' } = await allPages(api, id);

    await manual.deleteEvent(ADA.email, id, series);

    const { items } = await allPages(api, id, { syncToken });
    assert.deepEqual(
      items.map((item) => [item.id, item.status]),
      [[series, 'cancelled']],
    );
    assert.deepEqual((await allPages(api, id)).items, []);
  });

  it('a sync at Google has to start over with 410 once the token is forgotten', async () => {
    await create(draft('Event'));
    const { nextSyncToken: syncToken = '' } = await allPages(api, id);
    await manual.forgetSyncTokens(ADA.email, id);

    const forgotten = await api.events(id, { syncToken });

    assert.equal(forgotten.status, 410);
    assert.equal(reasonOf(forgotten), 'fullSyncRequired');
    assert.equal((await allPages(api, id)).items.length, 1);
  });

  it('what restricts is refused beside a sync token, and so are parameters that do not repeat', async () => {
    const { nextSyncToken: syncToken = '' } = await allPages(api, id, { singleEvents: 'true' });
    const wrong: Record<string, string>[] = [
      { singleEvents: 'true', timeMin: '2026-11-01T00:00:00Z' },
      { singleEvents: 'true', orderBy: 'startTime' },
      { singleEvents: 'true', q: 'x' },
      { singleEvents: 'true', showDeleted: 'false' },
      {},
      { singleEvents: 'false' },
    ];

    const answers = await Promise.all(wrong.map((query) => api.events(id, { ...query, syncToken })));

    assert.deepEqual(
      answers.map(({ status }) => status),
      wrong.map(() => 400),
    );
    assert.equal((await api.events(id, { singleEvents: 'true', syncToken })).status, 200);
  });

  it('sync tokens of another calendar are refused, and those that are none', async () => {
    const { nextSyncToken: syncToken = '' } = await allPages(api, 'primary');

    const answers = [
      await api.events(id, { syncToken }),
      await api.events(id, { syncToken: 'no token' }),
      await api.events(id, { pageToken: syncToken }),
      await api.events(id, { pageToken: 'bnVsbA' }),
    ];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 400, 400],
    );
  });

  for (const [name, value] of [
    ['maxResults', '0'],
    ['maxResults', 'many'],
    ['singleEvents', 'yes'],
    ['timeMin', '2026-11-01T00:00:00'],
    ['timeMin', 'yesterday'],
    ['orderBy', 'startTime'],
    ['timeZone', 'Mars/Olympus'],
  ] as const) {
    it(`a listing of events refuses ${name}=${value}`, async () => {
      assert.equal((await api.events(id, { [name]: value })).status, 400);
    });
  }

  it('a listing has what overlaps a window, a series among it when an instance does', async () => {
    await create(draft('Before', '2026-11-22'));
    await create(draft('Inside', '2026-11-23'));
    await create(draft('After', '2026-11-24'));
    await create(draft('Series', '2026-11-09', { recurrence: { frequency: 'weekly' } }));

    const { items } = await allPages(api, id, {
      timeMin: '2026-11-23T00:00:00+01:00',
      timeMax: '2026-11-24T00:00:00+01:00',
    });

    assert.deepEqual(titles(items), ['Inside', 'Series']);
  });

  it('pages come in another order and entries twice where a fault asks for it', async () => {
    for (const name of ['A', 'B', 'C']) await create(draft(name));
    const { items: usual } = await allPages(api, id);
    open.faults.set({ provider: 'google', operation: 'events.list', times: 1, effect: { kind: 'reorder' } });
    const { items: reordered } = await allPages(api, id);
    open.faults.set({
      provider: 'google',
      operation: 'events.list',
      times: 1,
      effect: { kind: 'duplicate' },
    });
    const { items: doubled } = await allPages(api, id);

    assert.deepEqual(reordered, usual.toReversed());
    assert.equal(doubled.length, 6);
  });

  it('a sync at Google meets Google’s own errors where a fault asks for them', async () => {
    const { nextSyncToken: syncToken = '' } = await allPages(api, id);
    const setFault = (status: number, reason: string) =>
      open.faults.set({
        provider: 'google',
        operation: 'events.list',
        user: ADA.email,
        times: 1,
        effect: { kind: 'status', status, reason },
      });
    open.faults.set({
      provider: 'google',
      operation: 'events.list',
      times: 1,
      effect: { kind: 'token_forgotten' },
    });
    const forgotten = await api.events(id, { syncToken });
    setFault(403, 'userRateLimitExceeded');
    const limited = await api.events(id);
    setFault(403, 'quotaExceeded');
    const blocked = await api.events(id);

    assert.equal(forgotten.status, 410);
    assert.deepEqual(limited.body.error.errors, [
      { domain: 'usageLimits', reason: 'userRateLimitExceeded', message: 'User Rate Limit Exceeded' },
    ]);
    assert.equal(blocked.body.error.message, 'Calendar usage limits exceeded.');
    assert.equal((await api.events(id, { syncToken })).status, 200);
  });

  it('ten thousand events are read in four pages within five seconds of work', async () => {
    for (let event = 0; event < 10_000; event += 1) {
      await create(draft(`Event ${event}`));
      // Lets both ends of an idle connection notice that it was closed.
      if (event % 500 === 0) await nextTurn();
    }
    const workSince = countWork();

    const { items, pages } = await allPages(api, id, { maxResults: '2500' });

    assert.deepEqual([items.length, pages], [10_000, 4]);
    const work = workSince();
    assert.ok(work < 5000, `${work} ms`);
  });
});

describe('the calendar list of the sandbox’s Google', () => {
  it('Google’s calendar list has the primary calendar and the others, with role, colour and zone', async () => {
    const { google } = await openGoogle();
    const id = await google.manual.addCalendar(ADA.email, {
      title: 'Work',
      color: '#16a765',
      timeZone: BRUSSELS,
    });
    const shared = await google.manual.addCalendar(ADA.email, {
      title: 'Team',
      timeZone: BRUSSELS,
      readOnly: true,
    });
    const api = apiOf(google, (await signIn(google)).access_token);

    const { body } = await api.call('GET', '/users/me/calendarList');

    const entries = new Map(body.items.map((item: calendar_v3.Schema$CalendarListEntry) => [item.id, item]));
    assert.partialDeepStrictEqual(entries.get(ADA.email), { primary: true, accessRole: 'owner' });
    assert.partialDeepStrictEqual(entries.get(id), {
      summary: 'Work',
      backgroundColor: '#16a765',
      timeZone: BRUSSELS,
    });
    assert.partialDeepStrictEqual(entries.get(shared), { accessRole: 'reader' });
  });

  it('Google’s calendar list goes through pages and tells since a token what was added and deleted', async () => {
    const { google } = await openGoogle();
    const ids: string[] = [];
    for (const title of ['A', 'B', 'C']) {
      ids.push(await google.manual.addCalendar(ADA.email, { title, timeZone: 'UTC' }));
    }
    const api = apiOf(google, (await signIn(google)).access_token);
    const first = (await api.call('GET', '/users/me/calendarList?maxResults=3')).body;
    const second = (
      await api.call('GET', `/users/me/calendarList?maxResults=3&pageToken=${first.nextPageToken}`)
    ).body;
    await google.manual.removeCalendar(ADA.email, ids[0] ?? '');

    const since = (await api.call('GET', `/users/me/calendarList?syncToken=${second.nextSyncToken}`)).body;
    await google.manual.forgetSyncTokens(ADA.email, ADA.email);
    const forgotten = await api.call('GET', `/users/me/calendarList?syncToken=${second.nextSyncToken}`);

    assert.deepEqual([first.items.length, second.items.length], [3, 1]);
    assert.deepEqual(
      since.items.map((item: calendar_v3.Schema$CalendarListEntry) => [item.id, item.deleted]),
      [[ids[0], true]],
    );
    assert.equal(forgotten.status, 410);
    assert.equal((await api.events(ids[0] ?? '')).status, 404);
  });

  it('Google’s calendar list takes calendars an app makes with the full scope, changes and deletes them', async () => {
    const { google } = await openGoogle();
    const scope = 'openid email https://www.googleapis.com/auth/calendar';
    const api = apiOf(google, (await signIn(google, { scope })).access_token);

    const made = await api.call('POST', '/calendars', { body: { summary: 'Trips', timeZone: BRUSSELS } });
    const path = `/calendars/${encodeURIComponent(made.body.id)}`;
    const renamed = await api.call('PATCH', path, { body: { summary: 'Travel' } });
    const deleted = await api.call('DELETE', path);
    const untitled = await api.call('POST', '/calendars', { body: {} });

    assert.deepEqual([made.status, renamed.body.summary, deleted.status], [200, 'Travel', 204]);
    assert.deepEqual([untitled.status, (await api.call('GET', path)).status], [400, 404]);
    assert.equal((await api.call('DELETE', '/calendars/primary')).status, 403);
  });
});
