/** POST /event/rsvp: the answer of the account's own user to an invitation (additive to the wire). */
import type { Grant } from '../oauth/grant.ts';
import { inTurn } from './calendar-turn.ts';
import type { Done } from './create-event.ts';
import { renderedEvent, writtenBody } from './event-answer.ts';
import { MODES, scopeOf } from './event-scope.ts';
import { type Fields, fieldsOf } from './fields.ts';
import { findCalendar } from './find-calendar.ts';
import { onLatestVersion, requireKnown } from './latest-version.ts';
import { finishOpenSplits } from './run-split.ts';
import { eventName } from './update-event.ts';
import type { WriteDeps } from './write-deps.ts';
import { refusalOf } from './write-refusal.ts';

const RESPONSES = ['accepted', 'declined', 'tentative'] as const;
const LONGEST_COMMENT = 1_000;

/** Answers the event as it is then. Throws ApiError. */
export async function respondToEvent(body: unknown, grant: Grant, deps: WriteDeps): Promise<Done> {
  const fields = fieldsOf(body);
  const { calendar: named, event } = eventName(fields);
  const response = responseOf(fields);
  const comment = fields.text('comment', LONGEST_COMMENT) || undefined;
  const mode = fields.oneOf('updateMode', MODES);
  if (mode === 'following') fields.mistake('updateMode', 'must be this or all');
  fields.done();
  const chosen = await findCalendar(named, grant, deps);
  const { account, calendar } = chosen;
  try {
    await requireKnown(event, chosen, deps);
    const answer = await inTurn(account, calendar.calendarKey, deps, async (turn) => {
      await finishOpenSplits(turn, deps);
      await onLatestVersion({ ...event, ifMatch: undefined }, chosen, turn, deps, async (target, written) => {
        const scope = scopeOf(target, mode, { fields, field: 'updateMode', calendarZone: calendar.timeZone });
        const { href, etag, known } = written;
        const which = scope.of === 'series' ? { href, etag, known } : written;
        await turn.keep(await turn.writing.respond(calendar.href, which, { response, comment }));
      });
      return renderedEvent(event.eventId, chosen, deps);
    });
    // Some providers take an event that was declined out of the calendar.
    const message = 'The answer was sent; the event is no longer in the calendar';
    const text = answer === undefined ? JSON.stringify({ success: true, message }) : writtenBody(answer);
    return { body: text, accountKey: account.accountKey };
  } catch (reason) {
    throw refusalOf(reason, account);
  }
}

function responseOf(fields: Fields): (typeof RESPONSES)[number] {
  const response = fields.oneOf('response', RESPONSES);
  if (response === undefined && !fields.failed('response')) fields.mistake('response', 'is missing');
  return response ?? 'accepted';
}
