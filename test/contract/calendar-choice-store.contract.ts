/** Contract tests for CalendarChoiceStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../src/store/drivers/database.ts';
import { takeChoice } from '../../src/store/mirror/calendar-choice-store.ts';
import { accountApart, NOW, newAccount, openWithUsers } from './calendar-rows.ts';
import {
  calendar,
  changesTo,
  event,
  fill,
  LATER,
  leased,
  listed,
  mirrorWith,
  resource,
} from './mirror-rows.ts';

const ada = { clientId: 'acme', userId: 'ada' };
const meeting = (name: string) => resource(name, event('2026-11-02T09:00:00'));

export function calendarChoiceStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const made = await mirrorWith(await open(), calendar('/a/', { color: '#123456' }), calendar('/b/'));
    const { calendarKeys, calendarChoices: choices, accountKey, db } = made;
    const [a = '', b = ''] = calendarKeys;
    const choose = (chosen: readonly string[], onlyThese = false) =>
      choices.chooseCalendars(accountKey, { chosen, onlyThese }, NOW);
    const offered = async () =>
      (await choices.chosenCalendars(accountKey))?.calendars.map(
        ({ title, isChosen }) => `${title} ${isChosen ? 'in' : 'out'}`,
      );
    const jobs = async () => {
      const rows = await db.all<{ key: string }>("SELECT key FROM job WHERE kind = 'sync-calendar'");
      return rows.map(({ key }) => key);
    };
    const events = async () => {
      const rows = await db.all<{ id: string }>('SELECT event_id AS "id" FROM event ORDER BY event_id');
      return rows.map(({ id }) => id);
    };
    return { ...made, schedule: made.jobs.schedule, choices, choose, offered, jobs, events, a, b };
  };

  describe(`CalendarChoiceStore on ${database}`, () => {
    it('all calendars are chosen at first, and of an account without a list nothing is known', async () => {
      const { choices, accountKey, a, b } = await prepare();

      assert.deepEqual(await choices.chosenCalendars(accountKey), {
        onlyThese: false,
        calendars: [
          { calendarKey: a, title: 'Calendar /a/', color: '#123456', isChosen: true },
          { calendarKey: b, title: 'Calendar /b/', color: undefined, isChosen: true },
        ],
      });
      assert.equal(await choices.chosenCalendars('nobody'), undefined);
      const other = await openWithUsers(open);
      const { accountKey: fresh } = await other.accounts.linkAccount(newAccount(), NOW);
      assert.equal(await other.calendarChoices.chosenCalendars(fresh), undefined);
    });

    it('a calendar that is left out is gone for syncs and writes, with its events and its job', async () => {
      const { mirror, schedule, choose, offered, jobs, events, accountKey, a, b } = await prepare();
      await fill(mirror, a, meeting('x'));
      await fill(mirror, b, meeting('y'));
      await schedule('sync-calendar', a, LATER);

      await choose([b]);

      assert.deepEqual(await offered(), ['Calendar /a/ out', 'Calendar /b/ in']);
      assert.equal(await mirror.findCalendar(a), undefined);
      assert.equal(await mirror.leaseCalendar({ key: a, holder: 'late' }, NOW, LATER), undefined);
      const calendars = await mirror.listCalendars(accountKey);
      assert.deepEqual(
        calendars.map(({ calendarKey }) => calendarKey),
        [b],
      );
      assert.deepEqual(await events(), ['y']);
      assert.deepEqual(await jobs(), []);
    });

    it('a sync that is under way writes nothing more into a calendar that was left out', async () => {
      const { mirror, choose, events, a, b } = await prepare();
      const lease = await leased(mirror, a);

      await choose([b]);

      assert.equal(await mirror.applyChanges(lease, changesTo(meeting('x')), LATER), false);
      assert.equal(await mirror.finishSync(lease, 'token', NOW), false);
      await choose([a, b]);
      assert.equal(await mirror.applyChanges(lease, changesTo(meeting('x')), LATER), false);
      assert.deepEqual(await events(), []);
    });

    it('events of calendars that are left out are reported as deleted, and as created when they come back', async () => {
      const { mirror, changes, grant, choose, a, b } = await prepare();
      const { seq = 0 } = (await changes.follow(ada, NOW)) ?? {};
      await fill(mirror, a, meeting('x'));
      const told = async () =>
        (await changes.changesAfter(grant, { seq }, 9)).map(({ id, deleted, createdSeq }) => {
          return [id, deleted, createdSeq > seq];
        });

      await choose([b]);
      assert.deepEqual(await told(), [['x', 1, true]]);
      await choose([a, b]);
      await fill(mirror, a, meeting('x'));

      assert.deepEqual(await told(), [['x', 0, true]]);
    });

    it('a calendar that is chosen again is synced again, and calendars whose choice did not change are left alone', async () => {
      const { mirror, choose, jobs, a, b } = await prepare();
      await fill(mirror, a, meeting('x'));
      await fill(mirror, b, meeting('y'));
      await choose([b]);

      await choose([a, b]);

      assert.deepEqual(await jobs(), [a]);
      const [again, other] = [await mirror.findCalendar(a), await mirror.findCalendar(b)];
      assert.deepEqual([again?.syncToken, again?.syncedAt], [undefined, undefined]);
      assert.deepEqual([other?.syncToken, other?.syncedAt], ['token', NOW]);
    });

    it('a failure of a calendar that was left out no longer counts', async () => {
      const { db, mirror, choose, a, b } = await prepare();
      const lease = await leased(mirror, a);
      await mirror.failSync(lease, { kind: 'unavailable', message: 'down' }, NOW);

      await choose([b]);

      assert.deepEqual(await db.all('SELECT href FROM calendar WHERE sync_error IS NOT NULL'), []);
    });

    it('a calendar that appears later is in, and left out where only what was chosen is wanted', async () => {
      const { accountKey, choices, choose, offered, a, ...stores } = await prepare();
      const three = ['/a/', '/b/', '/c/'].map((href) => calendar(href));
      await choose([a]);
      await listed(stores, accountKey, three);
      assert.deepEqual(await offered(), ['Calendar /a/ in', 'Calendar /b/ out', 'Calendar /c/ in']);

      await choose([a], true);
      await listed(stores, accountKey, [...three, calendar('/d/')]);

      assert.equal((await choices.chosenCalendars(accountKey))?.onlyThese, true);
      const all = ['Calendar /a/ in', 'Calendar /b/ out', 'Calendar /c/ out', 'Calendar /d/ out'];
      assert.deepEqual(await offered(), all);
    });

    it('a calendar is taken in by its name, and no other with it', async () => {
      const { accountKey, choices, choose, offered, jobs, b } = await prepare();
      await choose([], true);

      await choices.includeCalendar(accountKey, '/b/', NOW);
      await choices.includeCalendar(accountKey, '/unknown/', NOW);

      assert.deepEqual(await offered(), ['Calendar /a/ out', 'Calendar /b/ in']);
      assert.deepEqual(await jobs(), [b]);
      assert.equal((await choices.chosenCalendars(accountKey))?.onlyThese, true);
    });

    it('a choice is taken over by an account that is the same, where there is one', async () => {
      const { accounts, db, mirror, choices, choose, offered, accountKey, b } = await prepare();
      const { accountKey: twin } = await accounts.linkAccount(accountApart('later'), NOW);
      const [, , twinC = ''] = await listed({ mirror }, twin, [
        calendar('/a/'),
        calendar('/b/'),
        calendar('/c/'),
      ]);
      const take = () => db.transaction((tx) => takeChoice(tx, { from: twin, to: accountKey, now: NOW }));
      await choose([b]);

      await take();
      assert.deepEqual(
        await offered(),
        ['Calendar /a/ out', 'Calendar /b/ in'],
        'nothing was chosen of the twin',
      );
      await choices.chooseCalendars(twin, { chosen: [twinC], onlyThese: true }, NOW);
      await take();

      assert.deepEqual(await offered(), ['Calendar /a/ out', 'Calendar /b/ out']);
      assert.equal((await choices.chosenCalendars(accountKey))?.onlyThese, true);
    });

    it('the loading of an account counts what was chosen', async () => {
      const { accounts, accountKey, choose, b } = await prepare();

      await choose([b]);

      assert.equal((await accounts.loadingOf('acme', 'ada')).get(accountKey)?.calendars, 1);
    });

    it('a choice changes the calendars of its own account alone', async () => {
      const { accounts, mirror, choices, choose, a } = await prepare();
      const { accountKey: other } = await accounts.linkAccount(newAccount({ accountId: 'other' }), NOW);
      const [theirs = ''] = await listed({ mirror }, other, [calendar('/theirs/')]);
      await choices.chooseCalendars(other, { chosen: [], onlyThese: false }, NOW);

      await choose([a, theirs]);
      await choices.chooseCalendars('nobody', { chosen: [theirs], onlyThese: true }, NOW);

      assert.equal((await choices.chosenCalendars(other))?.calendars[0]?.isChosen, false);
    });
  });
}
