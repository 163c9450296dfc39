/**
 * Contract tests for incomplete calendar lists in a MirrorStore. Each database's test calls them with its own database.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { NOW } from './calendar-rows.ts';
import { calendar, mirrorWith } from './mirror-rows.ts';

const CUT = { kind: 'too_large', message: 'Too many', reason: 'too_many_calendars' } as const;
const DOWN = { kind: 'unavailable', message: 'Down' } as const;

export function calendarListContract(database: string, open: () => Promise<Database>): void {
  describe(`CalendarList on ${database}`, () => {
    it('what is said of a list that is not whole is as old as the list, and gone with the next that is whole', async () => {
      const { mirror, accountKey } = await mirrorWith(await open(), calendar('/a/'));

      await mirror.noteCutList(accountKey, CUT);
      const cut = await mirror.findList(accountKey);
      const lease = { key: accountKey, holder: 'next' };
      await mirror.leaseList(lease, NOW + 1, NOW + 2);
      await mirror.replaceCalendars(lease, [calendar('/a/')], NOW + 1);

      assert.deepEqual(cut, { syncedAt: NOW, failedAt: NOW, failure: CUT });
      assert.equal((await mirror.findList(accountKey))?.failure, undefined);
    });

    it('what is said of a list that is not whole hides no failure that came meanwhile', async () => {
      const { mirror, accountKey } = await mirrorWith(await open(), calendar('/a/'));
      const lease = { key: accountKey, holder: 'next' };
      await mirror.leaseList(lease, NOW + 1, NOW + 2);
      await mirror.failList(lease, DOWN, NOW + 1);

      await mirror.noteCutList(accountKey, CUT);

      assert.deepEqual((await mirror.findList(accountKey))?.failure, DOWN);
    });

    it('of an object of a calendar that is too long for answers nothing is kept', async () => {
      const db = await open();
      const { mirror, accountKey } = await mirrorWith(
        db,
        calendar('/a/', { original: { long: 'ü'.repeat(40_000) } }),
      );

      const [kept] = await mirror.listCalendars(accountKey);

      assert.deepEqual(kept?.original, {});
    });
  });
}
