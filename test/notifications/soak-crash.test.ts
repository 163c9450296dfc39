/**
 * kill -9 of the shipped program at random while Google reports changes and they are delivered: nothing is lost or out
 * of order, and any cursor leads to the same state. On PostgreSQL there are two instances, and either is killed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { onEachDatabase } from '../harness/databases.ts';
import type { Program } from '../harness/program.ts';
import { rounds, scale } from '../harness/rounds.ts';
import { rowsOf } from '../soak/whole-groups.ts';
import { askAs, type Followers, openFollowers, type Person, until } from './google-followers.ts';
import { mirrored, missedAfter } from './reading-on.ts';
import { differences } from './told-state.ts';

const ROUNDS = scale() < 20 ? rounds(2) : rounds(10);
const PEOPLE = 4;
const EVENTS = 6;
const LONGEST_LOAD_MS = 1_200;
/** The number of collected cursors that reads continue from. */
const READ_ON = 40;
/** A job that was killed repeatedly is retried later each time. */
const LAST_WAIT_MS = 600_000;

onEachDatabase((database, _open, place) => {
  describe(`kill -9 during deliveries, on ${database}`, () => {
    let followers: Followers;
    let databaseUrl: string | undefined;
    before(async () => {
      ({ databaseUrl } = await place());
      followers = await openFollowers({ people: PEOPLE, databaseUrl });
    });
    after(() => followers?.close());

    it('loses nothing and keeps the order, whenever it strikes', async (t) => {
      const { programs, people, told, held } = followers;
      const answers = failOnce(followers);
      const edits = editing(followers);

      for (let round = 0; round < ROUNDS; round += 1) {
        const program = programs[Math.floor(Math.random() * programs.length)];
        edits.begin();
        await sleep(50 + Math.random() * LONGEST_LOAD_MS);
        await program?.kill();
        await edits.end();
        if (round < ROUNDS - 1 || scale() === 1) await endLeases(programs, databaseUrl);
        await program?.start();
      }
      answers.calm();
      // Changes that Google reported while no program ran are read with the next ones.
      for (const person of people) await followers.make(person, 'the last');
      const isTold = () => differences(told.events(), held).length === 0;
      await until('all is told', isTold, LAST_WAIT_MS).catch(() => {});

      assert.deepEqual(differences(told.events(), held), []);
      assert.deepEqual(told.faults, []);
      const readOn = await checkReaders(followers);
      t.diagnostic(
        `${ROUNDS} kills: ${edits.count()} changes, ${told.messages()} messages, ${answers.failed()} refused once, read on from ${readOn} cursors`,
      );
    });
  });
});

/**
 * As two minutes do: what the killed process was syncing is synced again. Syncs come to their end in that time, and are not set
 * aside for a day as one is that takes its process with it three times. After the last kill of a soak they are waited for.
 */
async function endLeases(programs: readonly Program[], databaseUrl: string | undefined): Promise<void> {
  const [program] = programs;
  assert.ok(program !== undefined);
  for (const change of [
    'UPDATE job SET run_at = 1, unfinished = 0 WHERE lease_holder IS NOT NULL',
    'UPDATE calendar SET lease_until = 1, unfinished_syncs = 0 WHERE lease_until > 1',
    'UPDATE account SET lease_until = 1, unfinished_syncs = 0 WHERE lease_until > 1',
  ])
    await rowsOf(change, program, databaseUrl);
}

/** One message in ten is refused when it comes first. */
function failOnce({ receiver, told }: Followers) {
  const refused = new Set<string>();
  let isCalm = false;
  receiver.answer = (received) => {
    receiver.received.length = 0;
    const id = String(received.headers['webhook-id']);
    const isTaken = isCalm || refused.has(id) || Math.random() > 0.1;
    if (!isTaken) refused.add(id);
    told.hear(received, isTaken);
    return { status: isTaken ? 204 : 500 };
  };
  return {
    calm: () => {
      isCalm = true;
    },
    failed: () => refused.size,
  };
}

/** Changes events at Google until it is ended. */
function editing(followers: Followers) {
  const ids = new Map<Person, string[]>(followers.people.map((person) => [person, []]));
  let isOn = false;
  let count = 0;
  let under: Promise<void> = Promise.resolve();
  const edit = async () => {
    for (; isOn; await sleep(20)) {
      count += 1;
      const [person, known] = [...ids][count % PEOPLE] ?? [];
      if (person === undefined || known === undefined) return;
      const index = Math.floor(Math.random() * EVENTS);
      const id = known[index];
      if (id === undefined) known.push(await followers.make(person, `Made ${count}`));
      else if (Math.random() < 0.2) {
        known.splice(index, 1);
        await followers.remove(person, id);
      } else await followers.change(person, id, `Changed ${count}`);
    }
  };
  return {
    begin() {
      isOn = true;
      under = edit();
    },
    end() {
      isOn = false;
      return under;
    },
    count: () => count,
  };
}

/** Asserts that deliveries, and reads from any cursor, match the mirror. Returns the number of cursors. */
async function checkReaders({ application, people, told }: Followers): Promise<number> {
  const places = told.places();
  let count = 0;
  for (const person of people) {
    const ask = askAs(application, person);
    const state = await mirrored(ask);
    const events = told.events();
    assert.deepEqual(
      [...state].filter(([id, text]) => events.get(id) !== text),
      [],
    );
    const own = places.filter(({ userId }) => userId === person.userId).slice(-READ_ON / PEOPLE);
    for (const one of own) {
      const hrefOf = () => person.calendarId;
      assert.deepEqual(await missedAfter(one, ask, { state, hrefOf }), []);
      count += 1;
    }
  }
  return count;
}
