/** DELETE /event: an event, one instance, this and later ones, or a whole series (wire 1.9). */
import type { Grant } from '../oauth/grant.ts';
import { inTurn, type Turn } from './calendar-turn.ts';
import { MODES, scopeOf } from './event-scope.ts';
import { asObject, type Fields, fieldsOf } from './fields.ts';
import { findCalendar } from './find-calendar.ts';
import { onLatestVersion, requireKnown } from './latest-version.ts';
import { endSeriesBefore, finishOpenSplits } from './run-split.ts';
import { eventName } from './update-event.ts';
import type { WriteDeps } from './write-deps.ts';
import { refusalOf } from './write-refusal.ts';

/**
 * Parameters come in the query, as every published client sends them, or in a body; the query wins (wire C5). Answers
 * the body. Throws ApiError.
 */
export async function deleteEvent(
  { ifMatch, ...asked }: Asked & { readonly ifMatch: string | undefined },
  grant: Grant,
  deps: WriteDeps,
): Promise<string> {
  const fields = deletionFields(asked);
  const { calendar: named, event } = eventName(fields);
  const mode = fields.oneOf('deleteMode', MODES);
  fields.done();
  const chosen = await findCalendar(named, grant, deps);
  const { account, calendar } = chosen;
  const remove = (turn: Turn): Promise<string> =>
    onLatestVersion({ ...event, ifMatch }, chosen, turn, deps, async (target, written) => {
      const scope = scopeOf(target, mode, { fields, field: 'deleteMode', calendarZone: calendar.timeZone });
      if (scope.of === 'following') {
        await endSeriesBefore(scope, written, turn);
        return 'This and the following events were deleted';
      }
      const { href, etag, known } = written;
      const which = scope.of === 'series' ? { href, etag, known } : written;
      await turn.keep(await turn.writing.delete(calendar.href, which));
      return scope.of === 'series' ? 'The series was deleted' : 'The event was deleted';
    });
  try {
    await requireKnown(event, chosen, deps);
    const message = await inTurn(account, calendar.calendarKey, deps, async (turn) => {
      await finishOpenSplits(turn, deps);
      return remove(turn);
    });
    return JSON.stringify({ success: true, message });
  } catch (reason) {
    throw refusalOf(reason, account);
  }
}

type Asked = { readonly query: unknown; readonly body: unknown };

/** Of both places. Throws 400 for a body that is no object. */
export function deletionFields({ query, body }: Asked): Fields {
  const members = asObject(body);
  return fieldsOf(members === undefined ? (body ?? present(query)) : { ...members, ...present(query) });
}

/** A repeated parameter counts once, an empty one not at all (wire 1). */
function present(query: unknown): Record<string, unknown> {
  const entries = Object.entries(asObject(query) ?? {})
    .map(([name, value]) => [name, Array.isArray(value) ? value[0] : value] as const)
    .filter(([, value]) => value !== '' && value !== undefined);
  return Object.fromEntries(entries);
}
