/** Groups the events of a feed into resources by UID, which may be missing, or shared by holidays of all years. */
import { hash } from 'node:crypto';

import {
  findParameter,
  parseContentLine,
  unescapeText,
  unfoldLines,
} from '../../../lib/icalendar/content-line.ts';
import { nameOfLine } from '../../../lib/icalendar/edit-lines.ts';
import { TooComplexError } from '../../../lib/icalendar/resource-budget.ts';
import type { ScannedCalendar } from './scan-calendar.ts';

/** A resource before it is read. */
export type FeedResource = {
  /** A digest of its name. */
  readonly href: string;
  /** A digest of its content. */
  readonly etag: string;
  readonly uid: string | undefined;
  readonly events: readonly FeedEvent[];
};

export type FeedEvent = {
  readonly calendar: ReadCalendar;
  /** The text as sent, without lines that link to the calendar's address. */
  readonly text: string;
  /** The digest of the lines, except those that say when the text was created. */
  readonly digest: string;
  /** The UID, or a digest of the lines without their history. */
  readonly uid: string;
  readonly sequence: number;
  readonly start: string;
  readonly isOverride: boolean;
  readonly recurs: boolean;
  readonly tzids: readonly string[];
};

export type ReadCalendar = {
  readonly floatingZone: string | undefined;
  readonly zones: ReadonlyMap<string, { readonly text: string; readonly digest: string }>;
};

/** The events between two turns of other work. */
const EVENTS_OF_TURN = 500;

/** Returns the resources in the order of their first events, without links to the address. Yields at intervals. */
export function* groupResources(
  calendars: readonly ScannedCalendar[],
  isLink: (line: string) => boolean,
): Generator<undefined, FeedResource[]> {
  const byUid = new Map<string, FeedEvent[]>();
  let turn = 0;
  for (const scanned of calendars) {
    const calendar = readCalendar(scanned);
    for (const text of scanned.events) {
      turn += 1;
      if (turn % EVENTS_OF_TURN === 0) yield;
      const event = readIdentity(text, calendar, isLink);
      const others = byUid.get(event.uid);
      if (others === undefined) byUid.set(event.uid, [event]);
      else others.push(event);
    }
  }
  yield;
  return [...byUid].flatMap(([uid, events]) => resourcesOfUid(uid, events));
}

/**
 * Returns the resources of one UID, usually one: a series with its overrides. If there are several masters, only the
 * newest SEQUENCE counts; each other start in it is a separate event, as in holiday calendars that reuse one UID.
 */
function resourcesOfUid(uid: string, all: readonly FeedEvent[]): FeedResource[] {
  const events = [...new Map(all.map((event) => [event.digest, event])).values()];
  const masters = events.filter(({ isOverride }) => !isOverride);
  const newest = masters.reduce((most, { sequence }) => Math.max(most, sequence), 0);
  const current = masters.filter(({ sequence }) => sequence === newest);
  const byStart = Map.groupBy(current, ({ start }) => start);
  if (byStart.size <= 1) return [toFeedResource(uid, events)];
  const overrides = events.filter(({ isOverride }) => isOverride);
  const series = current.find(({ recurs }) => recurs)?.start;
  const alone = series === undefined && overrides.length > 0 ? [toFeedResource(uid, overrides)] : [];
  const ofStarts = [...byStart].map(([start, versions]) =>
    toFeedResource(JSON.stringify([uid, start]), start === series ? [...versions, ...overrides] : versions),
  );
  return [...ofStarts, ...alone];
}

function toFeedResource(name: string, events: readonly FeedEvent[]): FeedResource {
  const zones = listZones(events).map(({ digest }) => digest);
  const [first] = events;
  // The order of events in a feed does not count as a change.
  const says = [
    first?.calendar.floatingZone ?? '',
    ...[...zones, ...events.map(({ digest }) => digest)].sort(),
  ];
  return {
    href: hash('sha256', name, 'base64url'),
    etag: hash('sha256', says.join('\n'), 'base64url'),
    uid: first?.uid.startsWith('\n') ? undefined : first?.uid,
    events,
  };
}

function listZones(events: readonly FeedEvent[]): { readonly text: string; readonly digest: string }[] {
  const zones = new Map<string, { readonly text: string; readonly digest: string }>();
  for (const { calendar, tzids } of events) {
    for (const tzid of tzids) {
      const zone = zones.has(tzid) ? undefined : calendar.zones.get(tzid);
      if (zone !== undefined) zones.set(tzid, zone);
    }
  }
  return [...zones.values()];
}

