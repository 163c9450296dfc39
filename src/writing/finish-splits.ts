/** The job that finishes the splits of a calendar that an ended process left unfinished. */

import { ProviderError, UnsupportedByProvider } from '../calendars/provider-error.ts';
import { failureOfError, type SyncFailure } from '../calendars/sync-failure.ts';
import { ApiError } from '../http/refusal.ts';
import { inTurn } from './calendar-turn.ts';
import { finishOpenSplits } from './finish-open-splits.ts';
import type { WriteDeps } from './write-deps.ts';

/** Returns the failure for a later retry; `undefined` if nothing remains. */
export async function finishSplits(calendarKey: string, deps: WriteDeps): Promise<SyncFailure | undefined> {
  const open = await deps.splits.openSplits(calendarKey);
  const calendar = open.length === 0 ? undefined : await deps.mirror.findCalendar(calendarKey);
  if (calendar === undefined) return undefined;
  try {
    await inTurn(
      calendar,
      async (turn) => {
        const [left] = await finishOpenSplits(turn, deps);
        if (left !== undefined) throw left.reason;
      },
      deps,
    );
    return undefined;
  } catch (reason) {
    if (reason instanceof ProviderError) return failureOfError(reason, deps.now());
    if (reason instanceof UnsupportedByProvider) return { kind: 'invalid_response', message: reason.message };
    if (reason instanceof ApiError && reason.status === 404) return undefined;
    if (reason instanceof ApiError) return { kind: 'unavailable', message: reason.message };
    throw reason;
  }
}
