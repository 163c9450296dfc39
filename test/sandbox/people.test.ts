/** The sandbox's people: what they do is the same on every provider, and lies around today. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CalDavSandbox, caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { weekOf } from '../../sandbox/people/calendar-plan.ts';
import { ACCOUNTS, addAccounts } from '../../sandbox/people/people.ts';
import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { appleProvider } from '../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { recordingLog } from '../servers/recording-log.ts';

const DAY = 86_400_000;

describe('a week', () => {
  const rows: [string, string][] = [
    ['2026-11-16T00:00:00Z', '2026-11-16'],
    ['2026-11-22T23:59:59Z', '2026-11-16'],
    ['2027-01-01T12:00:00Z', '2026-12-28'],
  ];
  for (const [now, monday] of rows)
    it(`a week begins on Monday ${monday} for ${now}`, () => {
      const week = weekOf(Date.parse(now));

      assert.deepEqual(week.day(0), { date: monday });
      assert.deepEqual(week.at(0, '09:30', 'Europe/Berlin'), {
        dateTime: `${monday}T09:30:00`,
        timeZone: 'Europe/Berlin',
      });
    });
});

for (const kind of ['icloud', 'caldav'] as const)
  describe(`the people at the sandbox’s ${kind}`, () => {
    // The clock changes inside of their series.
    const clock = sandboxClock(() => Date.UTC(2027, 2, 17, 8));
    const { log } = recordingLog();
    let sandbox: CalDavSandbox;
    let egress: Egress;
    before(async () => {
      egress = createEgress({ privateNetwork: { mode: 'loopback' } });
      sandbox = await caldavSandbox({ kind, clock, faults: faultBoard() });
      await addAccounts(sandbox, clock.now());
    });
    after(async () => {
      await egress?.close();
      await sandbox?.close();
    });

    it('the people all have calendars with something in the coming weeks, seen by the adapter as well', async () => {
      const window = { start: clock.now(), end: clock.now() + 21 * DAY };
      const deps = { egress, log, now: clock.now };
      const provider =
        kind === 'icloud' ? appleProvider({ ...deps, serverUrl: sandbox.origin }) : caldavProvider(deps);

      for (const { person, calendars } of ACCOUNTS[kind]) {
        const { email, password = '' } = person;
        const login = { server: sandbox.origin, username: email, password };
        const account = provider.open((await provider.signIn.verify(login)).credentials);
        const listed = await account.listCalendars();
        assert.deepEqual(listed.map(({ title }) => title).sort(), calendars.map(({ title }) => title).sort());
        for (const { href, title } of listed)
          assert.ok((await sandbox.manual.instances(email, href, window)).length > 0, `${email}: ${title}`);
      }
    });
  });
