/**
 * kill -9 at random moments while events are created under an Idempotency-Key and series are split: afterwards each key
 * made one event, and every series has each of its instances once.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answered,
  openWritingSite,
  send,
  type WritableProvider,
  type WritingSite,
} from '../e2e/writing-site.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { backendsEnded } from '../harness/ended-backends.ts';
import { rounds, scale } from '../harness/rounds.ts';

/** Each costs a start of the program; a soak strikes far more often. */
const ROUNDS = scale() < 20 ? rounds(2) : rounds(5);
const CREATORS = 3;
const LONGEST_LOAD_MS = 500;
const PROVIDERS: readonly WritableProvider[] = ['google', 'microsoft', 'caldav'];
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2027, 0, 1, 9);
const INSTANCES = 40;
/** The instance that is moved by an hour before the load begins, and stays so whatever is split. */
const APART = 20;

type Create = { readonly key: string; readonly body: object };
/** Creations for one calendar in one round, and their responses. */
type Load = {
  readonly provider: WritableProvider;
  readonly round: number;
  readonly answered: Map<Create, unknown>;
  readonly underWay: Set<Create>;
};

onEachDatabase((database, _open, place) => {
  describe(`kill -9 while calendars are written to, on ${database}`, () => {
    let site: WritingSite;
    let databaseUrl: string | undefined;
    before(async () => {
      ({ databaseUrl } = await place());
      site = await openWritingSite({ databaseUrl });
    });
    after(() => site?.close());

    it('a service killed while it writes makes one event of each key, and neither loses nor doubles an instance', async (t) => {
      const struck: Record<string, number> = {};
      for (let round = 0; round < ROUNDS; round++) {
        const loads = PROVIDERS.map(
          (provider): Load => ({ provider, round, answered: new Map(), underWay: new Set() }),
        );
        for (const load of loads) await makeSeries(load, site);

        const working = loads.flatMap((load) => [
          untilKilled(() => split(load, site)),
          ...Array.from({ length: CREATORS }, (_, i) => untilKilled(() => create(load, `${i}`, site))),
        ]);
        await sleep(10 + Math.random() * LONGEST_LOAD_MS);
        await site.program.kill();
        await Promise.all(working);
        for (const step of await letLeasesLapse(site, databaseUrl)) struck[step] = (struck[step] ?? 0) + 1;
        await site.program.start();

        for (const load of loads) await assertWhole(load, site);
      }
      t.diagnostic(`${database}: ${ROUNDS} kills; splits under way were ${JSON.stringify(struck)}`);
      const { stderr } = site.program.output();
      const faults = stderr.split('\n').filter((line) => line.includes('"level":50'));
      assert.deepEqual(faults, [], 'no request failed for a fault of ours');
    });
  });
});

const windowOf = (round: number) => {
  const start = FIRST_MS + round * (INSTANCES + 1) * DAY_MS;
  return { start, end: start + INSTANCES * DAY_MS };
};
const titleOf = (round: number) => `Series ${round}.`;
const iso = (instant: number) => new Date(instant).toISOString();

function ask(
  { application, token }: WritingSite,
  method: string,
  body: object,
  key?: string,
): Promise<Answered> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  return send(`${application.url}/event`, method, headers, JSON.stringify(body));
}

async function assertAnswered(answer: Promise<Answered>): Promise<Answered> {
  const { status, text } = await answer;
  assert.equal(status, 200, text);
  return answer;
}

async function makeSeries({ provider, round }: Load, site: WritingSite): Promise<void> {
  const calendar = site.calendars[provider];
  const { start } = windowOf(round);
  const times = { start: iso(start), end: iso(start + 3_600_000) };
  // A zone without clock changes: what is expected can be counted in days.
  const rule = { timeZone: 'Africa/Lagos', recurrence: { frequency: 'DAILY', count: INSTANCES } };
  const made = await assertAnswered(
    ask(site, 'POST', { ...calendar, ...times, ...rule, title: titleOf(round) }),
  );
  const instance = (await instancesOf({ provider, round }, site))[APART];
  const [from, to] = [1, 2].map((hours) => iso(start + APART * DAY_MS + hours * 3_600_000));
  const apart = { title: `${titleOf(round)} apart`, start: from, end: to, updateMode: 'this' };
  await assertAnswered(
    ask(site, 'PUT', { ...calendar, eventId: instance?.id, recurringEventId: made.body.id, ...apart }),
  );
}

/** Returns the starts that the series must have after any number of splits. */
function expectedStarts(round: number): string[] {
  const { start } = windowOf(round);
  return Array.from({ length: INSTANCES }, (_, i) => iso(start + i * DAY_MS + (i === APART ? 3_600_000 : 0)));
}

type Listed = { id: string; title: string; start: string; provider: string };

