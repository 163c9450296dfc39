/**
 * Dates and times as callers write them (wire 1.7): RFC 3339 and its looser relatives. What has no
 * offset is UTC, what has no time begins its day.
 */
import { parseLocal } from '../lib/recurrence/civil.ts';

const FORM =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(?:(Z)|([+-]| )(\d\d)(?::?(\d\d))?)?$/i;
const MINUTE = 60_000;

/** Epoch milliseconds, a finer fraction cut off; `undefined` when the text names no date or time. */
export function parseDateParameter(text: string): number | undefined {
  const parts = FORM.exec(text.trim());
  if (parts === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = ''] = parts;
  // A leap second is the last of its minute: no clock here has it.
  const whole = parseLocal(`${year}-${month}-${day}T${hour}:${minute}:${second === '60' ? '59' : second}`);
  if (whole === undefined) return undefined;
  // A space is a '+' that was not escaped in a query.
  const [, sign = '', hours = '00', minutes = '00'] = parts.slice(8);
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE * (sign === '-' ? -1 : 1);
  return whole + Number(fraction.padEnd(3, '0').slice(0, 3)) - offset;
}
