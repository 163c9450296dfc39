/** Runs a case and holds it to what others may notice of an attack. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { type Arena, type ArenaOptions, forgetEvil, openArena, outcome } from './arena.ts';
import type { HostileCase } from './cases.ts';
import type { Findings } from './meter.ts';

/** Milliseconds that an attack may make others wait. */
export const LONGEST_WAIT_MS = 250;
/**
 * Megabytes (10^6 bytes) that the program may take under attack: 260 on an idle machine, and up to 90 more on a busy one,
 * where V8 collects garbage later.
 */
export const MOST_MEGABYTES = 350;

const shown = (number: number): string => String(Math.round(number));

/** A line for people: what the attack did to others, and what the attacker saw. */
export const lineOf = (name: string, found: Findings, seen: string): string =>
  `${name}: others waited ${shown(found.longestHealth)} ms (turns of ${shown(found.longestStall)} ms, reads ` +
  `${shown(found.longestRead)} ms), ${shown(found.peakMegabytes)} MB of memory, ${found.diskMegabytes.toFixed(1)} MB on ` +
  `disk, ${found.threads} threads; the attacker saw ${seen}`;

/** Fails where others notice more of it than they may. */
export function assertHarmless(found: Findings): void {
  assert.deepEqual(found.faults, [], 'others are answered, and rightly');
  assert.ok(
    found.longestStall <= LONGEST_WAIT_MS,
    `the main thread was busy for ${shown(found.longestStall)} ms`,
  );
  assert.ok(found.longestHealth <= LONGEST_WAIT_MS, `others waited ${shown(found.longestHealth)} ms`);
  assert.ok(found.peakMegabytes < MOST_MEGABYTES, `it took ${shown(found.peakMegabytes)} MB`);
}

/** One arena for many cases: a case that did harm takes it along, so that the next begins on a clean one. */
export class Stage {
  readonly #options: () => Promise<ArenaOptions>;
  #arena: Arena | undefined;

  constructor(options: () => Promise<ArenaOptions>) {
    this.#options = options;
  }

  async arena(): Promise<Arena> {
    this.#arena ??= await openArena(await this.#options());
    return this.#arena;
  }

  /** Runs the case with the meter on and asserts that others did not notice. */
  async judge(t: TestContext, { name, run }: HostileCase): Promise<void> {
    const arena = await this.arena();
    let seen = '';
    let isHarmless = false;
    try {
      const found = await arena.meter.during(async () => {
        seen = await run(arena);
      });
      t.diagnostic(lineOf(name, found, seen));
      assertHarmless(found);
      isHarmless = true;
    } finally {
      if (!isHarmless) await this.close();
    }
  }

  /** Takes away what earlier cases left in the program's memory and background work, at the price of a start. */
  async renew(): Promise<void> {
    const arena = this.#arena;
    if (arena === undefined) return;
    for (const userId of arena.evilUsers.splice(0)) await outcome(forgetEvil(arena, userId));
    await arena.program.kill();
    await arena.restart();
  }

  async close(): Promise<void> {
    const arena = this.#arena;
    this.#arena = undefined;
    await arena?.close();
  }
}
