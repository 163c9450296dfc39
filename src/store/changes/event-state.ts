/** The visible state of an event in the mirror at one moment, and the difference between two moments. */
import type { EventMembers, Timing } from '../../calendars/mirrored-event.ts';
import { comparableEtag } from '../../lib/etag.ts';
import { toInstant } from '../../lib/recurrence/event-instant.ts';
import { instantText, type RenderedMembers, readMembers } from '../../lib/rendered-json.ts';

/** A row of a single event, or of a series: its master's first, then its overrides. */
export type StateRow = {
  readonly id: string;
  readonly seriesId: string | undefined;
  readonly shape: string;
  readonly recurrenceId: string;
  readonly content: RenderedMembers<EventMembers>;
  readonly timing: string | undefined;
  readonly original: string | undefined;
  readonly originalDigest: string | undefined;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly etag: string | undefined;
};

/** The rows of one event, in order, and the texts that are compared with another state. */
export type EventState = {
  readonly rows: readonly StateRow[];
  readonly content: string;
  readonly etags: string;
  readonly hasEtags: boolean;
};

export const toEventState = (rows: readonly StateRow[]): EventState => ({
  rows,
  content: JSON.stringify(rows.map(listTexts)),
  etags: JSON.stringify(rows.map(({ etag }) => etag && comparableEtag(etag))),
  hasEtags: rows.every(({ etag }) => etag !== undefined),
});

const listTexts = ({ content, timing, original, originalDigest, startsAt, endsAt }: StateRow) => [
  content,
  timing,
  original?.replace(LINE_ENDS, '$1\\n'),
  originalDigest,
  startsAt,
  endsAt,
];

/** Line ends in JSON, after escaped backslashes. They make no version: reading through XML changes CRLF to LF. */
const LINE_ENDS = /(?<!\\)((?:\\\\)*)(?:\\[rn])+/g;

/** Ignores missing earlier etags, which may have been deleted only to list the calendar again. */
export const isSameState = (before: EventState, after: EventState): boolean =>
  before.content === after.content && (before.etags === after.etags || !before.hasEtags);

/** Members that change with every version, so that they do not show what a person changed. */
const NOT_TOLD: ReadonlySet<string> = new Set(['lastModified', 'id', 'recurringEventId']);

/**
 * Returns the names of the members that differ (docs/wire.md 2.5): for a series its master's, and `overrides` for all
 * other events. `original` is returned only if nothing but the provider's own object differs.
 */
export function listChangedFields(before: EventState, after: EventState): readonly string[] {
  const [one, other] = [before.rows[0], after.rows[0]];
  if (one === undefined || other === undefined) return [];
  const fields = new Set([...differingMembers(one, other), ...differingTimes(one, other)]);
  const rest = ({ rows }: EventState) => JSON.stringify(rows.slice(1).map(listTexts));
  if (rest(before) !== rest(after)) fields.add('overrides');
  return fields.size === 0 ? ['original'] : [...fields];
}

function differingMembers(before: StateRow, after: StateRow): string[] {
  if (before.content === after.content) return [];
  const members: Readonly<Record<string, unknown>> = readMembers(before.content);
  const other: Readonly<Record<string, unknown>> = readMembers(after.content);
  const names = new Set([...Object.keys(members), ...Object.keys(other)]);
  const differs = (name: string) => JSON.stringify(members[name]) !== JSON.stringify(other[name]);
  return [...names].filter((name) => !NOT_TOLD.has(name) && differs(name));
}

/** Returns the time fields in which two states of a series differ; its content has no times. */
function differingTimes(before: StateRow, after: StateRow): string[] {
  if (before.timing === after.timing || after.shape !== 'series') return [];
  const [one, other] = [parseTiming(before), parseTiming(after)];
  const names = ['start', 'end', 'recurrence'] as const;
  return names.filter((name) => JSON.stringify(one?.[name]) !== JSON.stringify(other?.[name]));
}

/** `timing` was written by render-event.ts. */
const parseTiming = ({ timing }: StateRow): Partial<Timing> | undefined =>
  timing === undefined ? undefined : JSON.parse(timing);

/** The fields that are reported for a deleted event. A series has the times of its first occurrence. */
export type DeletedEvent = Pick<
  EventMembers,
  'title' | 'start' | 'end' | 'startDate' | 'endDate' | 'allDay' | 'availability' | 'status'
>;

export function toDeletedEvent({ rows }: EventState): DeletedEvent | undefined {
  const [row] = rows;
  if (row === undefined) return undefined;
  const members = readMembers(row.content);
  const { title, startDate, endDate, allDay, availability, status } = members;
  const { start, end } = members.start === undefined ? firstTimes(row) : members;
  return {
    title,
    allDay,
    availability,
    status,
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(startDate !== undefined && { startDate }),
    ...(endDate !== undefined && { endDate }),
  };
}

function firstTimes(row: StateRow): Pick<EventMembers, 'start' | 'end'> {
  const { start, end } = parseTiming(row) ?? {};
  if (start === undefined || end === undefined) return {};
  // Both are of one type, so that the length does not depend on the time zone.
  const length = toInstant(end, 'UTC') - toInstant(start, 'UTC');
  return { start: instantText(row.startsAt), end: instantText(row.startsAt + length) };
}
