/** Birthdays, of which Google lets little be changed (the guide to event types). That the refusal is this one no source confirms. */
import { isDeepStrictEqual } from 'node:util';

import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { EventInput } from './calendar-events.ts';
import type { StoredEvent } from './google-store.ts';

const CHANGEABLE: ReadonlySet<string> = new Set(['colorId', 'summary', 'reminders']);
const DAY = 86_400_000;

/** Throws for a change of a birthday other than of its color, title, reminders or day. */
export function refuseBirthdayChange({ details: former, recurrence }: StoredEvent, input: EventInput): void {
  if (former.eventType !== 'birthday') return;
  const { details, start, end } = input;
  const [before, after] = [new Map(Object.entries(former)), new Map(Object.entries(details))];
  const isOther = [...before.keys(), ...after.keys()].some(
    (name) => !CHANGEABLE.has(name) && !isDeepStrictEqual(before.get(name), after.get(name)),
  );
  const isDay = start.type === 'date' && toInstant(end, 'UTC') - toInstant(start, 'UTC') === DAY;
  if (!isOther && isDay && isDeepStrictEqual(recurrence, input.recurrence)) return;
  throw new SandboxRefusal(400, 'eventTypeRestriction', 'This change is not allowed for this event type.');
}
