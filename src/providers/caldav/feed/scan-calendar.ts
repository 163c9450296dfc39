/** Splits a large calendar into components without reading them, in linear time and with little memory. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import { endsInReturns } from '../../../lib/icalendar/content-line.ts';

/** A VCALENDAR of the text. Each piece is as it was written, folded lines included. */
export type ScannedCalendar = {
  readonly header: string;
  readonly events: readonly string[];
  readonly zones: readonly string[];
};

export type ScannedText = {
  readonly calendars: readonly ScannedCalendar[];
  /** Whether the last calendar is complete. Events that a server did not send because it failed are not deleted. */
  readonly isWhole: boolean;
};

/** More than any calendar may have (KALENDS_LIMIT_EVENTS_PER_CALENDAR): counting stops here. */
const MOST_EVENTS = 200_000;
const MOST_ZONES = 1_000;
/** Characters of a calendar's own lines. */
const LONGEST_HEADER = 100_000;
/** The marks between two turns of other work. */
const MARKS_OF_TURN = 2_000;

/**
 * A line that begins or ends a component: never folded, and continuation lines begin with a blank. The flag `m` would
 * also match at U+2028 and U+2029, so that a description could end other events.
 */
const MARK = /(?<=^\uFEFF?|\n)(BEGIN|END)[ \t]{0,9}:[ \t]{0,9}([\w-]{1,64})[ \t]{0,9}(?=\r{0,3}(?:\n|$))/gi;
/** The components that never contain one another. */
const OUTERMOST: ReadonlySet<string> = new Set(['VEVENT', 'VTIMEZONE', 'VTODO', 'VJOURNAL', 'VFREEBUSY']);

type OpenCalendar = { header: string; readonly events: string[]; readonly zones: string[] };

/**
 * Returns the calendars of a text; none if it is other text. Yields at intervals. Leaves out a component without an
 * end, which may be incomplete. Fails as `too_large` for more events than any calendar may have.
 */
export function* scanCalendars(written: string): Generator<undefined, ScannedText> {
  const text = endsInReturns(written) ? written.replaceAll('\r', '\n') : written;
  const calendars: OpenCalendar[] = [];
  let calendar: OpenCalendar | undefined;
  let open: { readonly name: string; readonly from: number } | undefined;
  /** The position where the next lines of the calendar itself begin. */
  let from = 0;
  let turn = 0;
  for (const { 0: mark, 1: verb = '', 2: word = '', index } of text.matchAll(MARK)) {
    turn += 1;
    if (turn % MARKS_OF_TURN === 0) yield;
    const isBegin = verb.toUpperCase() === 'BEGIN';
    const name = word.toUpperCase();
    if (name === 'VCALENDAR') {
      if (calendar !== undefined && open === undefined) addHeader(calendar, text.slice(from, index));
      calendar = isBegin ? { header: '', events: [], zones: [] } : undefined;
      if (calendar !== undefined) calendars.push(calendar);
      open = undefined;
      from = index + mark.length;
    } else if (calendar === undefined) {
      // A component outside of any calendar.
    } else if (isBegin && (open === undefined || OUTERMOST.has(name))) {
      // If a component is still open, its end is missing.
      if (open === undefined) addHeader(calendar, text.slice(from, index));
      open = { name, from: index };
    } else if (!isBegin && open?.name === name) {
      from = index + mark.length;
      addComponent(calendar, name, text.slice(open.from, from));
      open = undefined;
    }
  }
  return { calendars, isWhole: calendar === undefined };
}

function addHeader(calendar: OpenCalendar, lines: string): void {
  if (calendar.header.length + lines.length <= LONGEST_HEADER) calendar.header += `${lines}\n`;
}

function addComponent({ events, zones }: OpenCalendar, name: string, component: string): void {
  if (name === 'VEVENT') events.push(component);
  else if (name === 'VTIMEZONE' && zones.length < MOST_ZONES) zones.push(component);
  if (events.length <= MOST_EVENTS) return;
  const most = MOST_EVENTS.toLocaleString('en');
  throw new ProviderError('too_large', `The calendar has more than ${most} events`);
}
