/**
 * Contract tests for the changes that a ChangeFeed reports to each grant of a user. Each database's test calls them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Grant } from '../../src/oauth/grant.ts';
import { recordArrival } from '../../src/store/changes/change-journal.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { accountApart, grantAll, NOW, newAccount } from './calendar-rows.ts';
import { calendar, event, fill, LATER, listed, mirrorWith, resource } from './mirror-rows.ts';

const ada = { clientId: 'acme', userId: 'ada' };
const meeting = (name: string) => resource(name, event('2026-11-02T09:00:00'));

export function coveredChangesContract(database: string, open: () => Promise<Database>): void {
  /** Creates two groups of one user with a calendar each, and a grant for each group. */
  const prepare = async () => {
    const db = await open();
    const made = await mirrorWith(db, calendar('/mine/'));
    const account = accountApart('other', { accountId: 'other', identity: 'other' });
    const { accountKey: otherKey } = await made.accounts.linkAccount(account, NOW);
    const foreign = await grantAll(db, { accountKeys: [otherKey] });
    const [otherCalendar = ''] = await listed(made, otherKey, [calendar('/other/')]);
    const state = await made.changes.follow(ada, NOW);
    assert.ok(state);
    const told = async (grant: Grant, seq = state.seq) =>
      (await made.changes.changesAfter(grant, { seq }, 99)).map(({ id, deleted, createdSeq }) =>
        deleted === 1 ? `${id} deleted` : `${id} ${createdSeq > seq ? 'created' : 'updated'}`,
      );
    return { ...made, foreign, otherKey, otherCalendar, seq: state.seq, told };
  };

  describe(`the grants of a ChangeFeed on ${database}`, () => {
    it('a change is told to the grants that cover the group of its account, and to no other', async () => {
      const { db, mirror, calendarKey, otherCalendar, accountKey, otherKey, grant, foreign, told } =
        await prepare();
      const both = await grantAll(db, { accountKeys: [accountKey, otherKey] });

      await fill(mirror, calendarKey, meeting('mine'));
      await fill(mirror, otherCalendar, meeting('other'));

      assert.deepEqual(await told(grant), ['mine created']);
      assert.deepEqual(await told(foreign), ['other created']);
      assert.deepEqual(await told(both), ['mine created', 'other created']);
      assert.deepEqual(await told({ ...grant, coverageId: 'unknown' }), []);
    });

    it('a grant that covers an account only for busy times gets none of its changes', async () => {
      const { db, mirror, calendarKey, accountKey, told } = await prepare();
      const busy = await grantAll(db, { accountKeys: [accountKey], coveredAt: 'free-busy' });

      await fill(mirror, calendarKey, meeting('mine'));

      assert.deepEqual(await told(busy), []);
    });

    it('the events of a removed account are reported as deleted to the grants that covered it', async () => {
      const { accounts, mirror, otherCalendar, otherKey, grant, foreign, told } = await prepare();
      await fill(mirror, otherCalendar, meeting('other'));

      await accounts.removeAccount(otherKey, NOW, undefined);

      assert.deepEqual(await told(foreign), ['other deleted']);
      assert.deepEqual(await told(grant), []);
    });

    it('no change of an account is reported until it is the user’s, and then all its events are', async () => {
      const { accounts, db, mirror, grant, told, ...made } = await prepare();
      const { accountKey } = await accounts.linkAccount(accountApart('open', { accountId: 'open' }), NOW);
      const [key = ''] = await listed({ mirror }, accountKey, [calendar('/new/')]);
      await fill(mirror, key, meeting('new'), meeting('newer'));
      const later = await grantAll(db, { accountKeys: [accountKey] });
      assert.deepEqual(await told(later), []);
      const { seq = 0 } = (await made.changes.stateOf(ada, NOW)) ?? {};

      await db.transaction((tx) => recordArrival(tx, { ...ada, accountKeys: [accountKey], now: LATER }));

      assert.deepEqual(await told(later, seq), ['new created', 'newer created']);
      assert.deepEqual(await told(grant), []);
    });

    it('the events of an account that joins a group are reported to the group’s grants, deleted ones as deleted', async () => {
      const { db, mirror, otherCalendar, otherKey, accountKey, grant, told, ...made } = await prepare();
      await fill(mirror, otherCalendar, meeting('other'), meeting('gone'));
      const lease = { key: otherCalendar, holder: 'run' };
      await mirror.leaseCalendar(lease, NOW, LATER);
      await mirror.dropUnlisted(lease, ['/gone.ics'], LATER);
      const { seq = 0 } = (await made.changes.stateOf(ada, NOW)) ?? {};

      await db.transaction(async (tx) => {
        await tx.all(
          `UPDATE account SET group_id = (SELECT group_id FROM account WHERE account_key = :accountKey)
            WHERE account_key = :otherKey`,
          { accountKey, otherKey },
        );
        await recordArrival(tx, { ...ada, accountKeys: [otherKey], now: LATER });
      });

      assert.deepEqual(await told(grant, seq), ['other created']);
      assert.deepEqual(await told(grant), ['gone deleted', 'other created']);
    });

    it('an arrival is noted nowhere while nobody follows the user’s changes', async () => {
      const db = await open();
      const { mirror, calendarKey, accountKey, changes, grant } = await mirrorWith(db, calendar('/mine/'));
      await fill(mirror, calendarKey, meeting('mine'));

      await db.transaction((tx) => recordArrival(tx, { ...ada, accountKeys: [accountKey], now: NOW }));

      await changes.follow(ada, NOW);
      assert.deepEqual(await changes.changesAfter(grant, { seq: 0 }, 9), []);
    });

    it('an account of another user arrives in nobody else’s feed', async () => {
      const { accounts, db, mirror, grant, told } = await prepare();
      const { accountKey } = await accounts.linkAccount(newAccount({ userId: 'ben' }), NOW);
      await grantAll(db, { userId: 'ben' });
      const [key = ''] = await listed({ mirror }, accountKey, [calendar('/ben/')]);
      await fill(mirror, key, meeting('ben'));

      await db.transaction((tx) => recordArrival(tx, { ...ada, accountKeys: [accountKey], now: NOW }));

      assert.deepEqual(await told(grant), []);
      assert.deepEqual(await db.all('SELECT event_id FROM event_change'), []);
    });
  });
}
