/** What people might do in a calendar, and what might go wrong meanwhile, drawn from a seed. */
import type { FaultEffect } from '../sandbox/core/faults.ts';
import type { DraftTime, EventDraft } from '../sandbox/core/provider-sandbox.ts';
import { ADA, type OpenGoogle } from './sandbox-google-client.ts';

const ZONES = ['Europe/Paris', 'America/New_York', 'Asia/Tokyo'];
const FAULTS: readonly FaultEffect[] = [
  { kind: 'status', status: 503 },
  { kind: 'status', status: 403, reason: 'rateLimitExceeded' },
  { kind: 'truncate' },
  { kind: 'reorder' },
  { kind: 'duplicate' },
  { kind: 'reset' },
  { kind: 'lost_answer' },
  { kind: 'token_forgotten' },
];

/** The same seed draws the same. */
export function randomChanges(seed: number, { google, faults }: OpenGoogle) {
  const random = mulberry(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(items: readonly [T, ...T[]] | readonly T[], fallback: T): T =>
    items[below(items.length)] ?? fallback;
  const events: { id: string; draft: EventDraft }[] = [];
  const { hand } = google;

  const time = (day: string, hour: number, like?: DraftTime): DraftTime => {
    if (like !== undefined && 'date' in like) return { date: day };
    const timeZone = like !== undefined && 'timeZone' in like ? like.timeZone : pick(ZONES, 'UTC');
    return { dateTime: `${day}T${String(hour).padStart(2, '0')}:00:00`, timeZone };
  };
  const dayAfter = (day: string, days: number) => Temporal.PlainDate.from(day).add({ days }).toString();
  const dayOf = (value: DraftTime) => ('date' in value ? value.date : value.dateTime.slice(0, 10));
  const hourOf = (value: DraftTime) => ('date' in value ? 0 : Number(value.dateTime.slice(11, 13)));

  const draft = (): EventDraft => {
    const day = dayAfter('2026-10-05', below(60));
    const isDay = random() < 0.25;
    const start = isDay ? { date: day } : time(day, 6 + below(12));
    const end = isDay
      ? { date: dayAfter(day, 1 + below(3)) }
      : time(day, hourOf(start) + 1 + below(4), start);
    const recurs = random() < 0.5;
    const frequency = pick(['daily', 'weekly'] as const, 'daily');
    return {
      title: `T${below(1000)}`,
      start,
      end,
      ...(recurs ? { recurrence: { frequency, interval: 1 + below(2), count: 3 + below(6) } } : {}),
    };
  };
  const series = () => {
    const found = events.filter(({ draft: { recurrence } }) => recurrence !== undefined);
    return found[below(found.length)];
  };
  /** An original start that the pattern may have. */
  const occurrence = ({ start, recurrence }: EventDraft): DraftTime => {
    const step = (recurrence?.frequency === 'weekly' ? 7 : 1) * (recurrence?.interval ?? 1);
    const day = dayAfter(dayOf(start), step * below(recurrence?.count ?? 1));
    return time(day, hourOf(start), start);
  };

  const change = async (): Promise<void> => {
    const kind = random();
    const one = events[below(events.length)];
    const recurring = series();
    if (one === undefined || kind < 0.35) {
      const made = draft();
      events.push({ id: await hand.createEvent(ADA.email, ADA.email, made), draft: made });
    } else if (kind < 0.5) {
      one.draft = draft();
      await hand.updateEvent(ADA.email, ADA.email, one.id, one.draft);
    } else if (kind < 0.6) {
      events.splice(events.indexOf(one), 1);
      await hand.deleteEvent(ADA.email, ADA.email, one.id);
    } else if (recurring !== undefined && kind < 0.75) {
      await hand.deleteOccurrence(ADA.email, ADA.email, recurring.id, occurrence(recurring.draft));
    } else if (recurring !== undefined) {
      const original = occurrence(recurring.draft);
      const day = dayAfter(dayOf(original), below(60) - 20);
      const start = time(day, 6 + below(12), recurring.draft.start);
      const end = 'date' in start ? { date: dayAfter(day, 1) } : time(day, hourOf(start) + 1, start);
      const words = { title: `M${below(1000)}`, start, end };
      await hand.changeOccurrence(ADA.email, ADA.email, recurring.id, original, words);
    }
  };

  return {
    chance: (probability: number) => random() < probability,
    /** Something people do; what their app refuses (an instance that is gone) was not done. */
    async next(): Promise<void> {
      await change().catch((refusal: unknown) => {
        if (!(refusal instanceof Error)) throw refusal;
      });
    },
    fault() {
      const effect = pick(FAULTS, { kind: 'reset' });
      faults.set({ provider: 'google', operation: 'events.list', times: 1, effect });
    },
  };
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
