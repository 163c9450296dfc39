/** Series at the sandbox's Microsoft: patterns, exceptions and what Exchange does to them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  at,
  BERLIN,
  create,
  occurrences,
  openGraph,
  pathOf,
  single,
  startOf,
  WEEKLY,
  WINDOW,
} from './graph.ts';
import { ADA, codeOf, everyPage, type Json } from './harness.ts';

const SELECTED = 'subject,start,originalStart,occurrenceId';

describe('Series of the Microsoft sandbox', () => {
  it('a series at Microsoft expands on the organizer’s clock over a change of it', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const master = await create(graph, calendarId, WEEKLY);

    const instances = await occurrences(graph, master.id);

    assert.deepEqual(instances.map(startOf), [
      '2026-10-05T07:00:00.0000000',
      '2026-10-12T07:00:00.0000000',
      '2026-10-19T07:00:00.0000000',
      '2026-10-26T08:00:00.0000000',
      '2026-11-02T08:00:00.0000000',
      '2026-11-09T08:00:00.0000000',
    ]);
    assert.deepEqual([...new Set(instances.map(({ type }) => type))], ['occurrence']);
    assert.deepEqual([...new Set(instances.map(({ seriesMasterId }) => seriesMasterId))], [master.id]);
  });

  it('a series at Microsoft answers patterns whole, with zeros where a member means nothing', async (t) => {
    const { graph, calendarId } = await openGraph(t);

    const { recurrence } = await create(graph, calendarId, WEEKLY);

    assert.deepEqual(recurrence, {
      pattern: {
        type: 'weekly',
        interval: 1,
        month: 0,
        dayOfMonth: 0,
        daysOfWeek: ['monday'],
        firstDayOfWeek: 'monday',
        index: 'first',
      },
      range: {
        type: 'numbered',
        startDate: '2026-10-05',
        endDate: '0001-01-01',
        recurrenceTimeZone: BERLIN,
        numberOfOccurrences: 6,
      },
    });
  });

  const patterns: [rule: string, pattern: object, first: string, starts: string[]][] = [
    [
      'daily, every third day',
      { type: 'daily', interval: 3 },
      '2026-10-05',
      ['2026-10-05', '2026-10-08', '2026-10-11'],
    ],
    [
      'the last Friday of the month',
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['friday'], index: 'last' },
      '2026-10-05',
      ['2026-10-30', '2026-11-27', '2026-12-25'],
    ],
    [
      'the 31st, or the month’s last day',
      { type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 },
      '2026-10-31',
      ['2026-10-31', '2026-11-30', '2026-12-31'],
    ],
    [
      'two weekdays every other week',
      { type: 'weekly', interval: 2, daysOfWeek: ['tuesday', 'thursday'], firstDayOfWeek: 'sunday' },
      '2026-10-06',
      ['2026-10-06', '2026-10-08', '2026-10-20'],
    ],
    [
      'a first Monday in November',
      { type: 'relativeYearly', interval: 1, daysOfWeek: ['monday'], index: 'first', month: 11 },
      '2026-10-05',
      ['2026-11-02'],
    ],
  ];
  for (const [rule, pattern, first, starts] of patterns) {
    it(`a series at Microsoft knows ${rule}, and starts on the pattern’s first day`, async (t) => {
      const { graph, calendarId } = await openGraph(t);
      const range = { type: 'noEnd', startDate: first };
      const times = { start: at(`${first}T12:00:00`, 'UTC'), end: at(`${first}T13:00:00`, 'UTC') };

      const master = await create(graph, calendarId, {
        subject: 'p',
        ...times,
        recurrence: { pattern, range },
      });

      const instances = (await occurrences(graph, master.id)).slice(0, starts.length);
      assert.deepEqual(
        instances.map((event) => String(startOf(event)).slice(0, 10)),
        starts,
      );
      assert.equal(String(startOf(master)).slice(0, 10), starts[0]);
    });
  }

  it('a changed occurrence becomes an exception, which follows its master in all else', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const master = await create(graph, calendarId, WEEKLY);
    const second = (await occurrences(graph, master.id))[1];
    const moved = { start: at('2026-10-13T10:00:00'), end: at('2026-10-13T10:30:00') };

    const exception = await graph('PATCH', pathOf(second), { body: moved });
    await graph('PATCH', pathOf(master), { body: { subject: 'Renamed' } });
    const after = (await graph('GET', `${pathOf(second)}?$select=${SELECTED}`)).body;

    assert.equal(exception.body.type, 'exception');
    assert.equal(after.subject, 'Renamed');
    assert.equal(startOf(after), '2026-10-13T08:00:00.0000000');
    assert.equal(after.originalStart, '2026-10-12T07:00:00Z');
    assert.equal(exception.body.originalStart, undefined);
    assert.equal(after.occurrenceId, `OID.${master.id}.2026-10-12`);
    assert.equal(after.id, second?.id);
  });

  it('a master’s changeKey changes when an occurrence is changed or deleted', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const master = await create(graph, calendarId, WEEKLY);
    const instances = await occurrences(graph, master.id);

    await graph('PATCH', pathOf(instances[1]), { body: { subject: 'Other' } });
    const changed = (await graph('GET', pathOf(master))).body;
    await graph('DELETE', pathOf(instances[2]));
    const thinned = (await graph('GET', pathOf(master))).body;

    assert.equal(new Set([master.changeKey, changed.changeKey, thinned.changeKey]).size, 3);
  });

  const jumps: [rule: string, start: string][] = [
    ['past the next one', '2026-10-20T09:00:00'],
    ['onto the day of the next one', '2026-10-19T07:00:00'],
    ['before the one before', '2026-10-04T09:00:00'],
  ];
  for (const [rule, start] of jumps) {
    it(`an occurrence may not jump ${rule}`, async (t) => {
      const { graph, calendarId } = await openGraph(t);
      const master = await create(graph, calendarId, WEEKLY);
      const second = (await occurrences(graph, master.id))[1];
      const end = start.replace(':00:00', ':30:00');

      const answer = await graph('PATCH', pathOf(second), { body: { start: at(start), end: at(end) } });

      assert.deepEqual([answer.status, codeOf(answer)], [400, 'ErrorOccurrenceCrossingBoundary']);
    });
  }

  it('$expand lists the exceptions of a master, with the members that $select names', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const master = await create(graph, calendarId, WEEKLY);
    const second = (await occurrences(graph, master.id))[1];
    await graph('PATCH', pathOf(second), { body: { subject: 'Other' } });
    const query = '$select=subject,occurrenceId,exceptionOccurrences&$expand=exceptionOccurrences';

    const { body } = await graph('GET', `${pathOf(master)}?${query}`);

    const [{ '@odata.etag': _etag, ...exception } = {}] = body.exceptionOccurrences as Json[];
    assert.deepEqual(exception, {
      id: second?.id,
      subject: 'Other',
      occurrenceId: `OID.${master.id}.2026-10-12`,
    });
  });

  it('one occurrence is deleted permanently', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const master = await create(graph, calendarId, WEEKLY);
    const third = (await occurrences(graph, master.id))[2];

    const answer = await graph('DELETE', pathOf(third));

    const selected = await graph('GET', `${pathOf(master)}?$select=cancelledOccurrences`);
    assert.equal(answer.status, 204);
    assert.equal((await occurrences(graph, master.id)).length, 5);
    assert.equal((await graph('GET', pathOf(third))).status, 404);
    assert.equal((await graph('GET', pathOf(master))).body.cancelledOccurrences, undefined);
    assert.deepEqual(selected.body.cancelledOccurrences, [`OID.${master.id}.2026-10-19`]);
  });

  it('a series at Microsoft drops exceptions and deletions when the pattern changes, and keeps them when only other members do', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const master = await create(graph, calendarId, WEEKLY);
    const instances = await occurrences(graph, master.id);
    await graph('PATCH', pathOf(instances[1]), { body: { subject: 'Other' } });
    await graph('DELETE', pathOf(instances[2]));

    await graph('PATCH', pathOf(master), { body: { showAs: 'free', start: WEEKLY.start, end: WEEKLY.end } });
    const unchanged = await occurrences(graph, master.id);
    const range = { type: 'noEnd', startDate: '2026-10-05' };
    const pattern = { ...WEEKLY.recurrence.pattern, interval: 2 };
    await graph('PATCH', pathOf(master), { body: { recurrence: { pattern, range } } });
    const dropped = await occurrences(graph, master.id);

    assert.deepEqual([unchanged.length, unchanged.filter(({ type }) => type === 'exception').length], [5, 1]);
    assert.deepEqual(
      dropped.filter(({ type }) => type === 'exception'),
      [],
    );
    assert.ok(dropped.some((event) => startOf(event) === '2026-10-19T07:00:00.0000000'));
  });

  it('a calendarView is expanded in the order of starts', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    await create(graph, calendarId, WEEKLY);
    await create(graph, calendarId, single('Between', '2026-10-15'));

    const { value } = await everyPage(graph, `/me/calendars/${calendarId}/calendarView?${WINDOW}&$top=3`);

    assert.deepEqual(
      value.map(({ subject }) => subject),
      ['Standup', 'Standup', 'Between', 'Standup', 'Standup', 'Standup', 'Standup'],
    );
  });

  it('a zone that came with rules of its own is called tzone://Microsoft/Custom', async (t) => {
    const { graph, manual, calendarId } = await openGraph(t);
    const master = await create(graph, calendarId, WEEKLY);
    await manual.giveCustomZone(ADA, calendarId, String(master.id));

    const { body } = await graph('GET', pathOf(master));

    assert.equal(body.originalStartTimeZone, 'tzone://Microsoft/Custom');
    assert.equal(((body.recurrence as Json).range as Json).recurrenceTimeZone, 'tzone://Microsoft/Custom');
    assert.equal((await occurrences(graph, master.id)).length, 6);
  });
});
