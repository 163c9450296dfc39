/** calendarView/delta of the sandbox's Microsoft. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { at, create, occurrences, openGraph, pathOf, single, WEEKLY } from './graph.ts';
import { ADA, codeOf, everyPage, type Graph, type Json } from './harness.ts';

const WINDOW = 'startDateTime=2026-10-01T00:00:00Z&endDateTime=2026-12-01T00:00:00Z';
const deltaPath = (calendarId: string) => `/me/calendars/${calendarId}/calendarView/delta?${WINDOW}`;

async function follow(graph: Graph, link: string, headers?: Record<string, string>) {
  const { value, last, pages } = await everyPage(graph, link, headers);
  return { value, pages, deltaLink: String(last['@odata.deltaLink']) };
}

const isRemoved = (entry: Json): boolean => '@removed' in entry;
const kinds = (value: Json[]): unknown[] => value.map((entry) => (isRemoved(entry) ? 'removed' : entry.type));

describe('calendarView/delta of the Microsoft sandbox', () => {
  it('a delta tells single events and masters whole and occurrences as bare stubs', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    await create(graph, calendarId, single('Once'));
    const master = await create(graph, calendarId, WEEKLY);

    const { value } = await follow(graph, deltaPath(calendarId));

    assert.deepEqual(kinds(value), ['singleInstance', 'seriesMaster', ...Array(6).fill('occurrence')]);
    const { '@odata.etag': _etag, ...stub } = value[2] ?? {};
    assert.deepEqual(stub, {
      '@odata.type': '#microsoft.graph.event',
      id: (await occurrences(graph, master.id))[0]?.id,
      type: 'occurrence',
      seriesMasterId: master.id,
      start: { dateTime: '2026-10-05T07:00:00.0000000', timeZone: 'UTC' },
      end: { dateTime: '2026-10-05T07:30:00.0000000', timeZone: 'UTC' },
    });
  });

  it('a delta bakes the window into links, which say nothing else', async (t) => {
    const { graph, calendarId } = await openGraph(t);

    const { deltaLink } = await follow(graph, deltaPath(calendarId));

    assert.deepEqual([...new URL(deltaLink).searchParams.keys()], ['$deltatoken']);
  });

  it('a delta answers in pages of the preferred size, a series never split, the deltaLink on the last', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    for (const subject of ['a', 'b', 'c', 'd']) await create(graph, calendarId, single(subject));
    await create(graph, calendarId, WEEKLY);
    const prefer = 'odata.maxpagesize=3';

    const first = await graph('GET', deltaPath(calendarId), { headers: { prefer } });
    const { value, pages } = await follow(graph, deltaPath(calendarId), { prefer });

    assert.equal((first.body.value as Json[]).length, 3);
    assert.equal(pages, 3);
    assert.equal(value.length, 4 + 7);
  });

  it('a delta tells nothing when nothing changed, and a page again when it is asked for again', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    await create(graph, calendarId, single('Still'));
    const { deltaLink } = await follow(graph, deltaPath(calendarId));
    const idle = await follow(graph, deltaLink);
    await create(graph, calendarId, single('New'));

    const first = await follow(graph, deltaLink);
    const again = await follow(graph, deltaLink);

    assert.deepEqual([idle.value, idle.pages], [[], 1]);
    assert.deepEqual(
      first.value.map(({ subject }) => subject),
      ['New'],
    );
    assert.deepEqual(again.value, first.value);
  });

  it('a delta returns a whole series when an occurrence changed, without its deleted occurrences', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const master = await create(graph, calendarId, WEEKLY);
    const instances = await occurrences(graph, master.id);
    const { deltaLink } = await follow(graph, deltaPath(calendarId));
    const body = { start: at('2026-10-13T10:00:00'), end: at('2026-10-13T10:30:00') };
    await graph('PATCH', pathOf(instances[1]), { body });
    await graph('DELETE', pathOf(instances[2]));

    const { value } = await follow(graph, deltaLink);

    assert.deepEqual(
      value.map((entry) => [isRemoved(entry) ? 'removed' : entry.type, entry.id]),
      [
        ['seriesMaster', master.id],
        ['occurrence', instances[0]?.id],
        ['exception', instances[1]?.id],
        ...instances.slice(3).map(({ id }) => ['occurrence', id]),
      ],
    );
  });

  it('a delta reports an event that left the window as removed although it still exists', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const event = await create(graph, calendarId, single('Postponed'));
    const { deltaLink } = await follow(graph, deltaPath(calendarId));
    await graph('PATCH', pathOf(event), {
      body: { start: at('2027-03-01T09:00:00'), end: at('2027-03-01T10:00:00') },
    });

    const { value } = await follow(graph, deltaLink);

    assert.deepEqual(value, [
      { '@odata.type': '#microsoft.graph.event', id: event.id, '@removed': { reason: 'deleted' } },
    ]);
    assert.equal((await graph('GET', pathOf(event))).status, 200);
  });

  it('a delta tells a deleted series with every occurrence of it', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const master = await create(graph, calendarId, WEEKLY);
    const { deltaLink } = await follow(graph, deltaPath(calendarId));
    await graph('DELETE', pathOf(master));

    const { value } = await follow(graph, deltaLink);

    assert.equal(value.filter(isRemoved).length, 7);
  });

  it('a delta follows the default calendar only under /me/calendarView', async (t) => {
    const { graph, manual, calendarId } = await openGraph(t);
    const other = await manual.addCalendar(ADA, { title: 'Other', timeZone: 'UTC' });
    await create(graph, calendarId, single('Mine'));
    await create(graph, other, single('Elsewhere'));

    const { value } = await follow(graph, `/me/calendarView/delta?${WINDOW}`);

    assert.deepEqual(
      value.map(({ subject }) => subject),
      ['Mine'],
    );
  });

  it('a delta answers links with ids in the form each request asks for', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const { deltaLink } = await follow(graph, deltaPath(calendarId));
    const { id } = await create(graph, calendarId, single('Both'));

    const { value } = await follow(graph, deltaLink, { prefer: 'IdType="ImmutableId"' });

    assert.notEqual(value[0]?.id, id);
    assert.equal((await graph('GET', pathOf(value[0]))).body.id, id);
  });

  it('a delta forgets links when told to: 410 SyncStateNotFound', async (t) => {
    const { graph, manual, faults, calendarId } = await openGraph(t);
    const first = await follow(graph, deltaPath(calendarId));
    await manual.forgetSyncTokens(ADA, calendarId);
    const second = await follow(graph, deltaPath(calendarId));
    faults.set({
      provider: 'microsoft',
      operation: 'calendarView.delta',
      times: 1,
      effect: { kind: 'status', status: 410, reason: 'resyncRequired' },
    });

    const forgotten = await graph('GET', first.deltaLink);
    const restarted = await graph('GET', second.deltaLink);
    faults.set({ provider: 'microsoft', times: 1, effect: { kind: 'token_forgotten' } });
    const byFault = await graph('GET', second.deltaLink);

    assert.deepEqual([restarted.status, codeOf(restarted)], [200, undefined]);
    assert.deepEqual([forgotten.status, codeOf(forgotten)], [410, 'resyncRequired']);
    assert.deepEqual([byFault.status, codeOf(byFault)], [410, 'SyncStateNotFound']);
  });

  it('a delta wants a window at first and no query option ever', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const base = `/me/calendars/${calendarId}/calendarView/delta`;

    assert.equal((await graph('GET', base)).status, 400);
    assert.equal((await graph('GET', `${base}?${WINDOW}&$select=subject`)).status, 400);
    assert.equal((await graph('GET', `${base}?startDateTime=soon&endDateTime=later`)).status, 400);
  });

  it('a delta disorders and repeats members where a fault says so', async (t) => {
    const { graph, faults, calendarId } = await openGraph(t);
    await create(graph, calendarId, WEEKLY);
    const plain = await follow(graph, deltaPath(calendarId));
    faults.set({ provider: 'microsoft', times: 1, effect: { kind: 'reorder' } });
    const reordered = await follow(graph, deltaPath(calendarId));
    faults.set({ provider: 'microsoft', times: 1, effect: { kind: 'duplicate' } });
    const repeated = await follow(graph, deltaPath(calendarId));

    assert.deepEqual(reordered.value, plain.value.toReversed());
    assert.equal(repeated.value.length, plain.value.length + 1);
  });
});
