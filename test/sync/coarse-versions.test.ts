/** Servers whose lists tell less than they should: versions of whole seconds, and such that never change. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import {
  type CalDavSandbox,
  type CalDavSandboxOptions,
  caldavSandbox,
} from '../../sandbox/caldav/caldav-sandbox.ts';
import type { SandboxClock } from '../../sandbox/core/clock.ts';
import { faultBoard } from '../../sandbox/core/faults.ts';
import { START } from '../harness/calendar-server.ts';
import { rounds, scale } from '../harness/rounds.ts';
import { openPolledAccount, type PolledAccount } from './polled-account.ts';

const ADA = { email: 'ada@people.example', name: 'Ada', password: 'abcd-efgh' };
const MINUTE = 60_000;

describe('an account whose server has', () => {
  let sandbox: CalDavSandbox | undefined;
  let account: PolledAccount | undefined;
  afterEach(async () => {
    await account?.close();
    await sandbox?.close();
  });

  /** With two calendars, which were looked at. */
  const open = async (tags: CalDavSandboxOptions['tags']) => {
    const clock = { now: START };
    const ticking: SandboxClock = {
      now: () => clock.now,
      ahead: () => 0,
      turn(by) {
        clock.now += by;
      },
      reset() {},
    };
    sandbox = await caldavSandbox({
      kind: 'caldav',
      clock: ticking,
      faults: faultBoard(),
      ...(tags && { tags }),
    });
    const { manual, origin } = sandbox;
    await manual.addPerson(ADA);
    const work = await manual.addCalendar(ADA.email, { title: 'Work', timeZone: 'Europe/Berlin' });
    const home = await manual.addCalendar(ADA.email, { title: 'Home', timeZone: 'Europe/Berlin' });
    account = await openPolledAccount({ server: origin, username: ADA.email, password: ADA.password }, clock);
    await account.look();
    const add = (title: string, calendar = work) => manual.createEvent(ADA.email, calendar, draftOf(title));
    const remove = (id: string, calendar = work) => manual.deleteEvent(ADA.email, calendar, id);
    return { work, home, clock, account, add, remove };
  };

  it('versions of whole seconds shows a second change of the same second', async () => {
    const { account, clock, add } = await open('seconds');
    clock.now = Math.ceil(clock.now / 1000) * 1000 + MINUTE;
    await add('First');
    await account.look(300);
    await add('Second');

    await account.look(MINUTE);

    assert.deepEqual(await account.titles(), ['First', 'Second']);
    await account.look(MINUTE);
    const requests = await account.look(MINUTE);
    assert.equal(requests.filter((one) => one.startsWith('REPORT')).length, 0);
  });

  it('versions of whole seconds shows a second change of the same second that a read did not see', async () => {
    const { account, clock, add } = await open('seconds');
    clock.now = Math.ceil(clock.now / 1000) * 1000 + MINUTE;
    await add('First');
    await account.read(100);
    await account.look(200);
    await add('Second');

    await account.look(MINUTE);

    assert.deepEqual(await account.titles(), ['First', 'Second']);
  });

  it('versions that never change shows a change within two hours', async () => {
    const { account, add } = await open('stuck');
    for (let looks = 0; looks < 3; looks += 1) await account.look(MINUTE);
    await add('Late');
    await account.look(MINUTE);
    const before = await account.titles();

    for (let minutes = 0; minutes < 60; minutes += 5) await account.look(5 * MINUTE);

    assert.deepEqual([before, await account.titles()], [[], ['Late']]);
  });

  for (const tags of ['exact', 'seconds'] as const) {
    it(`versions (${tags}) that change at random shows everything a minute after the last change`, async () => {
      const { account, clock, work, home, add, remove } = await open(tags);
      const there = new Map<string, { title: string; calendar: string }>();
      const below = generator(7);
      const change = async (title: string) => {
        const calendar = below(2) === 0 ? work : home;
        const [id, gone] = [...there][below(Math.max(1, there.size))] ?? [];
        if (id === undefined || below(3) > 0) there.set(await add(title, calendar), { title, calendar });
        else if (there.delete(id)) await remove(id, gone?.calendar);
      };
      for (let round = 0; round < rounds(scale() < 20 ? 25 : 60); round += 1) {
        for (let steps = 3 + below(6); steps >= 0; steps -= 1) {
          clock.now += [0, 0, 0, 200, 700, 2_500][below(6)] ?? 0;
          const action = below(4);
          if (action === 0) await account.read();
          else if (action === 1) await account.look();
          else await change(`Event ${round} ${steps}`);
        }
        await account.look(MINUTE);

        const titles = [...there.values()].map(({ title }) => title).sort();
        assert.deepEqual(await account.titles(), titles, `after ${round} rounds`);
      }
    });
  }
});

/** Whole numbers below one, the same each time. */
function generator(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % most;
  };
}

const berlin = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const draftOf = (title: string) => ({
  title,
  start: berlin('2026-11-20T09:00:00'),
  end: berlin('2026-11-20T10:00:00'),
});
