/** A write that lasts longer than the lease of its calendar. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { LEASE_MS } from '../../src/sync/lease.ts';
import { inTurn } from '../../src/writing/calendar-turn.ts';
import { openEventSite } from './event-site.ts';

it('a write keeps the turn of its calendar for as long as it lasts, and no longer', async () => {
  const { server } = await openEventSite({});
  const [row] = await server.db.all<{ calendarKey: string; accountKey: string }>(
    'SELECT calendar_key AS "calendarKey", account_key AS "accountKey" FROM calendar',
  );
  const turnOf = row ?? assert.fail('There is no calendar');
  const { clock, deps } = server;
  const isFree = async () => {
    const lease = { key: turnOf.calendarKey, holder: randomUUID() };
    return (await deps.mirror.leaseCalendar(lease, clock.now, clock.now + 1)) !== undefined;
  };
  const renewed = async () => {
    for (let tries = 0; tries < 500; tries += 1) {
      const [held] = await server.db.all<{ until: number }>('SELECT lease_until AS until FROM calendar');
      if (Number(held?.until) >= clock.now + LEASE_MS) return;
      await sleep(10);
    }
    assert.fail('The lease is not renewed');
  };

  await inTurn(
    turnOf,
    async ({ keep }) => {
      for (let passed = 0; passed < 2 * LEASE_MS; passed += LEASE_MS / 2) {
        clock.now += LEASE_MS / 2;
        await renewed();
        assert.equal(await isFree(), false, `after ${passed} ms`);
      }
      await keep({ changed: [], removed: [] });
    },
    { ...deps, renewEvery: 5 },
  );

  assert.equal(await isFree(), true);
  await server.close();
});
