/** The account's answer to an invitation: its own ATTENDEE, and nothing else (RFC 6638 §3.2.2.1). */
import { UnsupportedByProvider } from '../../../calendars/unsupported.ts';
import type { Component } from '../../../lib/icalendar/component.ts';
import { replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import { contentLine, escapeText } from '../../../lib/icalendar/write-lines.ts';
import type { EventTime } from '../../../lib/recurrence/event-time.ts';
import { isOwn } from '../dav/account-addresses.ts';
import { answerIn, withAnswer } from './attendee-lines.ts';
import type { EditedObject, WrittenEvent } from './calendar-object.ts';
import { type Editing, stamped } from './mark-changed.ts';
import { occurrenceOf, rest, unchanged } from './override.ts';

export type Answer = { readonly participation: string; readonly comment: string | undefined };

/** The account's answer to an invitation; occurrences answered as the series was follow it. */
export function answerInvitation(
  object: EditedObject,
  instance: EventTime | undefined,
  answer: Answer,
  editing: Editing,
): WrittenEvent[] {
  const { master, overrides } = object;
  if (instance !== undefined) {
    const { was, event } = occurrenceOf(object, instance);
    return rest(object, event, { was, component: answered(event.component, answer, editing) });
  }
  const first = master ?? overrides[0];
  if (first === undefined) return [];
  const isGuest = (address: string) => isOwn(editing.own, address);
  const before = answerIn(first.component.lines, isGuest);
  const main = answered(first.component, answer, editing);
  return unchanged(object).map((event) => {
    if (event.was === first.component) return { was: event.was, component: main };
    const own = answerIn(event.component.lines, isGuest);
    const follows = own !== undefined && (own === before || own === 'NEEDS-ACTION');
    return follows ? { was: event.was, component: answered(event.component, answer, editing) } : event;
  });
}

/** An answer is no revision of the event: SEQUENCE stays (RFC 5546 §2.1.4). */
function answered(
  component: Component,
  { participation, comment }: Answer,
  { own, now }: Editing,
): Component {
  const lines = withAnswer(component.lines, (address) => isOwn(own, address), participation);
  if (lines === undefined) {
    const message = 'This account is not among the guests of the event';
    throw new UnsupportedByProvider('field_not_supported_by_provider', message, 'response');
  }
  const said = comment === undefined ? [] : [contentLine('COMMENT', {}, escapeText(comment))];
  const spoken = comment === undefined ? lines : replaceLines(lines, ['COMMENT'], said);
  return { ...component, lines: stamped(spoken, now) };
}
