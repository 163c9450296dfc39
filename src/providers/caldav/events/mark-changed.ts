/** Who makes a change and when, as the VEVENT says it afterwards (RFC 5545 §3.8.7). */
import { linesNamed, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import { utcText } from '../../../lib/icalendar/write-time.ts';
import { isOwn, type OwnAddresses } from '../dav/account-addresses.ts';
import { addressIn } from './attendee-lines.ts';

export type Editing = {
  readonly own: OwnAddresses;
  /** Epoch milliseconds. */
  readonly now: number;
};

/** Whether the event is the account's own, for all that can be told. */
export function organizes(lines: readonly string[], own: OwnAddresses): boolean {
  const [organizer] = linesNamed(lines, 'ORGANIZER');
  if (organizer === undefined || own.addresses.length === 0) return true;
  return isOwn(own, addressIn(organizer));
}

/** The next revision, where the account is the one to make it (RFC 5545 §3.8.7.4). */
export function revised(
  lines: readonly string[],
  before: readonly string[],
  { own, now }: Editing,
): string[] {
  const [line] = linesNamed(before, 'SEQUENCE');
  const sequence = Number(/:\s*(\d{1,9})\s*$/.exec(line ?? '')?.[1] ?? 0);
  const counted = organizes(lines, own)
    ? replaceLines(lines, ['SEQUENCE'], [`SEQUENCE:${sequence + 1}`])
    : lines;
  return stamped(counted, now);
}

/** The time of the change, and nothing of a revision. */
export function stamped(lines: readonly string[], now: number): string[] {
  const dated = replaceLines(lines, ['DTSTAMP'], [`DTSTAMP:${utcText(now)}`]);
  return replaceLines(dated, ['LAST-MODIFIED'], [`LAST-MODIFIED:${utcText(now)}`]);
}
