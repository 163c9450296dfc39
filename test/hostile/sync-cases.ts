/** Attacks of hostile servers on background work, forms and the disk. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBrowser } from '../e2e/browser.ts';
import { authorizeUrl, connect, linkAccount, read } from '../e2e/flow.ts';
import type { ShapeName } from '../servers/evil-shapes.ts';
import { rowsOf } from '../soak/whole-groups.ts';
import { type Arena, evilLogin, linkEvil, outcome } from './arena.ts';
import type { HostileCase } from './cases.ts';
import { bytesIn } from './meter.ts';

const SERVERS = 8;
/** The limit of one form (KALENDS_LIMIT_REQUESTS_PER_FORM). */
const REQUESTS_OF_A_FORM = 30;
/** The longest that a calendar's first sync may take under attack if no read waits for it. */
const SOON_MS = 15_000;
/** How long the attack runs before another user connects: by then its jobs have all the slots they can have. */
const BEFORE_MS = 3000;

/** Eight servers of forty slow calendars; an account connected meanwhile must still be synced in the background. */
export const DRIP_CASE: HostileCase = {
  name: '8 servers with 40 calendars that drip',
  async run(arena) {
    const { application } = arena;
    const hosts = Array.from({ length: SERVERS }, (_, host) => host);
    const tokens = await Promise.all(hosts.map((host) => linkEvil(arena, '40 calendars that drip', host)));
    // These reads are not awaited: their first syncs continue in the background.
    for (const token of tokens) outcome(read(application, '/events', token)).catch(() => {});
    await sleep(BEFORE_MS);
    await connect(application, { userId: 'late', login: arena.goodLogin });
    const start = performance.now();
    let synced = 0;
    while (synced === 0 && performance.now() - start < SOON_MS) {
      await sleep(200);
      synced = (await rowsOf(SYNCED, arena.program, arena.databaseUrl)).length;
    }
    const ms = Math.round(performance.now() - start);
    assert.ok(synced > 0, `a calendar that was connected is not synced after ${ms} ms`);
    return `a calendar that was connected meanwhile synced after ${ms} ms`;
  },
};

const SYNCED = `
  SELECT c.calendar_key FROM calendar AS c JOIN account AS a ON a.account_key = c.account_key
   WHERE a.user_id = 'late' AND c.synced_at IS NOT NULL`;

/** A form's server names 50,000 homes. */
export const HOMES_CASE: HostileCase = {
  name: '50,000 homes in a form',
  async run(arena) {
    const shape: ShapeName = '50,000 homes';
    const before = (await arena.evil.requests())[shape] ?? 0;
    const browser = openBrowser();
    await browser.open(authorizeUrl(arena.application, { userId: 'homes' }));
    const page = await linkAccount(browser, evilLogin(arena.evil, shape));
    const sent = ((await arena.evil.requests())[shape] ?? 0) - before;
    assert.ok(sent <= REQUESTS_OF_A_FORM, `${sent} requests for one form`);
    return `${page.status} after ${sent} requests`;
  },
};

/** A calendar larger than `most` megabytes takes no more than that on disk, plus half as much for other data. */
export const largeCalendar = (shape: ShapeName, most: number): HostileCase => ({
  name: shape,
  async run(arena: Arena) {
    const before = bytesIn(arena.program.dataDir);
    const token = await linkEvil(arena, shape);
    const paths = ['/events?start=2026-01-01T00:00:00Z&end=2026-02-01T00:00:00Z', '/calendars'];
    const seen: number[] = [];
    for (let reads = 0; reads < 20 && !seen.includes(200); reads++) {
      for (const path of paths) seen.push((await outcome(read(arena.application, path, token))).status);
    }
    const grown = (bytesIn(arena.program.dataDir) - before) / 1e6;
    assert.ok(grown < most * 1.5, `${Math.round(grown)} MB on disk`);
    return `${Math.round(grown)} MB on disk; ${seen}`;
  },
});
