/** The watches of an account, over months of a clock, at a provider that refuses, forgets and ends them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { AccountStore } from '../../src/calendars/account-store.ts';
import type { CalendarProvider } from '../../src/calendars/calendar-provider.ts';
import type { CalendarWatching, WatchHook } from '../../src/calendars/calendar-watching.ts';
import { ProviderError, UnsupportedByProvider } from '../../src/calendars/provider-error.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import {
  keepWatches,
  type WatchedAccount,
  type WatchesDeps,
  watchCap,
} from '../../src/watches/keep-watches.ts';
import { readSince, watchedExtent } from '../../src/watches/watch.ts';
import { makeAccount, makeCalendar } from '../contract/grant-rows.ts';
import { type CalendarServer, openCalendarServer, START } from '../harness/calendar-server.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LIFE = 7 * DAY;
const never = new AbortController().signal;

describe('the watches of an account', () => {
  let server: CalendarServer;
  let deps: WatchesDeps;
  /** The watches that the provider holds, by our id. */
  let held: Map<string, { readonly href: string | undefined; readonly token: string }>;
  let refusal: (href: string | undefined) => Error | undefined;
  let renews: boolean;
  let most: number;
  let scheduled: string[];

  const calendars = ['c0', 'c1'].map((key) => ({ calendarKey: key, href: key, syncedAt: START }));
  const keep = (followed = true, of: WatchedAccount['calendars'] = calendars) =>
    keepWatches({ accountKey: 'acme-ada', provider: 'google', followed, calendars: of }, deps, never);
  const hrefs = () => [...held.values()].map(({ href }) => href ?? 'list').toSorted();
  const hearAll = async () => {
    for (const watchId of held.keys()) await deps.watches.trustFrom(watchId, server.clock.now);
  };

  beforeEach(async () => {
    server = await openCalendarServer({ sealer: createSealer(randomBytes(32)) });
    held = new Map();
    scheduled = [];
    refusal = () => undefined;
    renews = false;
    most = 0;
    await makeAccount(server.db, 'acme', 'ada');
    for (const { calendarKey } of calendars) await makeCalendar(server.db, calendarKey, START);
    const watch = async (href: string | undefined, { watchId, token, url }: WatchHook) => {
      assert.equal(url, 'https://kalends.example/hook');
      const error = refusal(href);
      if (error !== undefined) throw error;
      held.set(watchId, { href, token });
      most = Math.max(most, held.size);
      return { remoteId: `r-${watchId}`, expiresAt: server.clock.now + LIFE };
    };
    const watching: CalendarWatching = {
      provesReach: false,
      watch,
      watchList: (hook) => watch(undefined, hook),
      async stop({ watchId, remoteId }) {
        assert.equal(remoteId, `r-${watchId}`);
        held.delete(watchId);
      },
    };
    const renew = async (remoteId: string) => {
      if (!held.has(remoteId.slice(2))) throw new ProviderError('not_found', 'gone');
      return { remoteId, expiresAt: server.clock.now + LIFE };
    };
    const account = { accountKey: 'acme-ada', provider: 'google' };
    const open = () => ({ watching: renews ? { ...watching, renew } : watching });
    deps = {
      watches: server.deps.watches,
      // Only these members of the account store and the provider are used.
      accounts: {
        findAccount: async () => account,
        credentialsOf: async () => ({}),
      } as unknown as AccountStore,
      providers: { google: { open } as unknown as CalendarProvider },
      sessions: server.deps.sessions,
      jobs: { schedule: async (kind, key) => void scheduled.push(`${kind} ${key}`) },
      receiverUrl: () => 'https://kalends.example/hook',
      log: server.log,
      now: () => server.clock.now,
    };
  });
  afterEach(() => server.close());

  it('are made once for the list and each calendar that was read, and each is read again then', async () => {
    const unread = [...calendars, { calendarKey: 'c2', href: 'c2', syncedAt: undefined }];
    await keep(true, unread);
    await keep(true, unread);
    assert.deepEqual(hrefs(), ['c0', 'c1', 'list']);
    assert.deepEqual(scheduled.toSorted(), ['sync-calendar c0', 'sync-calendar c1']);
  });

  it('are requested up to a limit per minute; the next run continues', async () => {
    deps = { ...deps, mayAskForWatch: watchCap(deps.now, 2) };
    await keep();
    assert.deepEqual(hrefs(), ['c0', 'list']);
    await keep();
    assert.equal(held.size, 2);

    server.clock.now += 60_000;
    await keep();
    assert.deepEqual(hrefs(), ['c0', 'c1', 'list']);
  });

  it('count after their first push notification: until then everything is read as before', async () => {
    const made = await keep();
    const calendar = { calendarKey: 'c0', failure: undefined };
    const { clock } = server;
    assert.equal(watchedExtent(['c0', 'c1'], made, clock.now), 'little');
    assert.equal(readSince(calendar, made, clock.now), clock.now);

    clock.now += 5_000;
    await hearAll();
    const heard = await keep();
    assert.equal(watchedExtent(['c0', 'c1'], heard, clock.now), 'all');
    assert.equal(readSince(calendar, heard, clock.now + HOUR), clock.now);
    assert.equal(readSince(calendar, heard, clock.now + DAY), clock.now + DAY - 9 * HOUR);
    assert.equal(readSince({ ...calendar, failure: {} }, heard, clock.now + HOUR), clock.now + HOUR);
  });

  for (const kind of ['replaced', 'renewed'] as const)
    it(`never lapse in 60 days and are ${kind} before they end, however often it is looked`, async () => {
      renews = kind === 'renewed';
      await keep();
      await hearAll();
      for (let half = 0; half < 120; half += 1) {
        server.clock.now += 12 * HOUR;
        const before = await deps.watches.listWatches('acme-ada');
        assert.equal(watchedExtent(['c0', 'c1'], before, server.clock.now), 'all');
        await keep();
        await hearAll();
      }
      await keep();
      assert.deepEqual(hrefs(), ['c0', 'c1', 'list']);
      assert.ok(most <= 6);
    });

  it('one that its provider no longer has is created again', async () => {
    renews = true;
    const [first] = await keep();
    await hearAll();
    held.delete(first?.watchId ?? '');
    await deps.watches.renewSoon(first?.watchId ?? '', true);
    await keep();
    assert.deepEqual(hrefs(), ['c0', 'c1', 'list']);
  });

  for (const told of ['told of nothing yet', 'told of a change already'] as const)
    it(`one whose process died while it was asked for, and ${told}, is made again at the next look`, async () => {
      const { watches } = deps;
      const dies = { ...watches, settleWatch: () => Promise.reject(new Error('the process is gone')) };
      const dying = { accountKey: 'acme-ada', provider: 'google', followed: true, calendars } as const;
      await assert.rejects(keepWatches(dying, { ...deps, watches: dies }, never), /is gone/);
      if (told !== 'told of nothing yet') await hearAll();
      assert.equal((await watches.listWatches('acme-ada')).length, 1);
      held.clear();

      server.clock.now += 1_000;
      await keep();
      assert.deepEqual(hrefs(), ['c0', 'c1', 'list']);
      await hearAll();
      await keep();
      const kept = await watches.listWatches('acme-ada');
      assert.deepEqual([kept.length, new Set(kept.map(({ state }) => state))], [3, new Set(['live'])]);
    });

  it('a calendar that cannot be watched is tried again after a week, one that was refused after an hour', async () => {
    const asked: string[] = [];
    refusal = (href) => {
      asked.push(href ?? 'list');
      if (href === 'c0') return new UnsupportedByProvider('field_not_supported_by_provider', 'no');
      return href === 'c1' ? new ProviderError('invalid_response', 'refused') : undefined;
    };
    const made = await keep();
    assert.equal(watchedExtent(['c0'], made, server.clock.now), 'most');
    assert.equal(watchedExtent(['c0', 'c1'], made, server.clock.now), 'little');
    await keep();
    assert.deepEqual(asked, ['list', 'c0', 'c1']);
    server.clock.now += HOUR;
    await keep();
    assert.deepEqual(asked, ['list', 'c0', 'c1', 'c1']);
    server.clock.now += 7 * DAY;
    await keep();
    assert.deepEqual(asked.slice(4).toSorted(), ['c0', 'c1', 'list']);
    assert.equal(
      (await deps.watches.listWatches('acme-ada')).filter(({ calendarKey }) => calendarKey === 'c1').length,
      1,
    );
  });

  it('a provider that asks to wait is asked for no further one, and again at the next look', async () => {
    let refused = 0;
    refusal = () => {
      refused += 1;
      return new ProviderError('rate_limited', 'wait');
    };
    assert.deepEqual(await keep(), []);
    assert.equal(refused, 1);
    refusal = () => undefined;
    await keep();
    assert.deepEqual(hrefs(), ['c0', 'c1', 'list']);
  });

  it('are stopped when nobody waits for the account any more, and where nothing reaches us', async () => {
    await keep();
    await keep(false);
    assert.deepEqual(hrefs(), []);
    assert.deepEqual(await deps.watches.listWatches('acme-ada'), []);
    await keep();
    await keepWatches(
      { accountKey: 'acme-ada', provider: 'google', followed: true, calendars },
      { ...deps, receiverUrl: () => undefined },
      never,
    );
    assert.deepEqual(hrefs(), []);
  });

  it('that of a calendar which is gone or left out is stopped', async () => {
    await keep();
    await keep(true, calendars.slice(0, 1));
    assert.deepEqual(hrefs(), ['c0', 'list']);
  });
});