export function textOfResource({ events }: FeedResource): string {
  const [first] = events;
  const floating = first?.calendar.floatingZone;
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0'],
    ...(floating === undefined ? [] : [floating]),
    ...listZones(events).map(({ text }) => text),
    ...events.map(({ text }) => text),
    'END:VCALENDAR',
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** Lines of a zone that say when the text was written. */
const MADE: ReadonlySet<string> = new Set(['DTSTAMP', 'LAST-MODIFIED']);

function readCalendar({ header, zones }: ScannedCalendar): ReadCalendar {
  const read = zones.flatMap((text) => {
    const lines = splitLines(text) ?? [];
    const line = lines.find((one) => nameOfLine(one) === 'TZID');
    const property = line === undefined ? undefined : parseLine(line);
    const tzid = property && unescapeText(property).trim();
    const digest = digestLines(lines, MADE);
    return tzid === undefined ? [] : [[tzid, { text, digest }] as const];
  });
  const floatingZone = splitLines(header)?.find((line) => nameOfLine(line) === 'X-WR-TIMEZONE');
  return { floatingZone, zones: new Map(read) };
}

/** Lines that change whenever the feed is generated (RFC 5545 §3.8.7.2). */
const STAMP: ReadonlySet<string> = new Set(['DTSTAMP']);
const HISTORY: ReadonlySet<string> = new Set(['DTSTAMP', 'CREATED', 'LAST-MODIFIED', 'SEQUENCE']);
const WITH_ZONES: ReadonlySet<string> = new Set([
  ...['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RRULE', 'RDATE', 'EXDATE'],
]);

/** Properties whose value is a URL (RFC 5545 §3.8.1.1, RFC 7986 §5). */
const WITH_URLS: ReadonlySet<string> = new Set(['URL', 'SOURCE', 'ATTACH', 'IMAGE', 'CONFERENCE']);

function readIdentity(text: string, calendar: ReadCalendar, isLink: (line: string) => boolean): FeedEvent {
  const all = splitLines(text);
  // Parsing it later fails as too complex.
  if (all === undefined) return { ...NAMELESS, calendar, text, digest: hashText(text), uid: hashText(text) };
  const lines = all.filter((line) => !WITH_URLS.has(nameOfLine(line)) || !isLink(line));
  const visible = lines.length === all.length ? text : lines.join('\r\n');
  let event = NAMELESS;
  const tzids = new Set<string>();
  for (const line of ownLines(lines)) {
    const name = nameOfLine(line);
    if (!WITH_ZONES.has(name) && name !== 'UID' && name !== 'SEQUENCE') continue;
    const property = parseLine(line);
    if (property === undefined) continue;
    const tzid = findParameter(property, 'TZID')?.trim();
    if (tzid !== undefined) tzids.add(tzid);
    if (name === 'UID') event = { ...event, uid: event.uid || unescapeText(property).trim() };
    else if (name === 'SEQUENCE') event = { ...event, sequence: parseSequence(property.value) };
    else if (name === 'DTSTART') event = { ...event, start: event.start || line };
    else if (name === 'RECURRENCE-ID') event = { ...event, isOverride: true };
    else if (name === 'RRULE' || name === 'RDATE') event = { ...event, recurs: true };
  }
  const digest = digestLines(lines, STAMP);
  const uid = event.uid === '' ? `\n${digestLines(lines, HISTORY)}` : event.uid;
  return { ...event, calendar, text: visible, digest, uid, tzids: [...tzids] };
}

/** RFC 5545 §3.8.7.4. Any other value counts as the first version. */
const parseSequence = (value: string): number => (/^\s*\d{1,10}\s*$/.test(value) ? Number(value) : 0);

const NAMELESS = { uid: '', sequence: 0, start: '', isOverride: false, recurs: false, tzids: [] };

const hashText = (text: string): string => hash('sha256', text, 'base64url');

const digestLines = (lines: readonly string[], but: ReadonlySet<string>): string =>
  hashText(lines.filter((line) => !but.has(nameOfLine(line))).join('\n'));

/** Returns unfolded lines; `undefined` if there are more than a resource may have. */
function splitLines(text: string): string[] | undefined {
  try {
    return unfoldLines(text);
  } catch (failure) {
    if (failure instanceof TooComplexError) return undefined;
    throw failure;
  }
}

function parseLine(line: string) {
  try {
    return parseContentLine(line);
  } catch (failure) {
    if (failure instanceof TooComplexError) return undefined;
    throw failure;
  }
}

/** Yields the lines of the event itself, without those of its alarms. */
function* ownLines(lines: readonly string[]): Generator<string> {
  let depth = 0;
  for (const line of lines) {
    if (/^BEGIN\s{0,9}:/i.test(line)) depth += 1;
    else if (/^END\s{0,9}:/i.test(line)) depth -= 1;
    else if (depth === 1) yield line;
  }
}
