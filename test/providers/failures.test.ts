/**
 * Failures of providers, played at the sandbox. Each ends in a state with a reason and an actor, which the next read of
 * calendars older than ten seconds reports. After a temporary failure, the account works again without help after five
 * minutes at most.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Actor, HealthReason } from '../../src/calendars/health-reason.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { CASES, MINUTE, status } from './failure-cases.ts';
import { type Bench, openBench, type Reading } from './provider-bench.ts';

/** An account that was read once and is well, in which something happened since. */
async function openWell(provider: ProviderKind): Promise<Bench> {
  const bench = await openBench(provider);
  await bench.addEvent('Old');
  await bench.link();
  const first = await bench.read();
  assert.deepEqual([first.titles, first.errors, first.health.state], [['Old'], [], 'active']);
  return bench;
}

const NAMES = { google: 'Google', microsoft: 'Microsoft', caldav: 'CalDAV', apple: 'iCloud' };

describe('a failure of a provider', () => {
  for (const { provider, name, cause, after = 11_000, state, reason, actor, mend } of CASES) {
    it(`${NAMES[provider]}, ${name}: ${state}, ${reason}, ${actor} must act; then it works again`, async (t) => {
      const bench = await openWell(provider);
      t.after(() => bench.close());
      await cause(bench);

      bench.pass(after);
      const failed = await bench.read();
      bench.clearFaults();
      await bench.addEvent('New');
      await mend?.(bench);
      bench.pass(5 * MINUTE);
      const mended = await bench.read();

      tellsOf(failed, { state, reason, actor });
      assert.deepEqual(mended.errors, []);
      assert.deepEqual([mended.health.state, mended.titles], ['active', ['New', 'Old']]);
    });
  }

  for (const provider of ['google', 'microsoft', 'caldav', 'apple'] as const) {
    it(`there is no failure when ${NAMES[provider]} forgets what was synced before: everything is listed again`, async (t) => {
      const bench = await openWell(provider);
      t.after(() => bench.close());
      await bench.addEvent('New');
      await bench.manual.forgetSyncTokens('ada@example.com', bench.calendarId);

      bench.pass(11_000);
      const { titles, errors, health } = await bench.read();

      assert.deepEqual([titles, errors, health.state], [['New', 'Old'], [], 'active']);
    });

    it(`there is no failure when ${NAMES[provider]} fails a single request that is made again later`, async (t) => {
      const bench = await openWell(provider);
      t.after(() => bench.close());
      bench.fault(status(500), undefined, 1);

      bench.pass(11_000);
      await bench.read();
      bench.pass(11_000);
      const { errors, health } = await bench.read();

      assert.deepEqual([errors, health.state], [[], 'active']);
    });
  }

  it('a failure is over within five minutes for every calendar, whenever each was asked last', async (t) => {
    const bench = await openWell('google');
    t.after(() => bench.close());
    bench.fault(status(503), 'events.list');
    for (let read = 0; read < 60; read += 1) {
      bench.pass(17_000);
      await bench.read();
    }

    bench.clearFaults();
    bench.pass(5 * MINUTE);
    const { errors, health } = await bench.read();

    assert.deepEqual([errors, health.state], [[], 'active']);
  });

  it('a provider that is out of order is asked less and less, however often it is read', async (t) => {
    const bench = await openWell('google');
    t.after(() => bench.close());
    bench.fault(status(503));
    const before = bench.requests('events.list');

    for (let read = 0; read < 120; read += 1) {
      bench.pass(11_000);
      await bench.read();
    }

    const requests = bench.requests('events.list') - before;
    assert.ok(requests <= 20, `${requests} requests in 22 minutes of 120 reads`);
  });
});

/**
 * Asserts that the status and the read agree. On the wire, an account is active if the user cannot fix its problem, or
 * if its credentials work (docs/wire.md 2.2).
 */
function tellsOf(reading: Reading, expected: { state: string; reason: HealthReason; actor: Actor }): void {
  const { state, reason, actor, message } = reading.health;
  assert.deepEqual({ state, reason, actor }, expected);
  const isRefused = state === 'reauth_required' && reason !== 'calendar_permission_missing';
  assert.equal(reading.syncState, isRefused ? 'reauth_required' : 'active');
  assert.equal(reading.permission === false, reason === 'calendar_permission_missing');
  assert.match(message ?? '', /\S/);
  if (reading.permission === false) return;
  const [problem] = reading.errors;
  assert.deepEqual([problem?.reason, problem?.actor], [reason, actor]);
  assert.deepEqual(reading.titles, ['Old'], 'what is known is shown');
}
