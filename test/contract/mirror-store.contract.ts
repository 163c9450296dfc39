/** Contract tests for MirrorStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, tenTimes } from './calendar-rows.ts';
import {
  calendar,
  changesTo,
  event,
  fill,
  LATER,
  leased,
  mirrorWith,
  removalOf,
  resource,
} from './mirror-rows.ts';

export function mirrorStoreContract(database: string, open: () => Promise<Database>): void {
  const failure = { kind: 'unavailable', message: 'The server is down' } as const;

  describe(`MirrorStore on ${database}`, () => {
    it('the calendars of an account are kept in the order of the provider', async () => {
      const { mirror, accountKey } = await mirrorWith(
        await open(),
        calendar('/b/', { description: 'B', color: '#ff0000' }),
        calendar('/a/', { access: 'read' }),
      );

      const [first, second, ...others] = await mirror.listCalendars(accountKey);

      assert.deepEqual(others, []);
      assert.equal(first?.href, '/b/');
      assert.deepEqual(
        { ...second, calendarKey: '' },
        {
          ...calendar('/a/', { access: 'read' }),
          calendarKey: '',
          accountKey,
          syncToken: undefined,
          syncedAt: undefined,
          failedAt: undefined,
          failure: undefined,
        },
      );
      assert.deepEqual(await mirror.findList(accountKey), {
        syncedAt: NOW,
        failedAt: undefined,
        failure: undefined,
      });
    });

    it('calendars that are gone are dropped with their events and jobs, and the keys of the others are kept', async () => {
      const { db, mirror, accountKey, calendarKeys } = await mirrorWith(
        await open(),
        calendar('/a/'),
        calendar('/b/'),
      );
      const [remaining = '', gone = ''] = calendarKeys;
      await fill(mirror, gone, resource('x', event('2026-11-02T09:00:00')));
      await db.write("INSERT INTO job (kind, key, run_at, attempts) VALUES ('sync-calendar', :gone, 0, 0)", {
        gone,
      });

      const lease = { key: accountKey, holder: 'again' };
      await mirror.leaseList(lease, NOW, LATER);
      await mirror.replaceCalendars(lease, [calendar('/c/'), calendar('/a/', { title: 'New' })], NOW + 5);

      const listed = await mirror.listCalendars(accountKey);
      assert.deepEqual(
        listed.map(({ href, title }) => [href, title]),
        [
          ['/c/', 'Calendar /c/'],
          ['/a/', 'New'],
        ],
      );
      assert.equal(listed[1]?.calendarKey, remaining);
      assert.deepEqual(await db.all('SELECT * FROM event'), []);
      assert.deepEqual(await db.all("SELECT * FROM job WHERE kind = 'sync-calendar'"), []);
    });

    it('a calendar is listed in full once its zone changed, since floating times moved', async () => {
      const { mirror, accountKey, calendarKey } = await mirrorWith(await open(), calendar('/a/'));
      await fill(mirror, calendarKey, resource('x', event('2026-11-02T09:00:00')));
      const lease = { key: accountKey, holder: 'again' };
      await mirror.leaseList(lease, NOW, LATER);

      await mirror.replaceCalendars(lease, [calendar('/a/', { timeZone: 'Asia/Tokyo' })], NOW);

      const row = await mirror.findCalendar(calendarKey);
      assert.equal(row?.timeZone, 'Asia/Tokyo');
      assert.equal(row?.syncToken, undefined);
      assert.equal(row?.syncedAt, 0);
      assert.deepEqual(await mirror.storedVersions(calendarKey), new Map([['/x.ics', undefined]]));
    });

    it('a zone that nobody knows is taken for UTC', async () => {
      const { mirror, calendarKey } = await mirrorWith(
        await open(),
        calendar('/a/', { timeZone: 'Mars/Base' }),
      );

      assert.equal((await mirror.findCalendar(calendarKey))?.timeZone, 'UTC');
    });

    it('exactly one of ten concurrent runs has the lease of a calendar', async () => {
      const { mirror, accountKey, calendarKey } = await mirrorWith(await open(), calendar('/a/'));

      const calendars = await tenTimes((i) =>
        mirror.leaseCalendar({ key: calendarKey, holder: `h${i}` }, NOW, LATER),
      );
      const lists = await tenTimes((i) => mirror.leaseList({ key: accountKey, holder: `h${i}` }, NOW, LATER));

      assert.equal(calendars.filter(Boolean).length, 1);
      assert.equal(lists.filter(Boolean).length, 1);
    });

    it('giving the lease of a calendar back after a write leaves token and freshness as they are', async () => {
      const { mirror, calendarKey } = await mirrorWith(await open(), calendar('/a/'));
      await fill(mirror, calendarKey);
      const before = await mirror.findCalendar(calendarKey);
      const lease = await leased(mirror, calendarKey, 'write');
      await mirror.releaseCalendar({ key: calendarKey, holder: 'another' });
      assert.equal(await mirror.leaseCalendar({ key: calendarKey, holder: 'next' }, NOW, LATER), undefined);

      await mirror.releaseCalendar(lease);

      assert.deepEqual(await mirror.findCalendar(calendarKey), before);
      assert.ok(await mirror.leaseCalendar({ key: calendarKey, holder: 'next' }, NOW, LATER));
    });

    it('only its holder gives back the lease of a list, and the list stays as it is', async () => {
      const { mirror, accountKey } = await mirrorWith(await open(), calendar('/a/'));
      const before = await mirror.findList(accountKey);
      const lease = { key: accountKey, holder: 'one' };
      await mirror.leaseList(lease, NOW, LATER);
      await mirror.releaseList({ key: accountKey, holder: 'another' });
      assert.equal(await mirror.leaseList({ key: accountKey, holder: 'next' }, NOW, LATER), undefined);

      await mirror.releaseList(lease);

      assert.deepEqual(await mirror.findList(accountKey), before);
      assert.ok(await mirror.leaseList({ key: accountKey, holder: 'next' }, NOW, LATER));
    });

    it('the lease of a calendar is available again when its sync ended or failed, or when it ran out', async () => {
      const { mirror, calendarKey } = await mirrorWith(await open(), calendar('/a/'));
      const lease = (holder: string) => ({ key: calendarKey, holder });

      await mirror.finishSync(await leased(mirror, calendarKey, 'one'), undefined, NOW);
      await mirror.failSync(await leased(mirror, calendarKey, 'two'), failure, NOW);
      await leased(mirror, calendarKey, 'dead');

      assert.equal(await mirror.leaseCalendar(lease('early'), LATER - 1, LATER), undefined);
      assert.ok(await mirror.leaseCalendar(lease('late'), LATER, LATER + 1));
    });

    it('a run whose lease another took over writes nothing', async () => {
      const { db, mirror, calendarKey, accountKey } = await mirrorWith(await open(), calendar('/a/'));
      const slow = await leased(mirror, calendarKey, 'slow');
      await mirror.leaseCalendar({ key: calendarKey, holder: 'next' }, LATER, LATER + 60_000);

      const applied = await mirror.applyChanges(
        slow,
        changesTo(resource('x', event('2026-11-02T09:00:00'))),
        LATER,
      );
      const finished = await mirror.finishSync(slow, 'token', NOW);
      await mirror.failSync(slow, failure, NOW);
      const replaced = await mirror.replaceCalendars({ key: accountKey, holder: 'nobody' }, [], NOW);

      assert.deepEqual([applied, finished, replaced], [false, false, false]);
      assert.deepEqual(await db.all('SELECT * FROM event'), []);
      const row = await mirror.findCalendar(calendarKey);
      assert.deepEqual([row?.syncToken, row?.syncedAt, row?.failure], [undefined, undefined, undefined]);
    });

    it('a calendar that was disconnected while it was synced stays gone', async () => {
      const { db, accounts, mirror, grant, calendarKey } = await mirrorWith(await open(), calendar('/a/'));
      const lease = await leased(mirror, calendarKey);
      await accounts.disconnect({ ...grant, provider: 'caldav' }, NOW);

      const applied = await mirror.applyChanges(
        lease,
        changesTo(resource('x', event('2026-11-02T09:00:00'))),
        LATER,
      );

      assert.equal(applied, false);
      assert.deepEqual(await db.all('SELECT * FROM event'), []);
    });

    it('every part of a sync extends the lease', async () => {
      const { mirror, calendarKey } = await mirrorWith(await open(), calendar('/a/'));
      const lease = await leased(mirror, calendarKey);

      await mirror.applyChanges(lease, changesTo(), LATER + 60_000);

      assert.equal(await mirror.leaseCalendar({ key: calendarKey, holder: 'h' }, LATER, LATER), undefined);
    });

    it('a part stores the progress of its sync with the lease, and a write without progress keeps it', async () => {
      const { db, mirror, calendarKey } = await mirrorWith(await open(), calendar('/a/'));
      const lease = await leased(mirror, calendarKey);
      const progress = () => db.get('SELECT sync_read, sync_expected FROM calendar');

      await mirror.applyChanges(lease, { ...changesTo(), progress: { read: 5, expected: 9 } }, LATER);
      await mirror.applyChanges(lease, changesTo(resource('x', event('2026-11-02T09:00:00'))), LATER);
      const lost = { key: calendarKey, holder: 'another' };
      await mirror.applyChanges(lost, { ...changesTo(), progress: { read: 7, expected: 9 } }, LATER);
      assert.deepEqual(await progress(), { syncRead: 5, syncExpected: 9 });

      await mirror.applyChanges(lease, { ...changesTo(), progress: { read: 6, expected: undefined } }, LATER);
      assert.deepEqual(await progress(), { syncRead: 6, syncExpected: undefined });
    });

    it('a resource is replaced whole: overrides that are gone go', async () => {
      const { db, mirror, calendarKey } = await mirrorWith(await open(), calendar('/a/'));
      const recurrence = { rrules: ['FREQ=DAILY'], rdates: [], exdates: [] };
      const recurrenceId = { type: 'zoned', local: '2026-11-03T09:00:00', zone: 'Europe/Paris' } as const;
      const master = event('2026-11-02T09:00:00', { recurrence });
      await fill(mirror, calendarKey, resource('x', master, event('2026-11-03T11:00:00', { recurrenceId })));

      await fill(mirror, calendarKey, resource('x', master));

      assert.equal((await db.all('SELECT * FROM event')).length, 1);
    });

    it('any number of resources is written, those named are removed, and the etag of each is known', async () => {
      const { mirror, calendarKey } = await mirrorWith(await open(), calendar('/a/'));
      const many = Array.from({ length: 45 }, (_, i) => resource(`e${i}`, event('2026-11-02T09:00:00')));
      await fill(mirror, calendarKey, ...many, resource('empty'));

      const lease = await leased(mirror, calendarKey);
      await mirror.applyChanges(lease, removalOf('/e0.ics', '/e44.ics', '/unknown.ics'), LATER);

      const versions = await mirror.storedVersions(calendarKey);
      assert.equal(versions.size, 44);
      assert.equal(versions.get('/e1.ics'), '"e1"');
      assert.equal(versions.get('/empty.ics'), '"empty"');
    });

    it('a sync touches the resources of its own calendar only', async () => {
      const { mirror, calendarKeys } = await mirrorWith(await open(), calendar('/a/'), calendar('/b/'));
      const [a = '', b = ''] = calendarKeys;
      await fill(mirror, a, resource('x', event('2026-11-02T09:00:00')));
      await fill(mirror, b, resource('x', event('2026-11-02T09:00:00')));

      await mirror.applyChanges(await leased(mirror, a), removalOf('/x.ics'), LATER);

      assert.equal((await mirror.storedVersions(a)).size, 0);
      assert.equal((await mirror.storedVersions(b)).size, 1);
    });

    it('odd text is kept as far as text can be kept', async () => {
      const { mirror, calendarKey } = await mirrorWith(await open(), calendar('/a/', { title: 'a\0b' }));

      await fill(
        mirror,
        calendarKey,
        resource('n\0ul', event('2026-11-02T09:00:00', { uid: '\ud800', title: '\0 \ud800' })),
      );

      assert.equal((await mirror.storedVersions(calendarKey)).size, 1);
      assert.equal((await mirror.findCalendar(calendarKey))?.title, 'a\ufffdb');
    });

    it('names that no index can hold are refused as an answer of the provider that makes no sense', async () => {
      const { mirror, calendarKey } = await mirrorWith(await open(), calendar('/a/'));
      const lease = await leased(mirror, calendarKey);

      await assert.rejects(mirror.applyChanges(lease, changesTo(resource('x'.repeat(3_000))), LATER), {
        name: 'ProviderError',
        kind: 'invalid_response',
      });
    });

    it('a calendar remembers the token and the time of a sync, and what one failed of, until the next', async () => {
      const { mirror, calendarKey, accountKey } = await mirrorWith(await open(), calendar('/a/'));
      await mirror.finishSync(await leased(mirror, calendarKey), 'token', NOW);
      const afterSuccess = await mirror.findCalendar(calendarKey);

      await mirror.failSync(await leased(mirror, calendarKey), failure, NOW + 1);
      const afterFailure = await mirror.findCalendar(calendarKey);
      const again = await leased(mirror, calendarKey);
      await mirror.forgetSyncToken(again);
      const forgotten = await mirror.findCalendar(calendarKey);
      await mirror.finishSync(again, 'next', NOW + 2);
      const list = { key: accountKey, holder: 'list' };
      await mirror.leaseList(list, NOW, LATER);
      await mirror.failList(list, failure, NOW + 3);

      assert.deepEqual([afterSuccess?.syncToken, afterSuccess?.syncedAt], ['token', NOW]);
      assert.deepEqual([afterFailure?.syncToken, afterFailure?.syncedAt], ['token', NOW]);
      assert.deepEqual([afterFailure?.failedAt, afterFailure?.failure], [NOW + 1, failure]);
      assert.equal(forgotten?.syncToken, undefined);
      const row = await mirror.findCalendar(calendarKey);
      assert.deepEqual([row?.syncToken, row?.syncedAt, row?.failure], ['next', NOW + 2, undefined]);
      assert.deepEqual(await mirror.findList(accountKey), { syncedAt: NOW, failedAt: NOW + 3, failure });
    });
  });
}
