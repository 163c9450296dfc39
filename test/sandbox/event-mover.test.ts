/** The button that moves an event: it does so at every provider, and brings the event back in the end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard, SANDBOX_KINDS, type SandboxKind } from '../../sandbox/core/faults.ts';
import type { ProviderSandbox, SandboxDeps } from '../../sandbox/core/provider-sandbox.ts';
import { googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import { eventMover } from '../../sandbox/people/event-mover.ts';
import { ACCOUNTS, addAccounts } from '../../sandbox/people/people.ts';

const DAY = 86_400_000;
const HALF_HOUR = 1_800_000;

const START: Readonly<Record<SandboxKind, (deps: SandboxDeps) => Promise<ProviderSandbox>>> = {
  google: googleSandbox,
  microsoft: microsoftSandbox,
  icloud: (deps) => caldavSandbox({ ...deps, kind: 'icloud' }),
  caldav: (deps) => caldavSandbox({ ...deps, kind: 'caldav', schedules: true }),
};

describe('the mover of events', () => {
  for (const kind of SANDBOX_KINDS)
    it(`the mover has one event of each account at ${kind}, and moves it half an hour at a time and back`, async (t) => {
      const clock = sandboxClock();
      const sandbox = await START[kind]({ clock, faults: faultBoard() });
      t.after(() => sandbox.close());
      const { manual } = sandbox;
      const events = await addAccounts(sandbox, clock.now());
      const mover = eventMover([{ kind, manual, events }]);

      for (const { person } of ACCOUNTS[kind]) {
        const own = new Set(
          events.filter(({ email }) => email === person.email).map(({ calendarId }) => calendarId),
        );
        const [calendarId = '', ...others] = [...own].filter((id) => mover.find(kind, id));
        const planned = mover.find(kind, calendarId);
        assert.ok(planned);
        assert.deepEqual(others, []);
        const window = { start: planned.start - DAY, end: planned.start + 2 * DAY };
        const shown = async () =>
          (await manual.instances(person.email, calendarId, window)).find(
            ({ title }) => title === planned.title,
          )?.start;

        const starts = [await shown()];
        for (let presses = 0; presses < 6; presses += 1) {
          const { start } = await mover.move(kind, calendarId);
          assert.equal(start, await shown());
          starts.push(start);
        }

        const offsets = starts.map((start) => ((start ?? 0) - planned.start) / HALF_HOUR);
        assert.deepEqual(offsets, [0, 1, 2, 3, 4, 5, 0]);
      }
    });

  it('the mover moves nothing where it has no event', async () => {
    const mover = eventMover([]);

    assert.equal(mover.find('google', 'c'), undefined);
    await assert.rejects(mover.move('google', 'c'), /no event to move/);
  });
});
