/** Reads that take much: turns between them, threads for long rules, and answers in pieces. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';

import { ApiError } from '../../src/http/refusal.ts';
import type { WorkPool } from '../../src/lib/work-pool/work-pool.ts';
import { type StopReason, WorkStopped } from '../../src/lib/work-pool/work-stopped.ts';
import type { CalendarTimes, Wanted } from '../../src/reading/expand-calendar.ts';
import { expandElsewhere } from '../../src/reading/expand-elsewhere.ts';
import { readTurns } from '../../src/reading/read-turns.ts';
import { workPools } from '../../src/start/work-pools.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const ADA = { clientId: 'acme', userId: 'ada' };
const BEN = { clientId: 'acme', userId: 'ben' };
const LIMITS = { work: 'test', ofOwner: 2, slots: 3, waiting: 2, waitMs: 20_000, refusal: 'Too many' };

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of heavy reads', () => {
  /** Reads that go on until they are told to end. */
  const reading = (limits = LIMITS) => {
    const reads = readTurns(limits);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const begin = (user: typeof ADA, name: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      const read = reads.run(user, () => {
        begun.push(name);
        return promise;
      });
      // No test waits for the reads that are left.
      read.catch(() => {});
      return read;
    };
    return { reads, begun, ends, begin };
  };

  it('two of a user run at once, and the next begins when one has ended', async () => {
    const { begun, ends, begin } = reading();
    const [first] = ['a1', 'a2', 'a3'].map((name) => begin(ADA, name));
    await settled();
    assert.deepEqual(begun, ['a1', 'a2']);

    ends[0]?.();
    await first;
    await settled();

    assert.deepEqual(begun, ['a1', 'a2', 'a3']);
  });

  it('a user’s many reads do not keep back another user’s one', async () => {
    const { begun, ends, begin } = reading({ ...LIMITS, slots: 2, waiting: 20 });
    const [first] = ['a1', 'a2', 'a3', 'a4'].map((name) => begin(ADA, name));
    void begin(BEN, 'b1');
    ends[0]?.();
    await first;
    await settled();

    assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  });

  it('a read that finds too many waiting is refused with 429, and told when to come back', async () => {
    const { reads, begin } = reading();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void begin(ADA, name);

    await assert.rejects(
      reads.run(ADA, async () => {}),
      { status: 429, headers: { 'retry-after': '5' } },
    );
    assert.equal(await reads.run(BEN, async () => 'read'), 'read');
  });

  it('a read that fails lets the next one begin', async () => {
    const { reads } = reading({ ...LIMITS, ofOwner: 1, slots: 1, waiting: 1 });
    const failing = reads.run(ADA, () => Promise.reject(new Error('no')));
    const next = reads.run(ADA, async () => 'read');

    await assert.rejects(failing, /no/);
    assert.equal(await next, 'read');
  });
});

describe('a heavy read that waits', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('is refused with 429 after twenty seconds, and begins no more', async () => {
    const reads = readTurns({ ...LIMITS, ofOwner: 1 });
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const first = reads.run(ADA, () => promise);
    const late = reads.run(ADA, async () => assert.fail('It has left'));
    mock.timers.tick(20_000);

    await assert.rejects(late, { status: 429, headers: { 'retry-after': '5' } });
    const next = reads.run(ADA, async () => 'read');
    end();
    await first;
    assert.equal(await next, 'read');
  });

  it('keeps its place although an earlier read began twenty seconds ago', async () => {
    const reads = readTurns({ ...LIMITS, ofOwner: 1 });
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const first = reads.run(ADA, () => promise);
    mock.timers.tick(10_000);
    const second = reads.run(ADA, async () => 'read');
    mock.timers.tick(10_000);

    end();
    await first;
    assert.equal(await second, 'read');
  });
});