async function listedIn({ provider, round }: Pick<Load, 'provider' | 'round'>, site: WritingSite) {
  const { start, end } = windowOf(round);
  const query = new URLSearchParams({
    start: iso(start),
    end: iso(end),
    pageSize: '1000',
    calendarIds: JSON.stringify({ [provider]: [site.calendars[provider].calendarId] }),
  });
  const { application, token } = site;
  const url = `${application.url}/events?${query}`;
  const { status, text, body } = await send(url, 'GET', { authorization: `Bearer ${token}` });
  assert.equal(status, 200, text);
  // Every event has these members (docs/wire.md 2.5).
  return body.events as Listed[];
}

const instancesOf = async (load: Pick<Load, 'provider' | 'round'>, site: WritingSite): Promise<Listed[]> =>
  (await listedIn(load, site)).filter(({ title }) => title.startsWith(titleOf(load.round)));

/** Splits the series again and again, each time from another of its instances on. */
async function split(load: Load, site: WritingSite): Promise<void> {
  for (let part = 1; ; part++) {
    const instances = await instancesOf(load, site);
    const { id: eventId } = instances[Math.floor(Math.random() * instances.length)] ?? {};
    const change = { description: `Part ${part}`, updateMode: 'following' };
    await assertAnswered(ask(site, 'PUT', { ...site.calendars[load.provider], eventId, ...change }));
  }
}

async function create(load: Load, who: string, site: WritingSite): Promise<void> {
  const { start } = windowOf(load.round);
  for (let i = 0; ; i++) {
    const title = `Created ${load.provider} ${load.round} ${who} ${i}`;
    const times = { start: iso(start), end: iso(start + 3_600_000) };
    const one = { key: title, body: { ...site.calendars[load.provider], ...times, title } };
    load.underWay.add(one);
    const { body } = await assertAnswered(ask(site, 'POST', one.body, one.key));
    load.underWay.delete(one);
    load.answered.set(one, body.id);
  }
}

/** Ends when the connection is cut; anything else that goes wrong is a finding. */
async function untilKilled(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (reason) {
    // How fetch tells that the other side went away, before or while it answered.
    if (!(reason instanceof TypeError && /^(fetch failed|terminated)$/.test(reason.message))) throw reason;
  }
}

/**
 * Opens the database of the dead process, and ends its leases, as the minutes after a crash would. Answers the steps
 * that splits were left at.
 */
async function letLeasesLapse({ program }: WritingSite, databaseUrl: string | undefined): Promise<string[]> {
  const { dataDir } = program;
  await backendsEnded(databaseUrl);
  const db = connect({ databaseUrl, dataDir });
  try {
    if (databaseUrl === undefined) {
      const sql = 'SELECT integrity_check AS result FROM pragma_integrity_check';
      const rows = await db.all<{ result: string }>(sql);
      assert.deepEqual(
        rows.map(({ result }) => result),
        ['ok'],
      );
    }
    await db.write('UPDATE calendar SET lease_until = 0 WHERE lease_until IS NOT NULL RETURNING 1');
    await db.write('UPDATE account SET lease_until = 0 WHERE lease_until IS NOT NULL RETURNING 1');
    await db.write('UPDATE idempotency SET lease_until = 0 RETURNING 1');
    await db.write('UPDATE request_slot SET lease_until = 0 RETURNING 1');
    await db.write("UPDATE job SET run_at = 0 WHERE kind = 'finish-splits' RETURNING 1");
    await db.write("UPDATE job_turn SET turn_at = 0 WHERE kind = 'finish-splits' RETURNING 1");
    return (await db.all<{ step: string }>('SELECT step FROM split_journal')).map(({ step }) => step);
  } finally {
    await db.close();
  }
}

async function assertWhole(load: Load, site: WritingSite): Promise<void> {
  const { provider, round, answered, underWay } = load;
  for (const [{ key, body }, id] of [...answered].slice(-3)) {
    assert.equal(
      (await assertAnswered(ask(site, 'POST', body, key))).body.id,
      id,
      `${key} is answered as before`,
    );
  }
  for (const { key, body } of underWay) await assertAnswered(ask(site, 'POST', body, key));
  // A write finishes what was left half done before it begins.
  const { end } = windowOf(round);
  const last = { title: 'Last', start: iso(end), end: iso(end + 60_000) };
  await assertAnswered(ask(site, 'POST', { ...site.calendars[provider], ...last }));

  const events = await site.shownAt(provider, windowOf(round));
  const created = [...answered.keys(), ...underWay].map(({ key }) => key).sort();
  const series = events.filter(({ title }) => title.startsWith(titleOf(round)));
  assert.deepEqual(titlesOf(events), created, `${provider} has each event once`);
  assert.deepEqual(
    series.map(({ start }) => iso(start)),
    expectedStarts(round),
    `the series is whole at ${provider}`,
  );
  assert.equal(series[APART]?.title, `${titleOf(round)} apart`);
  const listed = await listedIn(load, site);
  assert.deepEqual(titlesOf(listed), created, 'and the listing says the same');
  assert.deepEqual(
    listed.filter(({ title }) => title.startsWith(titleOf(round))).map(({ start }) => start),
    expectedStarts(round),
  );
}

const titlesOf = (events: readonly { readonly title: string }[]): string[] =>
  events
    .map(({ title }) => title)
    .filter((title) => title.startsWith('Created'))
    .sort();
