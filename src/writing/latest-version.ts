/**
 * The common part of all event writes. Each is conditional on the version in the mirror, so none overwrites an unseen
 * version. A newer version is read into the mirror, and the change of single fields is applied to it; with If-Match the
 * caller gets 412.
 */

import type { WriteTarget } from '../calendars/event-writing.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { errorOfFailure } from '../calendars/sync-failure.ts';
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import { isDatabaseAway } from '../lib/database-away-error.ts';
import { LATE, within } from '../lib/within.ts';
import { READING } from '../reading/read-error.ts';
import { inTurn, type Turn, toApiError } from './calendar-turn.ts';
import type { ChosenCalendar } from './find-calendar.ts';
import { findTarget, type Target, toWriteTarget } from './find-target.ts';
import { finishOpenSplits } from './finish-open-splits.ts';
import type { WriteDeps } from './write-deps.ts';
import type { EventName } from './write-requests.ts';
import type { WritingPorts } from './writing-ports.ts';

export type EventWriteDeps = WriteDeps & Omit<WritingPorts, 'writeAccess'>;

/** After this many attempts the conflict is returned. */
const MOST_TRIES = 5;
/** The time limit for finding an event that the mirror lacks, in milliseconds. */
const LOOK_BOUND_MS = 8_000;

/** The calendar of a write, and the event if it exists. */
type Place = { readonly chosen: ChosenCalendar; readonly event?: EventName };

/** Runs `work` under the calendar's lease after finishing its open splits. Throws ApiError. */
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
      return runWork({ ...turn, unfinished: new Set(left.flatMap(({ hrefs }) => hrefs)) }, work);
    };
    return await inTurn(turnOf, afterSplits, deps);
  } catch (reason) {
    throw toApiError(reason, account);
  }
}

/** Runs `work`. If the database fails after the provider made the change, throws 503 with a message that says so. */
async function runWork<T>(turn: Turn, work: (turn: Turn) => Promise<T>): Promise<T> {
  let isMade = false;
  const keep: Turn['keep'] = (result, origin) => {
    isMade ||= origin !== 'others';
    return turn.keep(result, origin);
  };
  try {
    return await work({ ...turn, keep });
  } catch (cause) {
    if (!isMade || !isDatabaseAway(cause)) throw cause;
    const message = 'The provider made the change, but it cannot be shown at the moment: a sync brings it';
    throw new ApiError(ANY_CALL.temporarily_unavailable, { message, cause });
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
 * Runs `write` on the event, and again on newer versions. Throws 404, 412, 503 during a split, and provider failures.
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
    if (ifMatch !== undefined) requireVersion(ifMatch, await renderCurrentEvent(event, chosen, deps));
    const writeTarget = toWriteTarget(target, turn.provider);
    if (turn.unfinished?.has(writeTarget.href)) throw unfinished();
    try {
      return await write(target, writeTarget);
    } catch (reason) {
      if (!(reason instanceof ProviderError)) throw reason;
      if (reason.kind === 'not_found') await readAgain(writeTarget, turn);
      if (reason.kind !== 'precondition_failed') throw reason;
      await readAgain(writeTarget, turn);
      if (ifMatch !== undefined) throw changedMeanwhile(await renderCurrentEvent(event, chosen, deps));
      if (tries === MOST_TRIES) throw reason;
    }
  }
}

async function renderCurrentEvent(
  { eventId }: EventName,
  chosen: ChosenCalendar,
  { eventAnswers }: EventWriteDeps,
) {
  const event = await eventAnswers.render(eventId, chosen);
  if (event === undefined) throw noEvent();
  return event;
}

/** Reads the event from its provider into the mirror, or deletes it there. */
async function readAgain({ href, stored }: WriteTarget, { writing, calendar, keep }: Turn): Promise<void> {
  const resources = (await writing.read(calendar.href, href)) ?? [];
  const there = new Set(resources.map((resource) => resource.href));
  const removed = [href, ...stored.map((resource) => resource.href)].filter((name) => !there.has(name));
  await keep({ changed: resources, removed: [...new Set(removed)] }, 'others');
}

/** Syncs the calendar if the mirror lacks the event. Throws 404 if it is still missing, 503 if that takes long. */
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
    throw new ApiError(READING.sync_in_progress, 'The calendar is being synced; try again in a few seconds');
  }
  if ((await findTarget(event, calendar, deps.storedEvents)) !== undefined) return;
  // While the provider is unreachable, it is unknown whether the event exists.
  throw outcome === undefined ? noEvent() : errorOfFailure(outcome, deps.now());
}

const unfinished = (): ApiError =>
  new ApiError(
    READING.sync_in_progress,
    'An earlier change of this series is not finished yet; Kalends tries again',
  );

export function noEvent(): ApiError {
  const message = 'The calendar has no such event; it may have been deleted or cancelled';
  return new ApiError(READING.event_not_found, { message, field: 'eventId' });
}
