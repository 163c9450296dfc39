/**
 * The words of an event as lines of its VEVENT: the way back of event-resource.ts. Each field knows the properties that
 * say it, those of other programs among them, so that none of them goes on saying what is no longer so.
 */
import type { CalendarEvent } from '../../../calendars/event.ts';
import type { EventChange } from '../../../calendars/event-writing.ts';
import { parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { linesNamed, linesWithout, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import { contentLine, escapeText } from '../../../lib/icalendar/write-lines.ts';
import { uriText } from './conference.ts';
import { customText } from './custom-text.ts';

type Words = Required<
  Pick<
    CalendarEvent,
    | 'title'
    | 'description'
    | 'location'
    | 'color'
    | 'status'
    | 'availability'
    | 'privacy'
    | 'custom'
    | 'conference'
  >
>;
export type WordField = keyof Words;

type FieldLines<Value> = {
  /** All properties that say it; the lines of a value replace them. */
  readonly names: readonly string[];
  readonly write: (value: Value) => readonly string[];
};

const text =
  (name: string) =>
  (value: string): string[] => [contentLine(name, {}, escapeText(value))];

const FIELDS: { readonly [Field in Exclude<WordField, 'conference'>]: FieldLines<Words[Field]> } = {
  title: { names: ['SUMMARY'], write: text('SUMMARY') },
  description: { names: ['DESCRIPTION', 'X-ALT-DESC', 'STYLED-DESCRIPTION'], write: text('DESCRIPTION') },
  location: {
    names: ['LOCATION', 'X-APPLE-STRUCTURED-LOCATION', 'STRUCTURED-LOCATION', 'GEO'],
    write: text('LOCATION'),
  },
  // RFC 7986 §5.9 knows the names of CSS only; numbers go where Apple keeps them.
  color: {
    names: ['COLOR', 'X-APPLE-CALENDAR-COLOR'],
    write: (color) => text(color.startsWith('#') ? 'X-APPLE-CALENDAR-COLOR' : 'COLOR')(color),
  },
  status: { names: ['STATUS'], write: (status) => [`STATUS:${status.toUpperCase()}`] },
  availability: {
    names: ['TRANSP', 'X-MICROSOFT-CDO-BUSYSTATUS', 'X-MICROSOFT-CDO-INTENDEDSTATUS'],
    write: (availability) => [`TRANSP:${availability === 'free' ? 'TRANSPARENT' : 'OPAQUE'}`],
  },
  privacy: { names: ['CLASS'], write: (privacy) => [`CLASS:${privacy.toUpperCase()}`] },
  custom: {
    names: ['X-KALENDS-CUSTOM'],
    write: (custom) => text('X-KALENDS-CUSTOM')(customText(custom)),
  },
};

const ORDER: readonly Exclude<WordField, 'conference'>[] = [
  'title',
  'description',
  'location',
  'status',
  'availability',
  'privacy',
  'color',
  'custom',
];

/** The lines with what `change` says in words. `autoConference` means nothing here: no CalDAV server makes links. */
export function withWords(lines: readonly string[], change: EventChange): string[] {
  let changed = [...lines];
  for (const field of ORDER) changed = withField(changed, field, change);
  return change.conference === undefined ? changed : withConference(changed, change.conference);
}

function withField<Field extends Exclude<WordField, 'conference'>>(
  lines: string[],
  field: Field,
  change: EventChange,
): string[] {
  const { names, write } = FIELDS[field];
  // What a change says of a field has that field's type; the compiler cannot tell for one it knows by name only.
  const value = change[field] as Words[Field] | null | undefined;
  if (value === undefined) return lines;
  return value === null ? linesWithout(lines, ...names) : replaceLines(lines, names, write(value));
}

/** Whether two VEVENTs say the same of a field, in the same words. */
export function saysTheSame(field: WordField, one: readonly string[], other: readonly string[]): boolean {
  const names = field === 'conference' ? CONFERENCES : FIELDS[field].names;
  return linesNamed(one, ...names).join('\n') === linesNamed(other, ...names).join('\n');
}

const CONFERENCES = [
  'CONFERENCE',
  'X-GOOGLE-CONFERENCE',
  'X-MICROSOFT-SKYPETEAMSMEETINGURL',
  'X-MICROSOFT-ONLINEMEETINGEXTERNALLINK',
];

/**
 * CONFERENCE (RFC 7986 §5.11), and URL besides where that is free: Apple's programs look there for a meeting to join.
 * Telephone numbers and chat rooms among the conferences stay.
 */
function withConference(lines: readonly string[], conference: string | null): string[] {
  const old = new Set(linesNamed(lines, ...CONFERENCES).map(uriIn));
  const isOther = (line: string) =>
    linesNamed([line], 'CONFERENCE').length > 0 && !/^https?:/i.test(uriIn(line));
  const others = lines.filter(isOther);
  const url = linesNamed(lines, 'URL').filter(
    (line) => !old.has(uriIn(line)) && !old.has(uriText(uriIn(line))),
  );
  const kept = linesWithout(lines, ...CONFERENCES, 'URL');
  if (conference === null) return [...kept, ...url, ...others];
  const own = contentLine('CONFERENCE', { VALUE: 'URI', FEATURE: 'VIDEO' }, uriText(conference));
  return [...kept, ...(url.length > 0 ? url : [contentLine('URL', {}, conference.trim())]), own, ...others];
}

const uriIn = (line: string): string => parseContentLine(line)?.value.trim() ?? '';
