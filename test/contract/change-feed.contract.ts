/** Contract tests for ChangeFeed. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { CalendarEvent, EventResource } from '../../src/calendars/event.ts';
import type { ChangeFeed, FeedChange, FeedPlace } from '../../src/reading/change-feed.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, newAccount } from './calendar-rows.ts';
import {
  calendar,
  changes,
  changesTo,
  event,
  type FilledMirror,
  fill,
  LATER,
  leased,
  mirrorWith,
  resource,
} from './mirror-rows.ts';

const ada = { clientId: 'acme', userId: 'ada' };
const DAY = 24 * 3_600_000;
const recurrence = { rrules: ['FREQ=WEEKLY'], rdates: [], exdates: [] };
const originally = (local: string, change: Partial<CalendarEvent> = {}) =>
  event(local, { ...change, recurrenceId: { type: 'zoned', local, zone: 'Europe/Paris' } });
const apart = (id: string, seriesId: string, ...events: CalendarEvent[]): EventResource => ({
  ...resource(id, ...events),
  href: id,
  seriesId,
});

type Prepared = FilledMirror & { feed: ChangeFeed; seq: number; feedId: string };

export function changeFeedContract(database: string, open: () => Promise<Database>): void {
  const prepare = async (...names: string[]): Promise<Prepared> => {
    const made = await mirrorWith(
      await open(),
      ...(names.length > 0 ? names : ['/a/']).map((name) => calendar(name)),
    );
    const state = await made.changes.follow(ada, NOW);
    assert.ok(state);
    return { ...made, feed: made.changes, seq: state.seq, feedId: state.feedId };
  };
  const all = ({ feed, grant, seq }: Prepared, after: FeedPlace = { seq }) =>
    feed.changesAfter(grant, after, 10_000);
  const changesIn = async (made: Prepared, after?: FeedPlace) =>
    (await all(made, after)).map(({ id, deleted, createdSeq }) => {
      if (deleted === 1) return `${id} deleted`;
      return `${id} ${createdSeq > (after?.seq ?? made.seq) ? 'created' : 'updated'}`;
    });
  const write = async (
    { mirror }: Prepared,
    key: string,
    changed: EventResource[],
    removed: string[] = [],
  ) => {
    const lease = await leased(mirror, key, `run-${Math.random()}`);
    assert.equal(await mirror.applyChanges(lease, changes({ changed, removed }), LATER), true);
    await mirror.finishSync(lease, 'token', NOW);
  };

  describe(`ChangeFeed on ${database}`, () => {
    it('the feed tells what was created, updated and deleted since a place, each event once', async () => {
      const made = await prepare();
      await fill(
        made.mirror,
        made.calendarKey,
        resource('x', event('2026-11-02T09:00:00')),
        resource('y', event('2026-11-02T09:00:00')),
      );
      const first = await all(made);
      const since = { seq: first.at(-1)?.seq ?? 0 };

      await write(
        made,
        made.calendarKey,
        [resource('x', event('2026-11-02T10:00:00')), resource('z', event('2026-11-02T09:00:00'))],
        ['/y.ics'],
      );
      await write(made, made.calendarKey, [resource('x', event('2026-11-02T11:00:00'))]);

      assert.deepEqual(
        first.map(({ id }) => id),
        ['x', 'y'],
      );
      assert.deepEqual((await changesIn(made, since)).sort(), ['x updated', 'y deleted', 'z created']);
      assert.deepEqual((await changesIn(made)).sort(), ['x created', 'y deleted', 'z created']);
      const [entry] = await all(made, since);
      assert.deepEqual(
        [entry?.provider, entry?.accountId, entry?.href],
        ['caldav', 'https://dav.example/ada/', '/a/'],
      );
    });

    it('the feed tells nothing of what a full listing brings as it was', async () => {
      const made = await prepare();
      const resources = [
        resource('x', event('2026-11-02T09:00:00')),
        resource('w', event('2026-11-02T09:00:00', { recurrence }), originally('2026-11-09T09:00:00')),
      ];
      await write(made, made.calendarKey, resources);
      const since = { seq: (await all(made)).at(-1)?.seq ?? 0 };

      await write(made, made.calendarKey, resources);
      await made.db.write('UPDATE event SET etag = NULL RETURNING href');
      await write(made, made.calendarKey, resources);

      assert.deepEqual(await changesIn(made, since), []);
      await write(made, made.calendarKey, [
        { ...resource('x', event('2026-11-02T09:00:00')), etag: '"new"' },
      ]);
      assert.deepEqual(await changesIn(made, since), ['x updated']);
    });

    it('the feed reports no change if only line ends or the spelling of the etag differ', async () => {
      const made = await prepare();
      const version = (icalendar: string, etag = '"1"') => [
        { ...resource('x', event('2026-11-02T09:00:00')), etag, original: { icalendar } },
      ];
      await write(made, made.calendarKey, version('A:one\\n\r\n two\rthree\r\n'));
      const since = { seq: (await all(made)).at(-1)?.seq ?? 0 };

      await write(made, made.calendarKey, version('A:one\\n\n two\nthree\n', 'W/"1-gzip"'));

      assert.deepEqual(await changesIn(made, since), []);
      // In iCalendar a backslash before an `n` is an escape and not a line end.
      await write(made, made.calendarKey, version('A:one\\r\n two\nthree\n'));
      assert.deepEqual(await changesIn(made, since), ['x updated']);
    });

    it('the feed tells a full listing’s difference: what it did not name was deleted', async () => {
      const made = await prepare();
      await write(made, made.calendarKey, [
        resource('x', event('2026-11-02T09:00:00')),
        resource('y', event('2026-11-02T09:00:00')),
      ]);
      const since = { seq: (await all(made)).at(-1)?.seq ?? 0 };

      const lease = await leased(made.mirror, made.calendarKey, 'full');
      await made.mirror.dropUnlisted(lease, ['/y.ics'], LATER);

      assert.deepEqual(await changesIn(made, since), ['y deleted']);
    });

    it('the feed takes a series for one, whichever of its events changed and however it is kept', async () => {
      const made = await prepare();
      const master = { ...resource('m', event('2026-11-02T09:00:00', { recurrence })), href: 'm' };
      await write(made, made.calendarKey, [master]);
      let since = { seq: (await all(made)).at(-1)?.seq ?? 0 };
      const next = async () => {
        const lines = await changesIn(made, since);
        since = { seq: (await all(made)).at(-1)?.seq ?? 0 };
        return lines.sort();
      };

      await write(made, made.calendarKey, [
        apart('o', 'm', originally('2026-11-09T09:00:00', { title: 'Other' })),
      ]);
      assert.deepEqual(await next(), ['m updated']);
      await write(made, made.calendarKey, [
        apart('o', 'm', originally('2026-11-09T09:00:00', { status: 'cancelled' })),
      ]);
      assert.deepEqual(await next(), ['m updated']);
      await write(made, made.calendarKey, [], ['o']);
      assert.deepEqual(await next(), ['m updated']);
      await write(made, made.calendarKey, [], ['m']);
      assert.deepEqual(await next(), ['m deleted']);
    });

    it('the feed tells an instance known alone by its own id, until its series comes', async () => {
      const made = await prepare();
      await write(made, made.calendarKey, [apart('o', 'm', originally('2026-11-09T09:00:00'))]);
      const since = { seq: (await all(made)).at(-1)?.seq ?? 0 };
      const instance = 'm_20261109T080000Z';

      await write(made, made.calendarKey, [
        { ...resource('m', event('2026-11-02T09:00:00', { recurrence })), href: 'm' },
      ]);

      assert.deepEqual((await changesIn(made)).sort(), ['m created', `${instance} deleted`]);
      assert.deepEqual((await changesIn(made, since)).sort(), ['m created', `${instance} deleted`]);
    });

    it('the feed reports a cancelled event as deleted', async () => {
      const made = await prepare();
      await write(made, made.calendarKey, [resource('x', event('2026-11-02T09:00:00'))]);
      await write(made, made.calendarKey, [
        resource('x', event('2026-11-02T09:00:00', { status: 'cancelled' })),
      ]);

      assert.deepEqual(await changesIn(made), ['x deleted']);
    });

    it('the feed reports events of calendars and accounts that were removed, and those of an account linked again', async () => {
      const made = await prepare('/a/', '/b/');
      const [a = '', b = ''] = made.calendarKeys;
      await write(made, a, [resource('x', event('2026-11-02T09:00:00'))]);
      await write(made, b, [
        resource('w', event('2026-11-02T09:00:00', { recurrence }), originally('2026-11-09T09:00:00')),
      ]);
      let since = { seq: (await all(made)).at(-1)?.seq ?? 0 };
      const { accounts } = made;

      const list = { key: made.accountKey, holder: 'list' };
      await made.mirror.leaseList(list, NOW, LATER);
      await made.mirror.replaceCalendars(list, [calendar('/b/')], NOW);
      assert.deepEqual(await changesIn(made, since), ['x deleted']);
      since = { seq: (await all(made)).at(-1)?.seq ?? 0 };
      await accounts.disconnect({ ...made.grant, provider: 'caldav' }, NOW);
      assert.deepEqual(await changesIn(made, since), ['w deleted']);
      const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
      await made.mirror.leaseList({ key: accountKey, holder: 'list' }, NOW, LATER);
      await made.mirror.replaceCalendars({ key: accountKey, holder: 'list' }, [calendar('/b/')], NOW);
      const [again] = await made.mirror.listCalendars(accountKey);
      await write(made, again?.calendarKey ?? '', [
        resource('w', event('2026-11-02T09:00:00', { recurrence })),
      ]);

      assert.deepEqual(await changesIn(made, since), ['w deleted', 'w created']);
    });

    it('the feed has no entry for a user whom nobody follows, nor of what a lost lease left undone', async () => {
      const made = await mirrorWith(await open(), calendar('/a/'));
      await fill(made.mirror, made.calendarKey, resource('x', event('2026-11-02T09:00:00')));
      const { changes: feed } = made;
      assert.equal(await feed.stateOf(ada, NOW), undefined);
      const state = await feed.follow(ada, NOW);

      await made.mirror.applyChanges(
        { key: made.calendarKey, holder: 'lost' },
        changesTo(resource('y', event('2026-11-02T09:00:00'))),
        LATER,
      );

      assert.deepEqual(await feed.changesAfter(made.grant, { seq: 0 }, 9), []);
      assert.ok((await feed.stateOf(ada, NOW))?.feedId === state?.feedId);
      assert.equal(await feed.follow({ clientId: 'acme', userId: 'nobody' }, NOW), undefined);
    });

    it('the feed continues behind any entry, in pages of any size', async () => {
      const made = await prepare();
      await write(
        made,
        made.calendarKey,
        Array.from({ length: 7 }, (_, i) => resource(`e${i}`, event('2026-11-02T09:00:00'))),
      );
      await write(made, made.calendarKey, [resource('f', event('2026-11-02T09:00:00'))]);
      const whole = await all(made);

      for (const size of [1, 3, 8]) {
        const pages: FeedChange[] = [];
        for (let place: FeedPlace = { seq: made.seq }; ; ) {
          const page = await made.feed.changesAfter(made.grant, place, size);
          pages.push(...page);
          const last = page.at(-1);
          if (last === undefined) break;
          place = { seq: last.seq, event: last };
        }
        assert.deepEqual(pages, whole);
      }
      assert.equal(whole.length, 8);
    });

    it('the feed lists everything there is, in pages, a series once', async () => {
      const made = await prepare('/a/', '/b/');
      const [a = '', b = ''] = made.calendarKeys;
      await write(made, a, [
        resource('x', event('2026-11-02T09:00:00')),
        resource('gone', event('2026-11-02T09:00:00', { status: 'cancelled' })),
      ]);
      await write(made, b, [
        resource('w', event('2026-11-02T09:00:00', { recurrence }), originally('2026-11-09T09:00:00')),
      ]);

      const first = await made.feed.eventsAfter([a, b], { calendarKey: '', id: '' }, 1);
      const rest = await made.feed.eventsAfter([a, b], first[0] ?? { calendarKey: '', id: '' }, 9);

      assert.deepEqual([...first, ...rest].map(({ id }) => id).sort(), ['w', 'x']);
      assert.deepEqual(await made.feed.eventsAfter([], { calendarKey: '', id: '' }, 9), []);
    });

    it('the feed forgets old changes and tells up to where', async () => {
      const made = await prepare();
      await write(made, made.calendarKey, [resource('x', event('2026-11-02T09:00:00'))]);
      const [old] = await all(made);

      assert.equal(await made.feed.forgetChanges(LATER), 0);
      const state = await made.feed.follow(ada, LATER + DAY);
      assert.equal(await made.feed.forgetChanges(LATER + 1), 1);

      assert.equal((await made.feed.stateOf(ada, LATER))?.prunedSeq, old?.seq);
      assert.equal((await made.feed.stateOf(ada, LATER))?.feedId, state?.feedId);
      assert.deepEqual(await all(made), []);
    });

    it('a feed that nobody reads ends, and a reader that returns gets a new one', async () => {
      const made = await prepare();

      await made.feed.forgetChanges(NOW + 1);

      assert.equal(await made.feed.stateOf(ada, NOW), undefined);
      assert.notEqual((await made.feed.follow(ada, NOW))?.feedId, made.feedId);
    });

    it('a feed that is read is kept, and goes with its user', async () => {
      const made = await prepare();
      await write(made, made.calendarKey, [resource('x', event('2026-11-02T09:00:00'))]);
      await made.feed.stateOf(ada, NOW + 2 * DAY);

      await made.feed.forgetChanges(NOW + DAY);
      assert.ok(await made.feed.stateOf(ada, NOW));
      await made.users.deleteUser('acme', 'ada', { now: NOW, by: undefined });

      assert.deepEqual(await made.db.all('SELECT 1 AS "one" FROM event_change'), []);
    });

    it('a reader of the feed misses nothing of many writers at once, whatever it read between their commits', async () => {
      const names = Array.from({ length: 6 }, (_, i) => `/${i}/`);
      const made = await prepare(...names);
      const ROUNDS = 8;
      const state = new Map<string, boolean>();
      let place: FeedPlace = { seq: made.seq };
      let isDone = false;
      const read = async () => {
        const page = await made.feed.changesAfter(made.grant, place, 3);
        for (const { id, deleted } of page) state.set(id, deleted === 0);
        const last = page.at(-1);
        if (last !== undefined) place = { seq: last.seq, event: last };
        return page.length;
      };
      const reading = (async () => {
        while (!isDone) {
          await read();
          await setImmediate();
        }
        while ((await read()) > 0);
      })();

      await Promise.all(
        made.calendarKeys.map(async (key, c) => {
          for (let round = 0; round < ROUNDS; round += 1) {
            const fresh = [0, 1, 2].map((i) => resource(`${c}-${round}-${i}`, event('2026-11-02T09:00:00')));
            await write(made, key, fresh, round === 0 ? [] : [`/${c}-${round - 1}-0.ics`]);
          }
        }),
      );
      isDone = true;
      await reading;

      const there = await made.db.all<{ id: string }>('SELECT event_id AS "id" FROM event ORDER BY event_id');
      const ids = [...state].filter(([, isThere]) => isThere).map(([id]) => id);
      assert.deepEqual(ids.sort(), there.map(({ id }) => id).sort());
      assert.equal(state.size, names.length * ROUNDS * 3);
    });
  });
}
