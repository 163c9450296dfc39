/**
 * Random changes at a provider, random faults and restarts of Kalends: two syncs after the last fault, an application
 * reads what the provider's own app shows.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { SandboxKind } from '../../sandbox/core/faults.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import type { DatabaseSettings } from '../../src/store/drivers/open-database.ts';
import { makeUsers, sealer } from '../contract/calendar-rows.ts';
import { type CalendarServer, link, openCalendarServer, START } from '../harness/calendar-server.ts';
import { connect, onEachDatabase, type Place } from '../harness/databases.ts';
import { rounds, scale } from '../harness/rounds.ts';
import { outlookChanges } from './outlook-changes.ts';
import { FAULTS, LASTING } from './provider-faults.ts';
import { type Read, readEvents } from './provider-reader.ts';
import { type ProviderTarget, SANDBOX_TARGETS, SCHEDULING_TARGET } from './provider-targets.ts';
import { type Pick, random, randomChanges } from './random-changes.ts';
import {
  APP,
  type MovableTime,
  movableTime,
  type SandboxOptions,
  type StartedProvider,
} from './sandbox-provider.ts';

const CHANGES = scale() < 20 ? 60 : 200;
/** `npm run soak` plays 300. */
const SEEDS = scale() < 20 ? rounds(3) : rounds(15);
/** One seed of so many is played on PostgreSQL. */
const POSTGRES_EVERY = 3;

/** CalDAV only with the server that schedules: it does everything that the other one does. */
const TARGETS = [...SANDBOX_TARGETS.filter(({ kind }) => kind !== 'caldav'), SCHEDULING_TARGET];

const ADA = { email: 'ada@people.example', name: 'Ada Lovelace' };
/** Invites Ada, and is invited by her, where the server sends invitations. */
const BEN = { email: 'ben@people.example', name: 'Ben' };
/** Contains all events of the test. Microsoft reports changes within two years. */
const WINDOW = { start: Date.UTC(2026, 5, 1), end: Date.UTC(2028, 6, 1) };
/** No read looks at more than it must while faults are about: what is synced is always the whole. */
const GLANCE = { start: START, end: START + 1 };

/** Behavior that clients of these services report. */
const HABITS: SandboxOptions = {
  google: {
    uidFindsCancelled: false,
    guestChanges: 'ignored',
    mostGuests: 1,
    instancesPerPage: 3,
    invitationEvery: 3,
  },
};

const MINUTE = 60_000;
/** Longer than anybody rests after failures, and than any access token lives. */
const ALL_OVER = 2 * 60 * MINUTE;

const placeOf = new Map<string, Place>();
onEachDatabase((database, _open, place) => placeOf.set(database, place));

for (const target of TARGETS)
  describe(`a mirror of a calendar at ${target.name}`, () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const database = seed % POSTGRES_EVERY === 0 ? 'PostgreSQL' : 'SQLite';
      const rule =
        'the mirror equals what the provider’s app shows after random changes, faults and restarts';
      it(`${rule}, seed ${seed} in ${database}`, { timeout: 300_000 }, () => play(target, seed, database));
    }
  });

async function play(target: ProviderTarget, seed: number, database: string): Promise<void> {
  const time = movableTime(START);
  const started = await target.start(time, HABITS);
  try {
    const place = await placeOf.get(database)?.();
    assert.ok(place !== undefined);
    const kalends = await Kalends.open({ target, started, time, place });
    await playChanges(kalends, random(seed));
    await compare(kalends);
    await kalends.close();
  } finally {
    await started.close();
  }
}

/** Nothing fails any more. */
async function compare(kalends: Kalends): Promise<void> {
  const { started, calendarId, time } = kalends;
  clearFaults(kalends);
  time.now += ALL_OVER;
  await kalends.reconnectIfRequired();
  await (await kalends.startRead()).outcome;
  time.now += MINUTE;
  const { events, problems } = await (await kalends.startRead(WINDOW)).outcome;

  const instances = await started.manual.instances(ADA.email, calendarId, WINDOW);
  const read = events.map(({ title, start, end, allDay }) => ({
    ...{ title, start: Date.parse(start), end: Date.parse(end), allDay },
  }));
  assert.deepEqual(problems, []);
  assert.deepEqual(read.sort(byStartThenTitle), instances);
}

const sandboxKindOf = ({ target: { kind } }: Kalends): SandboxKind => (kind === 'apple' ? 'icloud' : kind);

/** All but what the provider does all the time. */
function clearFaults(kalends: Kalends): void {
  const { faults } = kalends.started;
  const provider = sandboxKindOf(kalends);
  faults.clear();
  for (const effect of LASTING[provider] ?? []) faults.set({ provider, effect });
}