describe('an expansion without a thread', () => {
  const times: CalendarTimes = { calendarKey: 'a', zone: 'UTC', series: [] };
  const stoppedBy = (...reasons: StopReason[]): WorkPool => ({
    run: async () => ({ parts: [], stopped: new WorkStopped(reasons.shift() ?? 'deadline') }),
    load: () => ({ threads: 0, running: 0, waiting: 0 }),
    close: async () => {},
  });
  const window = { start: 0, end: 1 };
  const wanted: Wanted = { window, after: undefined, limit: 1, singleEvents: true };
  const expand = (readWork: WorkPool) => expandElsewhere(times, wanted, { readWork, owner: 'ada' });

  for (const reason of ['busy', 'stalled', 'unstarted', 'closed'] as const)
    it(`is answered with 503 if the pool is ${reason}, and no series is called too complex`, async () => {
      const refusal = {
        status: 503,
        body: { code: 'temporarily_unavailable' },
        headers: { 'retry-after': '5' },
      };
      const failure = await expand(stoppedBy(reason)).catch((error: unknown) => error);

      assert.ok(failure instanceof ApiError);
      const { status, headers, body } = failure;
      assert.deepEqual({ status, headers, body: { code: body.code } }, refusal);
    });

  it('names the series at which three threads were stopped for their work', async () => {
    const { tooComplex, isOver } = await expand(stoppedBy('deadline', 'memory', 'crash'));
    assert.deepEqual([tooComplex, isOver], [[0, 0, 0], true]);
  });
});

