/**
 * Writes fields of an event as lines of its VEVENT: the reverse of event-resource.ts. A field replaces all its
 * properties, also those of other programs, so that none keeps an old value.
 */
import type { CalendarEvent } from '../../../calendars/event.ts';
import { parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { linesNamed, linesWithout, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import { contentLine, escapeText } from '../../../lib/icalendar/write-lines.ts';
import { conferenceLine, uriText } from './conference.ts';
import { customText } from './custom-text.ts';

const SIMPLE_FIELDS = [
  'title',
  'description',
  'location',
  'status',
  'availability',
  'privacy',
  'color',
  'custom',
] as const;

/** The fields with their own lines: all except times, recurrence and attendees. */
export const DETAIL_FIELDS = [...SIMPLE_FIELDS, 'conference'] as const;
export type DetailField = (typeof DETAIL_FIELDS)[number];

type SimpleField = (typeof SIMPLE_FIELDS)[number];
type DetailValues = Required<Pick<CalendarEvent, DetailField>>;

/** A change. Absent fields stay as they are, and `null` removes a field. */
export type DetailsChange = { readonly [Field in DetailField]?: DetailValues[Field] | null | undefined };

type FieldLines<Value> = {
  readonly names: readonly string[];
  readonly write: (value: Value) => readonly string[];
};

const text =
  (name: string) =>
  (value: string): string[] => [contentLine(name, {}, escapeText(value))];

const FIELDS: { readonly [Field in SimpleField]: FieldLines<DetailValues[Field]> } = {
  title: { names: ['SUMMARY'], write: text('SUMMARY') },
  description: { names: ['DESCRIPTION', 'X-ALT-DESC', 'STYLED-DESCRIPTION'], write: text('DESCRIPTION') },
  location: {
    names: ['LOCATION', 'X-APPLE-STRUCTURED-LOCATION', 'STRUCTURED-LOCATION', 'GEO'],
    write: text('LOCATION'),
  },
  // RFC 7986 §5.9 allows only the names of CSS; numbers go where Apple keeps them.
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

export function withDetails(lines: readonly string[], change: DetailsChange): string[] {
  let changed = [...lines];
  for (const field of SIMPLE_FIELDS) changed = withField(changed, field, change);
  return change.conference === undefined ? changed : withConference(changed, change.conference);
}

function withField<Field extends SimpleField>(
  lines: string[],
  field: Field,
  change: DetailsChange,
): string[] {
  const { names, write } = FIELDS[field];
  const value: DetailsChange[Field] = change[field];
  if (value === undefined) return lines;
  return value === null ? linesWithout(lines, ...names) : replaceLines(lines, names, write(value));
}

export function hasSameLines(field: DetailField, one: readonly string[], other: readonly string[]): boolean {
  return textOfField(field, one) === textOfField(field, other);
}

const textsOfFields = new WeakMap<readonly string[], Map<DetailField, string>>();

function textOfField(field: DetailField, lines: readonly string[]): string {
  const texts = textsOfFields.get(lines) ?? new Map<DetailField, string>();
  textsOfFields.set(lines, texts);
  const names = field === 'conference' ? CONFERENCES : FIELDS[field].names;
  const text = texts.get(field) ?? linesNamed(lines, ...names).join('\n');
  texts.set(field, text);
  return text;
}

const CONFERENCES = [
  'CONFERENCE',
  'X-GOOGLE-CONFERENCE',
  'X-MICROSOFT-SKYPETEAMSMEETINGURL',
  'X-MICROSOFT-ONLINEMEETINGEXTERNALLINK',
];

/**
 * Writes CONFERENCE (RFC 7986 §5.11), and URL unless it is in use: Apple's programs look for meetings there. CONFERENCE
 * lines with telephone numbers and chat rooms stay.
 */
function withConference(lines: readonly string[], conference: string | null): string[] {
  const old = new Set(linesNamed(lines, ...CONFERENCES).map(uriIn));
  const isOther = (line: string) =>
    linesNamed([line], 'CONFERENCE').length > 0 && !/^https?:/i.test(uriIn(line));
  const others = lines.filter(isOther);
  const url = linesNamed(lines, 'URL').filter(
    (line) => !old.has(uriIn(line)) && !old.has(uriText(uriIn(line))),
  );
  const remaining = linesWithout(lines, ...CONFERENCES, 'URL');
  if (conference === null) return [...remaining, ...url, ...others];
  const line = conferenceLine(conference);
  return [
    ...remaining,
    ...(url.length > 0 ? url : [contentLine('URL', {}, conference.trim())]),
    line,
    ...others,
  ];
}

const uriIn = (line: string): string => parseContentLine(line)?.value.trim() ?? '';
