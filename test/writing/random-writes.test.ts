/**
 * Writes at random at each provider of the sandbox, which finds occurrences with a model of its own: after each write the
 * event is as the response has it, no other event changed, and the provider and a published client of it show what Kalends does. A refused write
 * changed nothing and notified no attendee.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { rounds, scale } from '../harness/rounds.ts';
import { type Pick, random } from '../providers/random-changes.ts';
import type { Method } from './event-site.ts';
import { type Listed, occurrencesOf, openWitnessSite, seriesIdOf, type WitnessSite } from './witness-site.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];
const SEEDS = [1, 2, 7, 21];
/** 1,000 in `npm run soak`. */
const WRITES = rounds(scale() < 20 ? 40 : 50);
const HALF_HOUR = 1_800_000;
const DAY = 48 * HALF_HOUR;
const GUESTS = ['guest@elsewhere.example', 'other@elsewhere.example'];
/** More events than this are not created. */
const MOST_EVENTS = 12;

for (const kind of KINDS)
  describe(`random writes at ${kind}`, () => {
    for (const seed of SEEDS)
      it(`Kalends and ${kind} agree after each of ${WRITES} writes, seed ${seed}`, async () => {
        const site = await openWitnessSite(kind);
        try {
          const pick = random(seed);
          const numbers: SeriesNumbers = new Map();
          const statuses: number[] = [];
          for (let nth = 1; nth <= WRITES; nth += 1)
            statuses.push(await writeOnce(site, { pick, nth, seed, numbers }));
          const written = statuses.filter((status) => status === 200).length;
          assert.ok(written > WRITES / 2, `${written} of ${WRITES} writes were accepted`);
          assert.ok(site.sent() > 0, 'no attendee was notified');
        } finally {
          await site.close();
        }
      });
  });

type Write = { readonly method: Method; readonly body: object; readonly target: Listed | undefined };

/** The number of each series and single event, in the order in which they were created. */
type SeriesNumbers = Map<string, number>;
type Turn = {
  readonly pick: Pick;
  /** Counts from 1. */
  readonly nth: number;
  readonly seed: number;
  readonly numbers: SeriesNumbers;
};

/** Makes a write and checks what it did. Returns its status. */
async function writeOnce(site: WitnessSite, { pick, nth, seed, numbers }: Turn): Promise<number> {
  const before = await site.listed();
  const orderOf = orderBy(numbers, before);
  const inOrder = before.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const { method, body, target } = randomWrite(inOrder, pick, nth);
  const sentBefore = site.sent();
  const answer = await site.send(method, body);
  const text = `seed ${seed}, clock ${site.clock()}, write ${nth}: ${method} ${JSON.stringify(body)}: ${answer.status} ${answer.body.message ?? answer.body.id ?? ''}`;
  assert.ok(answer.status === 200 || (answer.status >= 400 && answer.status < 500), text);
  if (answer.status !== 200) assert.equal(site.sent(), sentBefore, `${text}, messages to attendees`);
  if (answer.status === 200 && method !== 'DELETE')
    assert.deepEqual((await site.event(answer.body.id)).body, answer.body.event, text);
  const after = await site.listed();
  const isOther = (event: Listed) => target === undefined || seriesIdOf(event) !== seriesIdOf(target);
  const isSame = answer.status === 200 ? isOther : () => true;
  const ids = new Set(before.filter(isSame).map(({ id }) => id));
  assert.deepEqual(
    after.filter(({ id }) => ids.has(id)),
    before.filter(isSame),
    text,
  );
  site.pass();
  const read = occurrencesOf(await site.listed());
  assert.deepEqual(read, occurrencesOf(after), `${text}, read again`);
  assert.deepEqual(await site.atProvider(), read, `${text}, at the provider`);
  // The published clients read slowly.
  if (nth <= 40 || nth % 20 === 0)
    assert.deepEqual(await site.published(), read, `${text}, published client`);
  return answer.status;
}

/** Returns the place of an occurrence among the others. Ids are random, so it depends on none: it is the same for a seed. */
function orderBy(numbers: SeriesNumbers, events: readonly Listed[]): (event: Listed) => string {
  // At most one is new after a write.
  for (const id of events.map(seriesIdOf)) if (!numbers.has(id)) numbers.set(id, numbers.size);
  return (event) => {
    const { start, title, end, id } = event;
    const seriesId = seriesIdOf(event);
    const original = id.startsWith(seriesId) ? id.slice(seriesId.length) : '';
    return [start, title, end, numbers.get(seriesId), original].join(' ');
  };
}

function randomWrite(events: readonly Listed[], pick: Pick, nth: number): Write {
  const target = events[pick(Math.max(events.length, 1))];
  const isFull = new Set(events.map(seriesIdOf)).size >= MOST_EVENTS;
  if (target === undefined || (pick(4) === 0 && !isFull))
    return { method: 'POST', body: newEvent(pick, nth), target: undefined };
  const recurs = target.recurringEventId !== undefined;
  const mode = (['this', 'following', 'all'] as const)[pick(3)];
  // With `all` the times are those of the series, which its own id names.
  const eventId = mode === 'all' ? seriesIdOf(target) : target.id;
  if (pick(4) === 0 || isFull)
    return { method: 'DELETE', body: { eventId, ...(recurs && { deleteMode: mode }) }, target };
  const change = randomChange(target, pick, nth);
  return { method: 'PUT', body: { eventId, ...change, ...(recurs && { updateMode: mode }) }, target };
}

function newEvent(pick: Pick, nth: number): object {
  const day = Date.UTC(2027, pick(4), 1 + pick(27));
  const recurrence = { frequency: ['DAILY', 'WEEKLY', 'MONTHLY'][pick(3)], count: 2 + pick(6) };
  return {
    title: `New ${nth}`,
    ...timesFrom(day, pick),
    timeZone: 'Europe/Paris',
    ...(pick(3) > 0 ? { recurrence } : {}),
    ...(pick(2) === 0 ? { attendees: attendees(pick) } : {}),
  };
}

/** Draws up to two attendees. */
const attendees = (pick: Pick) => GUESTS.slice(0, pick(3)).map((email) => ({ email }));

/** A change of the words, the attendees, the times or the type. */
function randomChange({ start, allDay }: Listed, pick: Pick, nth: number): object {
  const kind = pick(5);
  if (kind === 4) return { attendees: attendees(pick) };
  if (kind === 0) return { title: `Changed ${nth}` };
  if (kind === 1) return { location: `Room ${nth}` };
  const day = Math.floor(Date.parse(start) / DAY) * DAY;
  const times = kind === 2 ? timesOn(day, allDay, pick) : timesOn(day, !allDay, pick);
  return pick(2) === 0 ? times : { ...times, title: `Moved ${nth}` };
}

const timesFrom = (day: number, pick: Pick) => timesOn(day, pick(3) === 0, pick);

/** On that day, of that type, for one or two days, or for up to two hours between 6 and 20 o'clock UTC. */
function timesOn(day: number, allDay: boolean, pick: Pick) {
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  if (allDay) return { start: date(day), end: date(day + (1 + pick(2)) * DAY), allDay };
  const start = day + (12 + pick(28)) * HALF_HOUR;
  const time = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z');
  return { start: time(start), end: time(start + (1 + pick(4)) * HALF_HOUR), allDay };
}