async function playChanges(kalends: Kalends, pick: Pick): Promise<void> {
  const { started, time } = kalends;
  const { faults } = started;
  const provider = sandboxKindOf(kalends);
  const effects = FAULTS[provider];
  clearFaults(kalends);
  const change = await changesOf(kalends, pick);

  for (let made = 0; made < CHANGES; made += 1) {
    await change();
    const effect = pick(4) === 0 ? effects[pick(effects.length)] : undefined;
    if (effect !== undefined) faults.set({ provider, times: 1 + pick(3), effect });
    if (pick(4) === 0) {
      time.now += (pick(15) === 0 ? 26 * 60 : 1 + pick(6)) * MINUTE;
      const { outcome } = await kalends.startRead();
      // People do not wait for us.
      if (pick(2) === 0) await change();
      // Stopped in the middle of it, as often as not.
      if (pick(6) === 0) await kalends.restart(outcome);
      else await outcome;
    }
    if (pick(12) === 0) {
      clearFaults(kalends);
      await kalends.reconnectIfRequired();
    }
  }
}

/** Returns a function that makes one random change in Ada's calendar or, if the server sends invitations, in Ben's. */
async function changesOf({ started, calendarId, target }: Kalends, pick: Pick): Promise<() => Promise<void>> {
  const { manual } = started;
  if (!target.schedules) {
    const hers = await outlookChanges(manual, ADA.email, pick);
    return randomChanges({ manual: hers, email: ADA.email, calendarId }, pick);
  }
  await manual.addPerson(BEN);
  const hisCalendar = await manual.addCalendar(BEN.email, { title: 'His', timeZone: 'Europe/Berlin' });
  const hers = randomChanges({ manual, email: ADA.email, calendarId, guests: [BEN] }, pick);
  const his = randomChanges({ manual, email: BEN.email, calendarId: hisCalendar, guests: [ADA] }, pick);
  return () => (pick(3) === 0 ? his() : hers());
}

type Opened = {
  readonly target: ProviderTarget;
  readonly started: StartedProvider;
  readonly time: MovableTime;
  readonly place: DatabaseSettings;
};

type Running = { readonly db: Database; readonly server: CalendarServer };

/** Kalends with one account, which can be stopped and started again on its database. */
class Kalends {
  readonly target: ProviderTarget;
  readonly started: StartedProvider;
  readonly time: MovableTime;
  readonly #place: DatabaseSettings;
  #running: Running;
  calendarId = '';

  private constructor({ target, started, time, place }: Opened, running: Running) {
    this.target = target;
    this.started = started;
    this.time = time;
    this.#place = place;
    this.#running = running;
  }

  static async open(opened: Opened): Promise<Kalends> {
    const { started, time, place } = opened;
    const db = connect(place);
    await migrate(
      db,
      () => time.now,
      async () => {},
    );
    await makeUsers(db);
    const kalends = new Kalends(opened, await serve(opened, db));
    await started.manual.addPerson(ADA);
    const calendar = { title: 'Work', timeZone: 'Europe/Berlin' };
    kalends.calendarId = await started.manual.addCalendar(ADA.email, calendar);
    await kalends.#connect();
    await kalends.#running.server.deps.sync.syncList(await kalends.#accountKey(), time.now);
    return kalends;
  }

  /** Starts a read, which is under way when this resolves. A failed read has an outcome too. */
  async startRead(window = GLANCE): Promise<{ readonly outcome: Promise<Read> }> {
    const { server } = this.#running;
    const { target, calendarId } = this;
    const token = await server.token();
    return { outcome: readEvents(server, token, { kind: target.kind, calendarId, window }) };
  }

  /** Lets requests under way finish with the existing data, then starts again. */
  async restart(underWay?: Promise<unknown>): Promise<void> {
    await this.close(underWay);
    this.#running = await serve(this, connect(this.#place));
  }

  /** The user signs in again where the page says so. */
  async reconnectIfRequired(): Promise<void> {
    const { accounts } = this.#running.server.deps;
    const [account] = await accounts.listAccounts('acme', 'ada');
    if (account?.health.state === 'reauth_required') await this.#connect();
  }

  async close(underWay?: Promise<unknown>): Promise<void> {
    const { server, db } = this.#running;
    await server.close();
    await underWay;
    await db.close();
  }

  async #connect(): Promise<void> {
    const signedIn = await this.started.signIn(ADA.email, { scope: 'read-write' });
    await link(this.#running.server, { provider: this.target.kind, ...signedIn });
  }

  async #accountKey(): Promise<string> {
    const [account] = await this.#running.server.deps.accounts.listAccounts('acme', 'ada');
    return account?.accountKey ?? '';
  }
}

async function serve({ target, started, time }: Omit<Opened, 'place'>, db: Database): Promise<Running> {
  const apps = { google: APP, microsoft: APP };
  const provider = { [target.kind]: started.provider };
  return { db, server: await openCalendarServer({ db, sealer, clock: time, apps, ...provider }) };
}

type Titled = { readonly start: number; readonly title: string };
const byStartThenTitle = (a: Titled, b: Titled): number =>
  a.start - b.start || (a.title < b.title ? -1 : Number(a.title > b.title));
