/** A program that was killed at what an attacker's server sent: it comes back, and what it took is given back. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { read } from '../e2e/flow.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { scale } from '../harness/rounds.ts';
import type { ShapeName } from '../servers/evil-shapes.ts';
import { type Arena, linkEvil, openArena, outcome } from './arena.ts';
import { assertHarmless, lineOf } from './judge.ts';
import { memoryOf, threadsOf } from './meter.ts';

const POISON: ShapeName = '8 events with 100,000 EXDATEs';
/** Both databases have to leave the poison alone; that it stays so with the next kill is seen on one. */
const killsOn = (database: string): number => (scale() > 1 ? 6 : database === 'SQLite' ? 2 : 1);
const WATCHED_MS = 2500;
/** Threads end after ten seconds without work. */
const ENDED_BY_MS = 120_000;
/** Megabytes that may be kept of an attack; V8 gives back slowly. */
const KEPT_MEGABYTES = 80;

onEachDatabase((database, _open, place) => {
  describe(`a poisoned program on ${database}`, () => {
    let arena: Arena;
    let quiet: { threads: number; memory: number };
    before(async () => {
      arena = await openArena({ databaseUrl: (await place()).databaseUrl });
      const { pid } = arena.meter;
      quiet = { threads: threadsOf(pid), memory: memoryOf(pid, 'VmRSS') };
    });
    after(() => arena?.close());

    it('a program killed while it reads poison starts as fast as before and lets nobody wait, each time', async (t) => {
      const { program, application, evil } = arena;
      const clean = arena.meter.startSeconds;
      const kills = killsOn(database);
      const token = await linkEvil(arena, POISON);
      for (let kill = 1; kill <= kills; kill++) {
        const before = (await evil.requests())[POISON] ?? 0;
        const reading = outcome(read(application, '/events', token)).catch(() => undefined);
        // Its data is on its way, unless the program has learnt to leave it alone.
        const until = performance.now() + WATCHED_MS;
        while (((await evil.requests())[POISON] ?? 0) === before && performance.now() < until)
          await sleep(10);
        await sleep(200);
        await program.kill();
        await reading;

        await arena.restart();
        const cost = arena.meter.startSeconds;
        const found = await arena.meter.during(() => sleep(WATCHED_MS));
        t.diagnostic(lineOf(`start ${kill} (${cost} s of the processor)`, found, 'nothing'));
        assertHarmless(found);
        assert.ok(cost <= clean * 2, `a start took ${cost} s of the processor, and ${clean} s before`);
      }
    });

    // The database has no part in it.
    if (database !== 'SQLite' && scale() === 1) return;
    it('others do not wait for poison that is read to its end, and threads and memory are given back', async (t) => {
      const token = await linkEvil(arena, POISON, 1);
      let seen = '';
      const found = await arena.meter.during(async () => {
        seen = (await outcome(read(arena.application, '/events', token))).text;
      });
      t.diagnostic(lineOf('the poison', found, seen));
      assertHarmless(found);
      const { pid } = arena.meter;
      const left = () => ({ threads: threadsOf(pid), memory: memoryOf(pid, 'VmRSS') });

      const until = performance.now() + ENDED_BY_MS;
      const isOver = () => left().threads <= quiet.threads && left().memory < quiet.memory + KEPT_MEGABYTES;
      while (!isOver() && performance.now() < until) await sleep(200);

      t.diagnostic(`${JSON.stringify(quiet)} before, ${JSON.stringify(left())} after`);
      assert.ok(left().threads <= quiet.threads, `${left().threads} threads, ${quiet.threads} before`);
      assert.ok(left().memory < quiet.memory + KEPT_MEGABYTES, `${left().memory} MB, ${quiet.memory} before`);
    });
  });
});
