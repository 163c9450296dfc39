/**
 * What all writes of events have in common. None overwrites a version it has not seen: each is conditional on the version
 * in the mirror. When the provider has a newer one, that is read into the mirror and the change, which has only its own
 * fields, is made on it. With If-Match the caller gets 412 instead.
 */

import type { WriteTarget } from '../calendars/event-writing.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { errorOfFailure } from '../calendars/sync-failure.ts';
import { ApiError } from '../http/refusal.ts';
import { LATE, within } from '../lib/within.ts';
import { READING } from '../reading/read-error.ts';
import { inTurn, refusalOf, type Turn } from './calendar-turn.ts';
import type { ChosenCalendar } from './find-calendar.ts';
import { findTarget, type Target, writeTargetOf } from './find-target.ts';
import { finishOpenSplits } from './finish-open-splits.ts';
import type { WriteDeps } from './write-deps.ts';
import type { EventName } from './write-requests.ts';
import type { WritingPorts } from './writing-ports.ts';

export type EventWriteDeps = WriteDeps & Omit<WritingPorts, 'writeAccess'>;

/** After so many the conflict is answered: somebody else keeps writing. */
const MOST_TRIES = 5;
/** How long a look at the provider for an event the mirror does not have may take, in milliseconds. */
const LOOK_BOUND_MS = 8_000;

/** Where an event is written; `event` is absent when it is to be created there. */
type Place = { readonly chosen: ChosenCalendar; readonly event?: EventName };

/** Runs `work` in the calendar's turn, after its open splits are finished. Throws ApiError. */
export async function writeEvent<T>(
  { chosen, event }: Place,
  work: (turn: Turn) => Promise<T>,
  deps: WriteDeps,
): Promise<T> {
  const { account, calendar } = chosen;
  const turnOf = { calendarKey: calendar.calendarKey, accountKey: account.accountKey };
  try {
    if (event !== undefined) await syncUnlessStored(event, chosen, deps);
    const afterSplits = async (turn: Turn) => {
      const left = await finishOpenSplits(turn, deps);
      return work({ ...turn, unfinished: new Set(left.flatMap(({ hrefs }) => hrefs)) });
    };
    return await inTurn(turnOf, afterSplits, deps);
  } catch (reason) {
    throw refusalOf(reason, account);
  }
}

/** `ifMatch` is the value of an If-Match header. */
type VersionedWrite = {
  readonly event: EventName;
  readonly ifMatch?: string | undefined;
  readonly chosen: ChosenCalendar;
  readonly turn: Turn;
};

/**
 * Runs `write` on the event as the mirror has it, again on each newer version there turns out to be. Throws 404, 412
 * with the event as it is now, 503 while a split of its series is half done, and the provider's failures.
 */
export async function onLatestVersion<T>(
  { event, ifMatch, chosen, turn }: VersionedWrite,
  write: (target: Target, writeTarget: WriteTarget) => Promise<T>,
  deps: EventWriteDeps,
): Promise<T> {
  const { requireVersion, changedMeanwhile } = deps.eventAnswers;
  for (let tries = 1; ; tries += 1) {
    const target = await findTarget(event, chosen.calendar, deps.storedEvents);
    if (target === undefined) throw noEvent();
    if (ifMatch !== undefined) requireVersion(ifMatch, await currentOf(event, chosen, deps));
    const writeTarget = writeTargetOf(target, turn.provider);
    if (turn.unfinished?.has(writeTarget.href)) throw unfinished();
    try {
      return await write(target, writeTarget);
    } catch (reason) {
      if (!(reason instanceof ProviderError)) throw reason;
      if (reason.kind === 'not_found') await readAgain(writeTarget, turn);
      if (reason.kind !== 'precondition_failed') throw reason;
      await readAgain(writeTarget, turn);
      if (ifMatch !== undefined) throw changedMeanwhile(await currentOf(event, chosen, deps));
      if (tries === MOST_TRIES) throw reason;
    }
  }
}

async function currentOf({ eventId }: EventName, chosen: ChosenCalendar, { eventAnswers }: EventWriteDeps) {
  const event = await eventAnswers.render(eventId, chosen);
  if (event === undefined) throw noEvent();
  return event;
}

/** Puts the event as its provider has it now into the mirror, or takes it out. */
async function readAgain({ href, stored }: WriteTarget, { writing, calendar, keep }: Turn): Promise<void> {
  const resources = (await writing.read(calendar.href, href)) ?? [];
  const there = new Set(resources.map((resource) => resource.href));
  const removed = [href, ...stored.map((resource) => resource.href)].filter((name) => !there.has(name));
  await keep({ changed: resources, removed: [...new Set(removed)] }, 'others');
}

/**
 * Before it is a write's turn: an event the mirror does not have may be too new for it, so the calendar is synced once.
 * Throws 404 when it is not there then either, 503 while a sync takes long, and what the sync failed of.
 */
async function syncUnlessStored(
  event: EventName,
  { calendar }: ChosenCalendar,
  deps: WriteDeps,
): Promise<void> {
  if ((await findTarget(event, calendar, deps.storedEvents)) !== undefined) return;
  const { calendarKey } = calendar;
  const outcome = await within(LOOK_BOUND_MS, deps.sync.syncCalendar(calendarKey, deps.now()));
  if (outcome === LATE) {
    await deps.sync.continueAsJob('sync-calendar', calendarKey);
    throw new ApiError(READING.sync_in_progress, 'The calendar is being read; ask again in a few seconds');
  }
  if ((await findTarget(event, calendar, deps.storedEvents)) !== undefined) return;
  // Nobody knows whether it is there while its provider cannot be asked.
  throw outcome === undefined ? noEvent() : errorOfFailure(outcome, deps.now());
}

const unfinished = (): ApiError =>
  new ApiError(
    READING.sync_in_progress,
    'An earlier change of this series is not finished yet; it is tried again',
  );

export function noEvent(): ApiError {
  const message = 'The calendar has no such event; it may have been deleted or cancelled';
  return new ApiError(READING.event_not_found, { message, field: 'eventId' });
}