describe('reads of hostile calendars', () => {
  let server: CalendarServer;
  let token: string;
  const { readWork, syncWork } = workPools();
  const zone = { timeZone: 'UTC' };
  const recurrence = (...rrules: string[]) => ({ rrules, rdates: [], exdates: [] });
  const text = (length: number) => 'x'.repeat(length);
  before(async () => {
    server = await openCalendarServer({ readWork });
    const { provider } = server;
    for (const name of ['/rules/', '/wide/', '/good/']) provider.addCalendar(calendar(name, zone));
    const sparse = Array.from({ length: 30 }, (_, i) =>
      resource(
        `rule${i}`,
        event('1900-01-01T00:00:00', {
          recurrence: recurrence(`FREQ=YEARLY;BYDAY=FR;BYMONTHDAY=13;BYSETPOS=${i + 1}`),
        }),
      ),
    );
    provider.put('/rules/', ...sparse, resource('seldom', event('2026-01-05T00:00:00')));
    const daily = event('2026-01-01T09:00:00', { recurrence: recurrence('FREQ=DAILY') });
    provider.put('/wide/', { ...resource('wide', daily), original: { text: text(60_000) } });
    provider.put(
      '/good/',
      { ...resource('long', event('2026-01-10T09:00:00')), original: { text: text(70_000) } },
      resource('short', event('2026-01-11T09:00:00')),
      { ...resource('talk', event('2026-01-12T09:00:00', { description: text(2_000_000) })) },
    );
    await link(server);
    token = await server.token();
    await get(server, '/events', token);
  });
  after(async () => {
    await server.close();
    await Promise.all([readWork.close(), syncWork.close()]);
  });

  type Page = {
    events: { id: string; original?: object; originalTruncated?: true }[];
    nextPageToken?: string;
    errors?: object[];
  };
  const ask = async (query: string): Promise<Page> => {
    const answer = await get(server, `/events?${query}`, token);
    assert.equal(answer.statusCode, 200, answer.body.slice(0, 300));
    return answer.json();
  };
  const only = (href: string) => `calendarIds=${encodeURIComponent(JSON.stringify([href]))}`;
  const january = 'start=2026-01-01&end=2026-02-01';

  it('rules that take more than the main thread has are followed in a thread, and all is listed', async () => {
    const centuries = 'start=1900-01-01&end=2100-01-01';
    const { events, errors } = await ask(`${centuries}&${only('/rules/')}&pageSize=1000`);

    assert.equal(errors, undefined);
    // Thirteenths that are Fridays: 688 in 400 years, each named by one rule, and each rule's first day.
    assert.ok(events.length > 344, `${events.length}`);
    assert.ok(events.some(({ id }) => id === 'seldom'));
  });

  it('an object of the provider’s over 64 kB is left out, and that is said beside it', async () => {
    const { events } = await ask(`${january}&${only('/good/')}`);

    assert.deepEqual(
      events.map(({ id, original, originalTruncated }) => [id, original, originalTruncated]),
      [
        ['long', undefined, true],
        ['short', { name: 'short' }, undefined],
        ['talk', { name: 'talk' }, undefined],
      ],
    );
    const one = (await get(server, '/events/long', token)).json();
    assert.deepEqual([one.original, one.originalTruncated], [undefined, true]);
    const { changes } = (await get(server, '/events/changes?initial=true', token)).json();
    const long = changes.find((change: { event: { id: string } }) => change.event.id === 'long');
    assert.deepEqual([long.event.original, long.event.originalTruncated], [undefined, true]);
  });

  it('a page ends at 8 MB whatever its size, and the pages together are the whole listing', async () => {
    const year = `start=2026-01-01&end=2027-01-01&${only('/wide/')}&pageSize=1000`;
    const starts: string[] = [];
    let pages = 0;
    for (let next: string | undefined = year; next !== undefined; pages += 1) {
      const answer = await get(server, `/events?${next}`, token);
      assert.ok(answer.rawPayload.length < 8_500_000, `${answer.rawPayload.length}`);
      const { events, nextPageToken } = answer.json();
      assert.equal(events[0].original.text.length, 60_000);
      starts.push(...events.map(({ start }: { start: string }) => start));
      next = nextPageToken && `nextPageToken=${nextPageToken}`;
    }

    assert.equal(pages, 3);
    assert.equal(new Set(starts).size, 365);
    assert.deepEqual(starts, starts.toSorted());
  });

  it('a large calendar is read in pieces, with the same response as a small one', async () => {
    const queries = [
      january,
      `${january}&pageSize=2`,
      `${january}&q=meeting`,
      `${january}&singleEvents=false`,
    ];
    const answers = () =>
      Promise.all(queries.map(async (query) => (await ask(`${query}&${only('/good/')}`)).events));
    const small = await answers();
    const busy = async () => (await get(server, `/free-busy?${january}`, token)).json();
    const before = await busy();

    await server.db.write('UPDATE calendar SET bytes = 200000000, revision = revision + 1');

    assert.deepEqual(await answers(), small);
    assert.deepEqual(await busy(), before);
    await server.db.write('UPDATE calendar SET bytes = 0');
  });

  it('what a sync left out of a calendar is named in every answer, without names for scope free-busy', async () => {
    const message =
      'The event “x.ics” of the calendar “Good” is left out: it has more than 20 recurrence rules';
    const named = { count: 1, eventIds: ['x.ics'] };
    const left = JSON.stringify({ ...named, name: '/x.ics', message });
    await server.db.write(`UPDATE calendar SET too_complex = :left WHERE href = '/good/'`, { left });
    const names = { provider: 'caldav', account: 'https://dav.example/ada/', calendarId: '/good/' };
    const why = { code: 'event_too_complex', reason: 'event_too_complex', actor: 'user' };

    for (const path of [`/events?${january}`, `/free-busy?${january}`, '/events/changes?initial=true']) {
      const { errors } = (await get(server, path, token)).json();
      assert.deepEqual(errors, [{ ...names, ...why, message, ...named }], path);
    }
    const unnamed = (await get(server, `/free-busy?${january}`, await server.token('free-busy'))).json();
    assert.doesNotMatch(JSON.stringify(unnamed.errors), /x\.ics|Good/);
    assert.equal(unnamed.errors.length, 1);
    const missing = await get(server, '/events/x', token);
    assert.deepEqual([missing.statusCode, missing.json().errors.length], [404, 1]);
  });

  it('an instance of a series over the budget is refused with 422', async () => {
    const numbers = (end: number) => Array.from({ length: end }, (_, i) => i).join(',');
    const rule = `FREQ=DAILY;BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)};BYSECOND=${numbers(60)}`;
    const bomb = event('2026-01-01T00:00:00', {
      recurrence: recurrence(rule),
      end: { type: 'zoned', local: '2026-01-11T00:00:00', zone: 'UTC' },
    });
    const { provider, clock } = server;
    provider.put('/rules/', resource('bomb', bomb));
    clock.now += 60_000;
    await get(server, '/events', token);

    const answer = await get(server, '/events/bomb_20280101T000000Z', token);

    assert.deepEqual([answer.statusCode, answer.json().code], [422, 'event_too_complex'], answer.body);
    provider.remove('/rules/', '/bomb.ics');
  });
});
