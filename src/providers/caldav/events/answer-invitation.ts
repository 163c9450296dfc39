/** Writes the account's response to an invitation: its own ATTENDEE, and nothing else (RFC 6638 §3.2.2.1). */
import { UnsupportedByProvider } from '../../../calendars/provider-error.ts';
import { replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import { contentLine, escapeText } from '../../../lib/icalendar/write-lines.ts';
import type { EventTime } from '../../../lib/recurrence/event-time.ts';
import { findParticipation, withParticipation } from './attendee-lines.ts';
import type { CalendarObject, EventEdit } from './calendar-object.ts';
import { type Editor, markChanged } from './mark-changed.ts';
import { overrideFor } from './override.ts';

export type Answer = {
  /** The occurrence of the response; `undefined` for the whole event. */
  readonly instance: EventTime | undefined;
  /** A PARTSTAT. */
  readonly participation: string;
  readonly comment: string | undefined;
};

/** A response to a series also applies to overrides with the same response, or none. */
export function answerInvitation(object: CalendarObject, answer: Answer, editor: Editor): EventEdit[] {
  const edit = (event: ReadEvent): EventEdit => ({ event, lines: answeredLines(event, answer, editor) });
  if (answer.instance !== undefined) return [edit(overrideFor(object, answer.instance))];
  const [first, ...others] = object.events;
  if (first === undefined) return [];
  const before = findParticipation(editor.user, first.component.lines);
  const following = others.filter(({ component }) => {
    const participation = findParticipation(editor.user, component.lines);
    return participation !== undefined && (participation === before || participation === 'NEEDS-ACTION');
  });
  return [first, ...following].map(edit);
}

/** A response is no revision of the event: SEQUENCE stays (RFC 5546 §2.1.4). */
function answeredLines(
  { component }: ReadEvent,
  { participation, comment }: Answer,
  { user, now }: Editor,
): string[] {
  const lines = withParticipation(component.lines, user, participation);
  if (lines === undefined) {
    const message = 'This account is not an attendee of the event';
    throw new UnsupportedByProvider('field_not_supported_by_provider', message, 'response');
  }
  if (comment === undefined) return markChanged(lines, now);
  return markChanged(
    replaceLines(lines, ['COMMENT'], [contentLine('COMMENT', {}, escapeText(comment))]),
    now,
  );
}
