/**
 * Writes that never overwrite what they did not see: each is conditional on the version the mirror has. Where the
 * provider has another by now it is read, put into the mirror, and the change, which names its own fields only, is made
 * anew from that; with If-Match the caller is told instead.
 */

import type { WriteTarget } from '../calendars/event-writing.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { errorOfFailure } from '../calendars/sync-failure.ts';
import { ApiError } from '../http/api-error.ts';
import type { RenderedObject } from '../lib/rendered-json.ts';
import type { Turn } from './calendar-turn.ts';
import { changedMeanwhile, renderedEvent, requireVersion } from './event-answer.ts';
import type { ChosenCalendar } from './find-calendar.ts';
import { type EventName, findTarget, type Target, writeTargetOf } from './find-target.ts';
import type { WriteDeps } from './write-deps.ts';

export type EventAsked = EventName & {
  /** The value of an If-Match header. */
  readonly ifMatch: string | undefined;
};

/** Somebody who writes faster than we read is not waited for any longer. */
const MOST_TRIES = 5;
/** How long a look at the provider for an event the mirror does not have may take, in milliseconds. */
const LOOK_BOUND_MS = 8_000;

/**
 * Runs `write` on the event as the mirror has it, again on each newer version there turns out to be. Throws 404, 412
 * with the event as it is now, and the provider's failures.
 */
export async function onLatestVersion<T>(
  asked: EventAsked,
  chosen: ChosenCalendar,
  turn: Turn,
  deps: WriteDeps,
  write: (target: Target, written: WriteTarget) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const target = await findTarget(asked, chosen.calendar, deps.storedEvents);
    if (target === undefined) throw noEvent();
    if (asked.ifMatch !== undefined) requireVersion(asked.ifMatch, await shown(asked, chosen, deps));
    const written = writeTargetOf(target, turn.provider);
    try {
      return await write(target, written);
    } catch (reason) {
      if (!(reason instanceof ProviderError)) throw reason;
      if (reason.kind === 'not_found') await readAgain(written, turn);
      if (reason.kind !== 'precondition_failed') throw reason;
      await readAgain(written, turn);
      if (asked.ifMatch !== undefined) throw changedMeanwhile(await shown(asked, chosen, deps));
      if (tries === MOST_TRIES) throw reason;
    }
  }
}

async function shown(
  { eventId }: EventAsked,
  chosen: ChosenCalendar,
  deps: WriteDeps,
): Promise<RenderedObject> {
  const event = await renderedEvent(eventId, chosen, deps);
  if (event === undefined) throw noEvent();
  return event;
}

/** Puts the event as its provider has it now into the mirror, or takes it out. */
async function readAgain({ href, known }: WriteTarget, { writing, calendar, keep }: Turn): Promise<void> {
  const resources = (await writing.read(calendar.href, href)) ?? [];
  const there = new Set(resources.map((resource) => resource.href));
  const removed = [href, ...known.map((resource) => resource.href)].filter((name) => !there.has(name));
  await keep({ changed: resources, removed: [...new Set(removed)] });
}

/**
 * Before it is a write's turn: an event the mirror does not have may be too new for it, so the calendar is synced once.
 * Throws 404 when it is not there then either, 503 while a sync takes long, and what the sync failed of.
 */
export async function requireKnown(
  asked: EventName,
  { calendar }: ChosenCalendar,
  deps: WriteDeps,
): Promise<void> {
  if ((await findTarget(asked, calendar, deps.storedEvents)) !== undefined) return;
  const { calendarKey } = calendar;
  const outcome = await within(LOOK_BOUND_MS, deps.sync.syncCalendar(calendarKey, deps.now()));
  if (outcome === 'late') {
    await deps.sync.continueAsJob('sync-calendar', calendarKey);
    throw new ApiError(503, 'sync_in_progress', {
      message: 'The calendar is being read; ask again in a few seconds',
      headers: { 'retry-after': '5' },
    });
  }
  if ((await findTarget(asked, calendar, deps.storedEvents)) !== undefined) return;
  // Nobody knows whether it is there while its provider cannot be asked.
  throw outcome === undefined ? noEvent() : errorOfFailure(outcome, deps.now());
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'late');
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function noEvent(): ApiError {
  const message = 'The calendar has no such event; it may have been deleted or cancelled';
  return new ApiError(404, 'event_not_found', { message, details: { eventId: [message] } });
}
