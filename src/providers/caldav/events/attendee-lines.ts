/** ORGANIZER and ATTENDEE lines, RFC 5545 §3.8.4.1: a new guest list that leaves those who stay as they were. */
import type { Attendee } from '../../../calendars/event.ts';
import { parameterOf, parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { linesNamed, linesWithout, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import { contentLine, type LineParameters } from '../../../lib/icalendar/write-lines.ts';
import { type OwnAddresses, sameAddress } from '../dav/account-addresses.ts';

/**
 * Lines of a VEVENT with these guests and no others; the account organizes what nobody did so far. A server that does not
 * say who the account is has no scheduling either: there the guests stand without an organizer.
 */
export function withAttendees(
  lines: readonly string[],
  attendees: readonly Attendee[],
  own: OwnAddresses,
): string[] {
  if (attendees.length === 0) return linesWithout(lines, 'ATTENDEE', 'ORGANIZER');
  const organized = linesNamed(lines, 'ORGANIZER');
  const organizer = organized.length > 0 ? organized : organizerLines(attendees, own);
  const known = linesNamed(lines, 'ATTENDEE');
  const guests = new Map<string, string>();
  for (const attendee of attendees) {
    const address = mailto(attendee.email);
    const before = known.find((line) => sameAddress(addressIn(line), address));
    // Who invites is no guest, unless somebody's program wrote so.
    if (before === undefined && organizer.some((line) => sameAddress(addressIn(line), address))) continue;
    guests.set(
      address.toLowerCase(),
      before === undefined ? guestLine(attendee) : changedGuest(before, attendee),
    );
  }
  return replaceLines(replaceLines(lines, ['ORGANIZER'], organizer), ['ATTENDEE'], [...guests.values()]);
}

/** The e-mail addresses the lines invite, sorted: whether two guest lists are the same. */
export const invited = (lines: readonly string[]): string =>
  linesNamed(lines, 'ATTENDEE')
    .map((line) => addressIn(line).toLowerCase())
    .sort()
    .join();

/** The lines with another answer of one guest; `undefined` when none of them is. */
export function withAnswer(
  lines: readonly string[],
  isGuest: (address: string) => boolean,
  participation: string,
): string[] | undefined {
  const own = linesNamed(lines, 'ATTENDEE').filter((line) => isGuest(addressIn(line)));
  if (own.length === 0) return undefined;
  return lines.map((line) =>
    own.includes(line) ? withParameters(line, { PARTSTAT: participation, RSVP: undefined }) : line,
  );
}

/** What the account's entry says of its answer, as it is written. */
export function answerIn(
  lines: readonly string[],
  isGuest: (address: string) => boolean,
): string | undefined {
  const own = linesNamed(lines, 'ATTENDEE').find((line) => isGuest(addressIn(line)));
  const property = own === undefined ? undefined : parseContentLine(own);
  return property && (parameterOf(property, 'PARTSTAT') ?? 'NEEDS-ACTION').toUpperCase();
}

/** The value of an ATTENDEE or ORGANIZER line, and its EMAIL parameter where the value is no e-mail address. */
export function addressIn(line: string): string {
  const property = parseContentLine(line);
  if (property === undefined) return '';
  const email = parameterOf(property, 'EMAIL');
  return email !== undefined && !/^mailto:/i.test(property.value.trim())
    ? mailto(email)
    : property.value.trim();
}

/** RFC 6068 §2: what would mean something else in a URI is percent-encoded. */
const mailto = (email: string): string =>
  `mailto:${email.replace(/[%?&#"<>\\^`{|}\s]/g, encodeURIComponent)}`;

function organizerLines(attendees: readonly Attendee[], { addresses, name }: OwnAddresses): string[] {
  const named = attendees.find(({ organizer }) => organizer === true);
  const address = addresses[0] ?? (named && mailto(named.email));
  return address === undefined ? [] : [contentLine('ORGANIZER', { CN: name ?? named?.name }, address)];
}

const PARTICIPATION: Readonly<Record<Attendee['status'], string>> = {
  accepted: 'ACCEPTED',
  declined: 'DECLINED',
  tentative: 'TENTATIVE',
  none: 'NEEDS-ACTION',
};

function guestLine({ email, name, status }: Attendee): string {
  const parameters = {
    CN: name,
    CUTYPE: 'INDIVIDUAL',
    ROLE: 'REQ-PARTICIPANT',
    PARTSTAT: PARTICIPATION[status],
    RSVP: status === 'none' ? 'TRUE' : undefined,
  };
  return contentLine('ATTENDEE', parameters, mailto(email));
}

/** A guest that stays keeps an answer the new list says nothing of. */
function changedGuest(line: string, { name, status }: Attendee): string {
  const property = parseContentLine(line);
  if (property === undefined) return line;
  const isNamed = name === undefined || name.trim() === parameterOf(property, 'CN')?.trim();
  const before = parameterOf(property, 'PARTSTAT')?.toUpperCase();
  const isAnswered = status === 'none' || before === PARTICIPATION[status];
  if (isNamed && isAnswered) return line;
  return withParameters(line, {
    ...(isNamed ? {} : { CN: name }),
    ...(isAnswered ? {} : { PARTSTAT: PARTICIPATION[status] }),
  });
}

/** The line with other values of these parameters; `undefined` takes one away. */
function withParameters(line: string, changed: LineParameters): string {
  const property = parseContentLine(line);
  if (property === undefined) return line;
  return contentLine(
    property.name,
    { ...Object.fromEntries(property.parameters), ...changed },
    property.value,
  );
}
