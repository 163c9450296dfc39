/** Contract tests for AlertStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { AlertCondition, AlertStore } from '../../src/system/alert-store.ts';
import { NOW, sealer } from './calendar-rows.ts';

const MINUTE = 60_000;
const MAIL = { channel: 'mail', recipient: 'ada@example.com' } as const;
const PROBLEM: AlertCondition = {
  ...{ kind: 'check_failed', subject: 'clock', severity: 'critical' },
  ...{ summary: 'The check "clock" failed', action: 'Set it.' },
};

export function alertStoreContract(database: string, open: () => Promise<Database>): void {
  const openAlerts = async () => openStores(await open(), { sealer }).alerts;
  const apply = (alerts: AlertStore, now: number, ...conditions: AlertCondition[]) =>
    alerts.applyEvaluation(conditions, { kinds: ['check_failed'], recipients: [MAIL], now });
  const claim = (alerts: AlertStore, now: number, limit = 10) =>
    alerts.claimNotices(MAIL, { now, nextAt: now + 5 * MINUTE, limit });

  describe(`AlertStore on ${database}`, () => {
    it('opens an alert at the second evaluation in a row and resolves it at the second without it', async () => {
      const alerts = await openAlerts();
      const states = [];
      for (const [minute, isFound] of [true, false, true, true, false, true, false, false].entries()) {
        await apply(alerts, NOW + minute * MINUTE, ...(isFound ? [PROBLEM] : []));
        const [alert] = await alerts.listAlerts(9);
        states.push(alert === undefined ? 'none' : alert.resolvedAt === undefined ? 'open' : 'resolved');
      }
      assert.deepEqual(states, ['none', 'none', 'none', 'open', 'open', 'open', 'open', 'resolved']);
      const events = (await claim(alerts, NOW)).map(({ event }) => event);
      assert.deepEqual(events, ['opened', 'resolved']);
    });

    it('leaves alerts of kinds alone that were not evaluated', async () => {
      const alerts = await openAlerts();
      for (const at of [NOW, NOW + 1]) await apply(alerts, at, PROBLEM);
      const terms = { kinds: ['endpoint_unhealthy'], recipients: [MAIL], now: NOW + 2 } as const;
      for (let i = 0; i < 3; i++) await alerts.applyEvaluation([], terms);
      assert.equal((await alerts.listAlerts(9))[0]?.resolvedAt, undefined);
    });

    it('opens an alert once, with one notice, if two evaluations run at once', async () => {
      const alerts = await openAlerts();
      await apply(alerts, NOW, PROBLEM);
      await Promise.all([1, 2, 3, 4].map((i) => apply(alerts, NOW + i, PROBLEM)));
      assert.equal((await alerts.listAlerts(9)).length, 1);
      assert.equal((await claim(alerts, NOW + 9)).length, 1);
    });

    it('gives the notices of a recipient to one of concurrent callers, and to nobody before the next time', async () => {
      const alerts = await openAlerts();
      for (const at of [NOW, NOW + 1]) await apply(alerts, at, PROBLEM);
      const claims = await Promise.all([1, 2, 3, 4].map(() => claim(alerts, NOW + 2)));
      assert.deepEqual(claims.map(({ length }) => length).toSorted(), [0, 0, 0, 1]);
      assert.equal((await claim(alerts, NOW + 1 + 5 * MINUTE)).length, 0);
      const notices = await claim(alerts, NOW + 2 + 5 * MINUTE);
      assert.equal(notices.length, 1, 'the caller that had them died');
      await alerts.settleNotices(MAIL, notices, NOW);
      assert.equal((await claim(alerts, NOW + 60 * MINUTE)).length, 0);
    });

    it('claims a run once in its interval', async () => {
      const alerts = await openAlerts();
      const run = (now: number) => alerts.claimRun('alerts', { now, before: now - MINUTE });
      const first = await Promise.all([1, 2, 3].map(() => run(NOW)));
      assert.deepEqual(first.filter(Boolean), [true]);
      assert.deepEqual([await run(NOW + MINUTE), await run(NOW + MINUTE + 1)], [false, true]);
    });

    it('gives up unsent notices once, and deletes alerts resolved long ago', async () => {
      const alerts = await openAlerts();
      for (const at of [NOW, NOW + 1]) await apply(alerts, at, PROBLEM);
      assert.deepEqual([...(await alerts.giveUpNotices(NOW + 1, NOW))], []);
      assert.deepEqual([...(await alerts.giveUpNotices(NOW + 2, NOW))], [['mail', 1]]);
      assert.deepEqual([...(await alerts.giveUpNotices(NOW + 2, NOW))], []);
      assert.equal((await claim(alerts, NOW + 2)).length, 0);
      for (const at of [NOW + 2, NOW + 3]) await apply(alerts, at);
      assert.deepEqual(
        [await alerts.deleteOldAlerts(NOW + 3), await alerts.deleteOldAlerts(NOW + 4)],
        [0, 1],
      );
    });
  });
}
