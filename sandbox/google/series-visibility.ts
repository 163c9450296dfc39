/**
 * The visibility of a series, which all its occurrences have since 7 July 2026 (Google's release notes): a stricter one of
 * an occurrence becomes that of the series, a looser one is ignored.
 */
import { amendEvent, type PlacedEvent } from './calendar-events.ts';
import { exceptionsOf } from './event-series.ts';
import type { EventDetails } from './google-store.ts';

type Visibility = EventDetails['visibility'];

const strictness = (visibility: Visibility): number =>
  visibility === 'private' || visibility === 'confidential' ? 2 : visibility === 'public' ? 0 : 1;

/** The details as they are written to `event`: an occurrence does not become less strict. */
export function permittedDetails(
  { details: former, instanceOf }: PlacedEvent['event'],
  sent: EventDetails,
): EventDetails {
  if (instanceOf === undefined || strictness(sent.visibility) > strictness(former.visibility)) return sent;
  return withVisibility(sent, former.visibility);
}

function withVisibility(
  { visibility: _replaced, ...details }: EventDetails,
  visibility: Visibility,
): EventDetails {
  return visibility === undefined ? details : { ...details, visibility };
}

/** Gives the series of `event` its visibility if that differs from `former`, the details before a change. */
export function spreadVisibility({ calendar, event }: PlacedEvent, former: EventDetails, now: number): void {
  const { visibility } = event.details;
  if (visibility === former.visibility) return;
  const masterId = event.instanceOf?.masterId ?? event.id;
  const master = calendar.events.get(masterId);
  for (const part of [...(master === undefined ? [] : [master]), ...exceptionsOf(calendar, masterId)]) {
    if (part.id === event.id || part.status === 'cancelled') continue;
    amendEvent({ calendar, event: part }, withVisibility(part.details, visibility), now);
  }
}
