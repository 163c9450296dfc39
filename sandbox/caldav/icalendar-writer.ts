/** Writing iCalendar (RFC 5545): escaped text and times. */
import type { DraftTime } from '../core/provider-sandbox.ts';

/** A TEXT value (§3.3.11). */
export const escapedText = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll(';', '\\;')
    .replaceAll(',', '\\,')
    .replace(/\r\n?|\n/g, '\\n');

/** A parameter's value, always quoted: quotes cannot stand in it (RFC 6868 has them written `^'`). */
export const quoted = (text: string): string =>
  `"${text
    .replaceAll('^', '^^')
    .replaceAll('"', "^'")
    .replace(/[\r\n]+/g, '^n')}"`;

const compact = (text: string): string => text.replace(/[-:]/g, '');

/** A line like `DTSTART;TZID=Europe/Paris:20261128T090000`. */
export function timeLine(name: string, time: DraftTime): string {
  if ('date' in time) return `${name};VALUE=DATE:${compact(time.date)}`;
  if (time.timeZone === 'UTC') return `${name}:${compact(time.dateTime)}Z`;
  return `${name};TZID=${time.timeZone}:${compact(time.dateTime)}`;
}

/** Epoch milliseconds as `20261128T080000Z`. */
export function utcText(instant: number): string {
  return `${compact(new Date(instant).toISOString().slice(0, 19))}Z`;
}
