/**
 * Many accounts over many days at a provider whose pushes are lost, repeated, forged and reordered: no watch lapses, a lost
 * push is healed by a read, and renewals are spread. 1,000 accounts and 60 days by `npm run soak -- notifications`.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { makeCalendars } from '../contract/grant-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { scale } from '../harness/rounds.ts';
import { PushingProvider } from './pushing-provider.ts';

const SMALL = scale() === 1;
const ACCOUNTS = SMALL ? 15 : 1_000;
const DAYS = SMALL ? 20 : 60;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Accounts are linked over this time, and renewals are judged from its end on. */
const LINKED_OVER = 7 * DAY;
/** A look at an account passes over what was read nine hours before, and the next one is up to 14.4 hours later. */
const HEALED_WITHIN = 24 * HOUR;

onEachDatabase((database, open) => {
  if (!SMALL && database !== 'SQLite') return;

  describe(`${ACCOUNTS} accounts over ${DAYS} days, on ${database}`, () => {
    it('no watch lapses, what was lost is read, and renewals are spread', async (t) => {
      const db = await open();
      await makeCalendars(db, []);
      const world = new PushingProvider(db);
      for (let index = 0; index < ACCOUNTS; index += 1)
        await world.link(index, Math.round((index / ACCOUNTS) * LINKED_OVER));

      await world.runFor(DAYS * DAY);

      const { counts, lapses, healedAfter, forgedTaken } = world;
      t.diagnostic(`pushes: ${JSON.stringify(counts)}`);
      t.diagnostic(
        `${healedAfter.length} changes whose push was lost, read after ${hours(healedAfter, 0.5)} h (p50), ${hours(healedAfter, 1)} h (longest)`,
      );
      const spread = spreadOf(world);
      t.diagnostic(
        `renewals: ${spread.mean.toFixed(1)} an hour, most ${spread.most}; most in a minute ${spread.mostInMinute}; calls for each account and day ${world.callsADay(DAYS).toFixed(1)}`,
      );
      assert.deepEqual(lapses.slice(0, 5), []);
      assert.equal(forgedTaken, 0);
      assert.ok(healedAfter.length > 0);
      assert.ok(Math.max(...healedAfter) <= HEALED_WITHIN, `healed after ${hours(healedAfter, 1)} h`);
      assert.deepEqual(world.stale(HEALED_WITHIN), []);
      if (!SMALL) assert.ok(spread.most <= 2 * spread.mean, `${spread.most} renewals in an hour`);
    });
  });
});

function hours(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return ((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) / HOUR).toFixed(1);
}

/** By the hour: of 3,000 watches less than one is renewed in a minute, where chance alone is more than twice the mean. */
function spreadOf({ renewals, startedAt }: PushingProvider) {
  const from = startedAt + LINKED_OVER + 7 * DAY;
  const judged = renewals.filter((at) => at >= from);
  const most = (width: number): number =>
    Math.max(0, ...[...Map.groupBy(judged, (at) => Math.floor(at / width)).values()].map((of) => of.length));
  const inHours = (startedAt + DAYS * DAY - from) / HOUR;
  return { mean: judged.length / inHours, most: most(HOUR), mostInMinute: most(60_000) };
}
