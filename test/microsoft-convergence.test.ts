/** Random changes in Outlook, with faults between them: after the last fault two syncs make the mirror equal. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FaultEffect } from '../sandbox/core/faults.ts';
import type { DraftTime, EventDraft } from '../sandbox/core/provider-sandbox.ts';
import { ProviderError } from '../src/calendars/provider-error.ts';
import { ADA, type MicrosoftHarness, microsoftHarness, shownIn } from './microsoft-harness.ts';
import { rounds } from './rounds.ts';
import { type Mirror, sync } from './servers/mirror.ts';

const SEEDS = rounds(12);
const CHANGES = 60;
const DAY = 86_400_000;
/** Within the window of the delta, so that two syncs are enough. */
const WINDOW = { start: Date.UTC(2026, 5, 1), end: Date.UTC(2027, 11, 1) };

/** A small generator that gives the same numbers for a seed (mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const FAULTS: readonly FaultEffect[] = [
  { kind: 'reset' },
  { kind: 'truncate' },
  { kind: 'reorder' },
  { kind: 'duplicate' },
  { kind: 'token_forgotten' },
  { kind: 'status', status: 401, reason: 'InvalidAuthenticationToken' },
  { kind: 'status', status: 429, reason: 'ApplicationThrottled', retryAfter: 1 },
  { kind: 'status', status: 503, reason: 'ServiceUnavailable' },
  { kind: 'status', status: 504, reason: 'UnknownError' },
];

describe('A mirror of a Microsoft calendar', () => {
  let microsoft: MicrosoftHarness;

  before(async () => {
    microsoft = await microsoftHarness();
  });
  after(() => microsoft.close());

  for (let seed = 1; seed <= SEEDS; seed += 1)
    it(`equals Outlook after random changes and faults, seed ${seed}`, () => run(seed));

  async function run(seed: number): Promise<void> {
    const { hand } = microsoft.sandbox;
    const pick = random(seed);
    const account = microsoft.open(await microsoft.signIn());
    const calendar = await hand.addCalendar(ADA.email, { title: `Seed ${seed}`, timeZone: 'Europe/Berlin' });
    const mirror: Mirror = new Map();
    const events: Made[] = [];
    let token: string | undefined;
    const trySync = async () => {
      try {
        token = (await sync(account, calendar, mirror, token)).next;
      } catch (failure) {
        if (!(failure instanceof ProviderError)) throw failure;
        if (failure.kind === 'sync_token_expired') token = undefined;
      }
    };

    for (let change = 0; change < CHANGES; change += 1) {
      await changeSomething(pick, events, calendar);
      if (pick(4) === 0) {
        const effect = FAULTS[pick(FAULTS.length)];
        if (effect !== undefined) microsoft.fault(effect, undefined, 1 + pick(3));
      }
      if (pick(3) === 0) await trySync();
    }
    microsoft.faults.clear();
    await trySync();
    await trySync();

    assert.deepEqual(shownIn(mirror, WINDOW), await hand.instances(ADA.email, calendar, WINDOW));
    const living = new Set([...mirror.values()].flatMap(({ seriesId }) => seriesId ?? []));
    for (const series of living) assert.ok(mirror.has(series), 'an exception without its series');
  }

  type Made = { readonly id: string; readonly draft: EventDraft };

  async function changeSomething(
    pick: (below: number) => number,
    events: Made[],
    calendar: string,
  ): Promise<void> {
    const { hand } = microsoft.sandbox;
    const index = pick(Math.max(events.length, 1));
    const made = events[index];
    const draft = draftOf(pick);
    if (made === undefined || pick(3) === 0) {
      events.push({ id: await hand.createEvent(ADA.email, calendar, draft), draft });
      return;
    }
    const { id } = made;
    const original = occurrenceOf(made.draft, pick(6));
    switch (pick(5)) {
      case 0:
        await hand.deleteEvent(ADA.email, calendar, id);
        events.splice(index, 1);
        return;
      case 1:
        await hand.updateEvent(ADA.email, calendar, id, draft);
        events[index] = { id, draft };
        return;
      case 2:
        // Not every occurrence is still there.
        if (original !== undefined)
          await hand.deleteOccurrence(ADA.email, calendar, id, original).catch(expected);
        return;
      default:
        if (original !== undefined)
          await hand
            .changeOccurrence(ADA.email, calendar, id, original, changeOf(original, pick))
            .catch(expected);
    }
  }
});

/** The hand refuses what Outlook refuses: an occurrence that is gone, or one that would pass its neighbour. */
const expected = (failure: unknown) => assert.ok(failure instanceof Error);

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC'];
const dayText = (day: number) => new Date(Date.UTC(2026, 8, 1) + day * DAY).toISOString().slice(0, 10);
const two = (value: number) => String(value).padStart(2, '0');

function draftOf(pick: (below: number) => number): EventDraft {
  const day = pick(120);
  const hour = pick(22);
  const timeZone = ZONES[pick(ZONES.length)] ?? 'UTC';
  const title = `Event ${pick(1000)}`;
  const allDay = pick(4) === 0;
  const start: DraftTime = allDay
    ? { date: dayText(day) }
    : { dateTime: `${dayText(day)}T${two(hour)}:00:00`, timeZone };
  const end: DraftTime = allDay
    ? { date: dayText(day + 1) }
    : { dateTime: `${dayText(day)}T${two(hour + 1)}:30:00`, timeZone };
  if (pick(2) === 0) return { title, start, end };
  const frequency = (['daily', 'weekly', 'monthly'] as const)[pick(3)] ?? 'daily';
  return { title, start, end, recurrence: { frequency, interval: 1 + pick(2), count: 3 + pick(10) } };
}

/** A start that the rule of a daily or weekly draft names. */
function occurrenceOf({ start, recurrence }: EventDraft, index: number): DraftTime | undefined {
  if (recurrence === undefined || recurrence.frequency === 'monthly') return undefined;
  const days = index * (recurrence.interval ?? 1) * (recurrence.frequency === 'weekly' ? 7 : 1);
  if ('date' in start) return { date: shifted(start.date, days) };
  return { ...start, dateTime: `${shifted(start.dateTime.slice(0, 10), days)}${start.dateTime.slice(10)}` };
}

const shifted = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);

function changeOf(original: DraftTime, pick: (below: number) => number): Partial<EventDraft> {
  const title = `Changed ${pick(1000)}`;
  if ('date' in original || pick(2) === 0) return { title };
  const at = (hour: number) => ({
    ...original,
    dateTime: `${original.dateTime.slice(0, 11)}${two(hour)}:15:00`,
  });
  const hour = pick(22);
  return { title, start: at(hour), end: at(hour + 1) };
}
