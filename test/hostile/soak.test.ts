/**
 * All attacks at once, at random, with good users beside them: half an hour by `npm run soak -- hostile`
 * (KALENDS_SOAK_MINUTES), and a few seconds otherwise.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import { scale } from '../harness/rounds.ts';
import { type Arena, forgetEvil, openArena, outcome } from './arena.ts';
import { type HostileCase, READ_CASES, SERVER_CASES } from './cases.ts';
import { lineOf } from './judge.ts';
import { ALL_SLOW, REQUEST_CASES } from './request-cases.ts';
import { DRIP_CASE, HOMES_CASE, largeCalendar } from './sync-cases.ts';

const MINUTES = scale() === 1 ? 0.05 : Number(process.env.KALENDS_SOAK_MINUTES ?? 30);
const ATTACKERS = 3;
/** The number of concurrent hostile users. */
const MOST_USERS = 12;
const LONGEST_P99_MS = 500;
/**
 * Several attacks fill every allowance: together they may take more than one alone (judge.ts), but not without limit.
 */
const MOST_MEGABYTES = 600;
const QUOTA_MEGABYTES = 60;

const QUICK = [...SERVER_CASES, ...READ_CASES, ...REQUEST_CASES, HOMES_CASE];
const SLOW = [ALL_SLOW, DRIP_CASE, largeCalendar('a calendar of 250 MB', QUOTA_MEGABYTES)];

onEachDatabase((database, _open, place) => {
  if (database !== 'SQLite' && scale() === 1) return;

  describe(`half an hour of hostile data on ${database}`, () => {
    let arena: Arena;
    before(async () => {
      const env = { KALENDS_LIMIT_MEGABYTES_PER_CALENDAR: String(QUOTA_MEGABYTES) };
      arena = await openArena({ databaseUrl: (await place()).databaseUrl, env });
    });
    after(() => arena?.close());

    it('good users read rightly and without waiting, whatever others send', async (t) => {
      const until = performance.now() + MINUTES * 60_000;
      const done: Record<string, number> = {};
      const attacks = async (cases: readonly HostileCase[]) => {
        while (performance.now() < until) {
          const { name, run } = cases[Math.floor(Math.random() * cases.length)] ?? HOMES_CASE;
          // Other tests check what an attacker receives; here it may be anything.
          await run(arena).catch((reason) => t.diagnostic(`${name}: ${reason}`));
          done[name] = (done[name] ?? 0) + 1;
          await forgetSome(arena);
        }
      };

      const found = await arena.meter.during(() =>
        Promise.all([
          ...Array.from({ length: ATTACKERS }, () => attacks(QUICK)),
          ...(MINUTES > 1 ? [attacks(SLOW)] : []),
        ]),
      );

      t.diagnostic(lineOf(`${MINUTES} minutes`, found, JSON.stringify(done)));
      t.diagnostic(`${found.reads} reads of a good user, 99 of 100 within ${Math.round(found.p99Read)} ms`);
      assert.deepEqual(found.faults, [], 'others are answered, and rightly');
      assert.ok(found.p99Read < LONGEST_P99_MS, `reads take ${found.p99Read} ms`);
      assert.ok(found.peakMegabytes < MOST_MEGABYTES, `it took ${found.peakMegabytes} MB`);
      const faults = arena.program.output().stderr.split('\n');
      assert.deepEqual(
        faults.filter((line) => line.includes('"level":50')),
        [],
      );
    });
  });
});

async function forgetSome(arena: Arena): Promise<void> {
  while (arena.evilUsers.length > MOST_USERS) {
    const userId = arena.evilUsers.shift() ?? '';
    await outcome(forgetEvil(arena, userId));
  }
}
