/** Records in the lines of an event that it was changed, and when (RFC 5545 §3.8.7). */
import { linesNamed, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import { utcText } from '../../../lib/icalendar/write-time.ts';
import { isUserAddress, type UserAddresses } from '../dav/user-addresses.ts';
import { addressIn } from './attendee-lines.ts';

export type Editor = {
  readonly user: UserAddresses;
  /** Epoch milliseconds. */
  readonly now: number;
};

/** Returns whether the event is the account's own. If that is unknown, it counts as such. */
export function isOrganizer(user: UserAddresses, lines: readonly string[]): boolean {
  const [organizer] = linesNamed(lines, 'ORGANIZER');
  if (organizer === undefined || user.addresses.length === 0) return true;
  return isUserAddress(user, addressIn(organizer));
}

/** Writes the next revision. Only the organizer increments SEQUENCE (RFC 5545 §3.8.7.4). */
export function markRevised(lines: readonly string[], { user, now }: Editor): string[] {
  const [line] = linesNamed(lines, 'SEQUENCE');
  const sequence = Number(/:\s*(\d{1,9})\s*$/.exec(line ?? '')?.[1] ?? 0);
  const counted = isOrganizer(user, lines)
    ? replaceLines(lines, ['SEQUENCE'], [`SEQUENCE:${sequence + 1}`])
    : lines;
  return markChanged(counted, now);
}

export function markChanged(lines: readonly string[], now: number): string[] {
  const dated = replaceLines(lines, ['DTSTAMP'], [`DTSTAMP:${utcText(now)}`]);
  return replaceLines(dated, ['LAST-MODIFIED'], [`LAST-MODIFIED:${utcText(now)}`]);
}
