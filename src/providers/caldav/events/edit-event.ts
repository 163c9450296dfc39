/** Changes a single event, a whole series or one occurrence, as edits of its object. */
import type { EventChange } from '../../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../../calendars/provider-error.ts';
import type { ContentLine } from '../../../lib/icalendar/content-line.ts';
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import { instanceLine } from '../../../lib/icalendar/write-time.ts';
import type { EventTime } from '../../../lib/recurrence/event-time.ts';
import { withoutUnchanged } from '../../unchanged-fields.ts';
import { findParticipation, invitedAddresses, withAttendees } from './attendee-lines.ts';
import type { CalendarObject, EventEdit } from './calendar-object.ts';
import { DETAIL_FIELDS, hasSameLines, withDetails } from './event-details.ts';
import { toPlainEvent } from './event-resource.ts';
import { movedOverrides, originalOf, readDtstart, type Series, withTimes } from './event-times.ts';
import { exclusionBy } from './event-versions.ts';
import { type Editor, isOrganizer, markRevised } from './mark-changed.ts';
import { findOverride, isExcluded, overrideFor } from './override.ts';

/** The change of one occurrence with `instance`; otherwise of the event, or of the series with dependent overrides. */
export type ChangeInput = { readonly instance: EventTime | undefined; readonly change: EventChange };

/**
 * Returns no edits if a guest changes nothing. Fails as `not_found` for no such occurrence, or UnsupportedByProvider.
 */
export function changeEvent(
  object: CalendarObject,
  { instance, change: asked }: ChangeInput,
  editor: Editor,
): EventEdit[] {
  if (instance !== undefined) requireNoRecurrence(asked);
  const event = instance === undefined ? object.events[0] : overrideFor(object, instance);
  if (event === undefined) return [];
  const isOwn = isOrganizer(editor.user, event.component.lines);
  const change = isOwn ? asked : withoutUnchanged(asked, toPlainEvent(event.event));
  if (Object.keys(change).length === 0) return [];
  requireRole(event.component.lines, change, editor);
  const timed = withTimes(event, change, object.zones.tzidOf);
  const lines = markRevised(withDetailsAndAttendees(timed, change, editor), editor);
  if (event !== object.master) return [{ event, lines }];
  const series = { ...object, master: event };
  return [{ event, lines }, ...editOverrides(series, { change, dtstart: readDtstart(timed) }, editor)];
}

type SeriesChange = { readonly change: EventChange; readonly dtstart: ContentLine };

function editOverrides(series: Series, { change, dtstart }: SeriesChange, editor: Editor): EventEdit[] {
  const { lines: seriesLines } = series.master.component;
  const seriesPart = { lines: seriesLines, invited: invitedAddresses(seriesLines) };
  const isBesideExdate = besideExdate(series.master);
  return movedOverrides(series, change, dtstart).map((edit) => {
    const { event, lines } = edit;
    const overrideLines = event.component.lines;
    const followed = followedPart(change, overrideLines, seriesPart);
    const isUnchanged = lines === overrideLines && Object.keys(followed).length === 0;
    if (lines === undefined || (isUnchanged && !isBesideExdate(event))) return edit;
    return { event, lines: markRevised(withDetailsAndAttendees(lines, followed, editor), editor) };
  });
}

/** Tests whether an override counts although an EXDATE names it. It is revised with its series, to stay newer. */
function besideExdate({ event: master }: ReadEvent): (override: ReadEvent) => boolean {
  const isOut = exclusionBy(master);
  return ({ event }) => isOut(originalOf(event));
}

/** Removes one occurrence from its series. Returns no edits if it is already excluded. */
export function removeOccurrence(object: CalendarObject, instance: EventTime, editor: Editor): EventEdit[] {
  const { master } = object;
  const override = findOverride(object, instance);
  const removed = override === undefined ? [] : [{ event: override, lines: undefined }];
  if (master === undefined) return removed;
  const isOut = isExcluded(master.event, instance);
  if (isOut && override === undefined) return [];
  const { lines } = master.component;
  const exdate = isOut ? [] : [instanceLine('EXDATE', readDtstart(lines), master.event.start, instance)];
  const revised = object.overrides
    .filter((other) => other !== override)
    .filter(besideExdate(master))
    .map((event) => ({ event, lines: markRevised(event.component.lines, editor) }));
  return [...removed, { event: master, lines: markRevised([...lines, ...exdate], editor) }, ...revised];
}

export function withDetailsAndAttendees(
  lines: readonly string[],
  change: EventChange,
  { user }: Editor,
): string[] {
  const filled = withDetails(lines, change);
  return change.attendees === undefined ? filled : withAttendees(filled, change.attendees ?? [], user);
}

/** Returns the part of a change that an override adopts: the fields in which its lines equal those of its series. */
function followedPart(
  change: EventChange,
  overrideLines: readonly string[],
  series: { readonly lines: readonly string[]; readonly invited: string },
): EventChange {
  const followed: (keyof EventChange)[] = DETAIL_FIELDS.filter((field) =>
    hasSameLines(field, overrideLines, series.lines),
  );
  if (invitedAddresses(overrideLines) === series.invited) followed.push('attendees');
  const changed = followed.filter((field) => change[field] !== undefined);
  return Object.fromEntries(changed.map((field) => [field, change[field]]));
}

/** The fields that a guest may change in an invitation without its organizer, RFC 6638 §3.2.2.1. */
const GUEST_FIELDS: readonly string[] = ['availability', 'color', 'custom', 'privacy', 'autoConference'];

export function requireRole(lines: readonly string[], change: EventChange, { user }: Editor): void {
  if (isOrganizer(user, lines)) return;
  const foreign = Object.entries(change).flatMap(([field, value]) =>
    value === undefined || GUEST_FIELDS.includes(field) ? [] : field,
  );
  const isGuest = isInvited(lines, user);
  // An event that was only imported may be changed, but only its organizer invites to it.
  const refused = isGuest ? foreign[0] : foreign.find((field) => field === 'attendees');
  if (refused === undefined) return;
  const message = 'Only the organizer can change this field of the event';
  throw new UnsupportedByProvider('organizer_only', message, refused);
}

export const isInvited = (lines: readonly string[], user: Editor['user']): boolean =>
  findParticipation(user, lines) !== undefined;

function requireNoRecurrence({ recurrence }: EventChange): void {
  if (recurrence === undefined) return;
  const message = 'An occurrence of a series cannot have its own recurrence';
  throw new UnsupportedByProvider('mode_not_supported_by_provider', message, 'recurrence');
}
