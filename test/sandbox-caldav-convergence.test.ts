/** Random changes on the sandbox's CalDAV servers, with faults between them: after the last one two syncs mend the mirror. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CalDavSandbox, caldavSandbox } from '../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../sandbox/core/clock.ts';
import { type FaultEffect, faultBoard } from '../sandbox/core/faults.ts';
import type { ShownInstance } from '../sandbox/core/provider-sandbox.ts';
import { ProviderError } from '../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../src/lib/egress/egress.ts';
import { expand } from '../src/lib/recurrence/expand.ts';
import { recurrenceBudget } from '../src/lib/recurrence/recurrence-budget.ts';
import type { TimeWindow } from '../src/lib/recurrence/series.ts';
import { appleProvider } from '../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../src/providers/caldav/caldav-provider.ts';
import { random, randomChanges } from './random-changes.ts';
import { rounds } from './rounds.ts';
import { type Mirror, sync } from './servers/mirror.ts';
import { recordingLog } from './servers/recording-log.ts';

const SEEDS = rounds(15);
const CHANGES = 200;
const ADA = 'ada@people.example';
const WINDOW = { start: Date.UTC(2026, 5, 1), end: Date.UTC(2028, 11, 1) };

const FAULTS: readonly FaultEffect[] = [
  { kind: 'reset' },
  { kind: 'lost_answer' },
  { kind: 'truncate' },
  { kind: 'reorder' },
  { kind: 'duplicate' },
  { kind: 'token_forgotten' },
  { kind: 'status', status: 401 },
  { kind: 'status', status: 403 },
  { kind: 'status', status: 429, retryAfter: 1 },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503 },
];

for (const kind of ['caldav', 'icloud'] as const)
  describe(`a mirror of a calendar at the sandbox’s ${kind}`, () => {
    const faults = faultBoard();
    const { log } = recordingLog();
    let sandbox: CalDavSandbox;
    let egress: Egress;
    before(async () => {
      egress = createEgress({ privateNetwork: { mode: 'loopback' } });
      // Small parts, so that changes happen between them.
      sandbox = await caldavSandbox({ kind, clock: sandboxClock(), faults, syncPage: 10 });
      await sandbox.hand.addPerson({ email: ADA, name: 'Ada' });
    });
    after(async () => {
      await egress?.close();
      await sandbox?.close();
    });

    for (let seed = 1; seed <= SEEDS; seed += 1)
      it(`equals what the provider’s app shows after random changes and faults, seed ${seed}`, () =>
        run(seed));

    async function run(seed: number): Promise<void> {
      const pick = random(seed);
      const calendar = await sandbox.hand.addCalendar(ADA, {
        title: `Seed ${seed}`,
        timeZone: 'Europe/Berlin',
      });
      const account = await openAccount();
      const change = randomChanges(sandbox.hand, ADA, calendar, pick);
      const mirror: Mirror = new Map();
      let token: string | undefined;
      const trySync = async () => {
        try {
          token = (await sync(account, calendar, mirror, token)).next;
        } catch (failure) {
          if (!(failure instanceof ProviderError)) throw failure;
          if (failure.kind === 'sync_token_expired') token = undefined;
        }
      };

      for (let made = 0; made < CHANGES; made += 1) {
        await change();
        const effect = FAULTS[pick(FAULTS.length * 4)];
        if (effect !== undefined) faults.set({ provider: kind, times: 1 + pick(3), effect });
        if (pick(4) === 0) await trySync();
      }
      faults.clear();
      await trySync();
      await trySync();

      assert.deepEqual(shownIn(mirror), await sandbox.hand.instances(ADA, calendar, WINDOW));
    }

    async function openAccount() {
      const deps = { egress, log, now: Date.now };
      const provider =
        kind === 'icloud' ? appleProvider({ ...deps, serverUrl: sandbox.origin }) : caldavProvider(deps);
      const login = { server: sandbox.origin, username: ADA, password: sandbox.passwordOf(ADA) };
      return provider.open((await provider.signIn.verify(login)).credentials);
    }
  });

function shownIn(mirror: Mirror, window: TimeWindow = WINDOW): ShownInstance[] {
  const shown = [...mirror.values()].flatMap(({ events }): ShownInstance[] => {
    const master = events.find(({ recurrenceId }) => recurrenceId === undefined);
    const overrides = events.flatMap((event) => {
      const { recurrenceId, start, end, title, status } = event;
      return recurrenceId === undefined
        ? []
        : { recurrenceId, start, end, cancelled: status === 'cancelled', payload: title };
    });
    const series = { overrides, ...(master && { master: { ...master, payload: master.title } }) };
    const { instances } = expand(series, window, 'Europe/Berlin', recurrenceBudget());
    return instances.map(({ startsAt, endsAt, payload, originalStart }) => ({
      title: payload,
      start: startsAt,
      end: endsAt,
      allDay: originalStart.type === 'date',
    }));
  });
  return shown.sort((a, b) => a.start - b.start || (a.title < b.title ? -1 : Number(a.title > b.title)));
}
