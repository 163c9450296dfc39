/** From Google's push to the delivery, with many accounts: how long it takes, and that each change arrives. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { onEachDatabase } from '../harness/databases.ts';
import { scale } from '../harness/rounds.ts';
import { type Followers, openFollowers, until } from './google-followers.ts';
import { differences } from './told-state.ts';

const SMALL = scale() === 1;
const PEOPLE = SMALL ? 10 : 100;
const CHANGES = SMALL ? 30 : 1_000;
const EVERY_MS = 100;
/** Only a soak judges times: the gate runs beside other things. */
const MOST_P95_MS = 1_000;

onEachDatabase((database, _open, place) => {
  if (SMALL && database !== 'SQLite') return;

  describe(`pushes of ${PEOPLE} accounts, on ${database}`, () => {
    let followers: Followers;
    before(async () => {
      const { databaseUrl } = await place();
      followers = await openFollowers({ people: PEOPLE, databaseUrl });
    });
    after(() => followers?.close());

    it('arrive at the application', async (t) => {
      const { people, told, held, receiver } = followers;
      const began = new Map<string, number>();
      const took: number[] = [];
      const { answer } = receiver;
      receiver.answer = (received) => {
        for (const { title } of received.body.events) {
          const at = began.get(String(title));
          if (at !== undefined) took.push(performance.now() - at);
          began.delete(String(title));
        }
        return answer(received);
      };
      // A calendar's first event may be read before Google reports it.
      for (const person of people) await followers.make(person, 'the first');
      await until('the first are told', () => differences(told.events(), held).length === 0);

      for (let index = 0; index < CHANGES; index += 1) {
        const person = people[index % people.length];
        assert.ok(person !== undefined);
        began.set(`Change ${index}`, performance.now());
        await followers.make(person, `Change ${index}`);
        await sleep(EVERY_MS);
      }
      await until('all are told', () => differences(told.events(), held).length === 0);

      assert.deepEqual(told.faults, []);
      assert.equal(took.length, CHANGES);
      took.sort((a, b) => a - b);
      const at = (share: number): number => Math.round(took[Math.ceil(took.length * share) - 1] ?? 0);
      t.diagnostic(`push to delivery: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`);
      if (!SMALL) assert.ok(at(0.95) <= MOST_P95_MS, `p95 is ${at(0.95)} ms`);
    });
  });
});
