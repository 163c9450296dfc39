/** ORGANIZER and ATTENDEE lines, RFC 5545 §3.8.4.1. A new guest list leaves the lines of guests who stay unchanged. */
import type { Attendee } from '../../../calendars/event.ts';
import { findParameter, parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { linesNamed, linesWithout, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import { contentLine, type LineParameters } from '../../../lib/icalendar/write-lines.ts';
import { comparableAddress, isUserAddress, type UserAddresses } from '../dav/user-addresses.ts';

/**
 * Returns the lines of a VEVENT with exactly these guests. If it has no organizer, the account becomes one; without an
 * address of the account, the marked attendee does.
 */
export function withAttendees(
  lines: readonly string[],
  attendees: readonly Attendee[],
  user: UserAddresses,
): string[] {
  if (attendees.length === 0) return linesWithout(lines, 'ATTENDEE', 'ORGANIZER');
  const organized = linesNamed(lines, 'ORGANIZER');
  const organizer = organized.length > 0 ? organized : organizerLines(attendees, user);
  const lineByAddress = linesByAddress(linesNamed(lines, 'ATTENDEE'));
  const organizers = linesByAddress(organizer);
  const guests = new Map<string, string>();
  for (const attendee of attendees) {
    const address = mailto(attendee.email);
    const before = lineByAddress.get(comparableAddress(address));
    // The organizer is no guest, unless the event already lists them as one.
    if (before === undefined && organizers.has(comparableAddress(address))) continue;
    const line = before === undefined ? guestLine(attendee) : changedGuest(before, attendee);
    guests.set(address.toLowerCase(), line);
  }
  return replaceLines(replaceLines(lines, ['ORGANIZER'], organizer), ['ATTENDEE'], [...guests.values()]);
}

/** Returns the lines by address. If several have one address, the first counts. */
function linesByAddress(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(lines.map((line) => [comparableAddress(addressIn(line)), line] as const).reverse());
}

/** Returns the invited addresses as one text, to compare two guest lists. */
export const invitedAddresses = (lines: readonly string[]): string =>
  linesNamed(lines, 'ATTENDEE')
    .map((line) => addressIn(line).toLowerCase())
    .sort()
    .join();

/** Returns the lines with the account's new response; `undefined` if it is not among the guests. */
export function withParticipation(
  lines: readonly string[],
  user: UserAddresses,
  participation: string,
): string[] | undefined {
  const userLines = new Set(linesOfUser(user, lines));
  if (userLines.size === 0) return undefined;
  return lines.map((line) =>
    userLines.has(line) ? withParameters(line, { PARTSTAT: participation, RSVP: undefined }) : line,
  );
}

/** Returns the account's response (PARTSTAT); `undefined` if it is not among the guests. */
export function findParticipation(user: UserAddresses, lines: readonly string[]): string | undefined {
  const [line] = linesOfUser(user, lines);
  const property = line === undefined ? undefined : parseContentLine(line);
  return property && (findParameter(property, 'PARTSTAT') ?? 'NEEDS-ACTION').toUpperCase();
}

const linesOfUser = (user: UserAddresses, lines: readonly string[]): string[] =>
  linesNamed(lines, 'ATTENDEE').filter((line) => isUserAddress(user, addressIn(line)));

/** Returns the value of an ATTENDEE or ORGANIZER line, and its EMAIL parameter if the value is no e-mail address. */
export function addressIn(line: string): string {
  const property = parseContentLine(line);
  if (property === undefined) return '';
  const email = findParameter(property, 'EMAIL');
  return email !== undefined && !/^mailto:/i.test(property.value.trim())
    ? mailto(email)
    : property.value.trim();
}

/** RFC 6068 §2: characters with another meaning in a URI are percent-encoded. */
const mailto = (email: string): string =>
  `mailto:${email.replace(/[%?&#"<>\\^`{|}\s]/g, encodeURIComponent)}`;

function organizerLines(attendees: readonly Attendee[], { addresses, name }: UserAddresses): string[] {
  const markedOrganizer = attendees.find(({ organizer }) => organizer === true);
  const address = addresses[0] ?? (markedOrganizer && mailto(markedOrganizer.email));
  return address === undefined
    ? []
    : [contentLine('ORGANIZER', { CN: name ?? markedOrganizer?.name }, address)];
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

/** A guest who stays keeps the response, unless the new list has another one. */
function changedGuest(line: string, { name, status }: Attendee): string {
  const property = parseContentLine(line);
  if (property === undefined) return line;
  const isNamed = name === undefined || name.trim() === findParameter(property, 'CN')?.trim();
  const before = findParameter(property, 'PARTSTAT')?.toUpperCase();
  const isAnswered = status === 'none' || before === PARTICIPATION[status];
  if (isNamed && isAnswered) return line;
  return withParameters(line, {
    ...(isNamed ? {} : { CN: name }),
    ...(isAnswered ? {} : { PARTSTAT: PARTICIPATION[status] }),
  });
}

/** Returns the line with these parameters changed; `undefined` removes one. */
function withParameters(line: string, changed: LineParameters): string {
  const property = parseContentLine(line);
  if (property === undefined) return line;
  const parameters = { ...Object.fromEntries(property.parameters), ...changed };
  return contentLine(property.name, parameters, property.value);
}
