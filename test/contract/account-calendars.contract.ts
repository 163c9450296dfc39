/** Contract tests for AccountCalendars. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import type { CalendarPlace } from '../../src/user-data/account-calendars.ts';
import { grantAll, NOW, newAccount, openWithUsers } from './calendar-rows.ts';

const HOUR = 3_600_000;

export function accountCalendarsContract(database: string, open: () => Promise<Database>): void {
  /** Creates Ada's account with calendars a to d, of which b and c share a position, and an account of Ben's. */
  const prepare = async () => {
    const stores = await openWithUsers(open);
    const { db, accounts } = stores;
    const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
    const ben = await accounts.linkAccount(newAccount({ userId: 'ben', accountId: 'ben' }), NOW);
    await grantAll(db);
    const add = (key: string, position: number, owner = accountKey) =>
      db.write(
        `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
         VALUES (:key, :owner, :key, :position, :key, 'UTC', 'read', '{}')`,
        { key, owner, position },
      );
    for (const [key, position] of [
      ['d', 2],
      ['c', 1],
      ['b', 1],
      ['a', 0],
    ] as const)
      await add(key, position);
    await add('bens', 0, ben.accountKey);
    await db.write('DELETE FROM job');
    const watch = (calendarKey: string, state: string, expiresAt: number) =>
      db.write(
        `INSERT INTO provider_watch (watch_id, account_key, calendar_key, token_hash, state, made_at, trusted_from,
           renew_at, expires_at)
         VALUES (CAST(:calendarKey AS TEXT) || :state || CAST(:expiresAt AS TEXT), :accountKey, :calendarKey, 'h', :state,
           :now, :now, :now, CAST(:expiresAt AS BIGINT))`,
        { calendarKey, accountKey, state, expiresAt, now: NOW },
      );
    const plan = (kind: string, key: string, runAt: number) =>
      db.write('INSERT INTO job (kind, key, run_at, attempts) VALUES (:kind, :key, :runAt, 0)', {
        kind,
        key,
        runAt,
      });
    const list = (page: { after?: CalendarPlace; limit?: number } = {}) =>
      stores.accountCalendars.listCalendars(accountKey, { limit: 10, now: NOW, ...page });
    return { ...stores, accountKey, watch, plan, list };
  };

  describe(`AccountCalendars on ${database}`, () => {
    it('each calendar of the account is on one page, in the order of the account', async () => {
      const { list } = await prepare();

      for (const limit of [1, 2, 10]) {
        const seen: string[] = [];
        let page = await list({ limit });
        for (let after = page.at(-1); after !== undefined; after = page.at(-1)) {
          assert.ok(page.length <= limit);
          seen.push(...page.map(({ calendarKey }) => calendarKey));
          page = await list({ limit, after });
        }
        assert.deepEqual(seen, ['a', 'b', 'c', 'd']);
      }
    });

    it('a calendar has its state and the time of the next job, its own or else its account’s', async () => {
      const { db, accountKey, list, plan } = await prepare();
      await db.write(
        `UPDATE calendar SET is_primary = 1, event_count = 7, synced_at = CAST(:now AS BIGINT), sync_error = 'calendar_gone'
          WHERE calendar_key = 'a'`,
        { now: NOW },
      );
      await db.write("UPDATE calendar SET left_out = 1 WHERE calendar_key = 'b'");
      await plan('sync-calendar', 'a', NOW + 1);
      await plan('sync-account', accountKey, NOW + 2);

      const [a, b] = await list();

      assert.deepEqual(a, {
        ...{ calendarKey: 'a', position: 0, title: 'a', isPrimary: true, isLeftOut: false, eventCount: 7 },
        ...{ syncedAt: NOW, failure: 'calendar_gone', nextAt: NOW + 1, pushedUntil: undefined },
      });
      assert.deepEqual([b?.isLeftOut, b?.syncedAt, b?.failure], [true, undefined, undefined]);
      assert.equal(b?.nextAt, NOW + 2);
    });

    it('a calendar is pushed until its last living watch ends, and by no other', async () => {
      const { list, watch } = await prepare();
      await watch('a', 'live', NOW + HOUR);
      await watch('a', 'live', NOW + 2 * HOUR);
      await watch('b', 'live', NOW);
      await watch('c', 'failed', NOW + HOUR);

      const until = (await list()).map(({ pushedUntil }) => pushedUntil);

      assert.deepEqual(until, [NOW + 2 * HOUR, undefined, undefined, undefined]);
    });
  });
}
