/** The recurrence object of a request (docs/wire.md 1.10) as a rule of RFC 5545 §3.3.10. */
import {
  type Fields,
  list,
  type Members,
  object,
  SENTENCES,
  text,
  textRead,
  unlessEmpty,
  wholeNumber,
} from '../http/request-fields.ts';
import { parseTimeInput } from './event-times.ts';
import type { RuleInput, UntilInput } from './series-rules.ts';

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
type Frequency = (typeof FREQUENCIES)[number];
const WEEKDAY = /^([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)$/;

/** Refused by the words of docs/wire.md 1.10, whatever the case in which they were sent. */
const frequencyName = unlessEmpty(
  textRead(
    (word) => FREQUENCIES.find((one) => one === word.trim().toUpperCase()),
    SENTENCES.noneOf(FREQUENCIES),
  ),
);
const interval = wholeNumber(1, 1_000, '1,000');
const count = wholeNumber(1, 10_000, '10,000');

/**
 * `undefined` where there is none: for PHP's empty list, and for an object of nulls, which .NET sends for no rule. An
 * empty object is a rule without its frequency.
 */
export function recurrenceInput(fields: Fields): RuleInput | undefined {
  const members = fields.optional('recurrence', object);
  if (members === undefined || isAbsent(fields.raw('recurrence'), members)) return undefined;
  const rule = fields.within('recurrence', members);
  const frequency = rule.required('frequency', frequencyName);
  const every = rule.optional('interval', interval);
  const end = { count: rule.optional('count', count), until: untilInput(rule) };
  if (end.count !== undefined && end.until !== undefined)
    rule.mistake('until', 'cannot be given together with count');

  const byDay = weekdays(rule, frequency);
  const byMonthDay = numbers(rule, 'byMonthDay', 31);
  if (byMonthDay.length > 0 && frequency === 'WEEKLY') rule.mistake('byMonthDay', 'does not go with WEEKLY');
  const byMonth = numbers(rule, 'byMonth', 12);
  if (rule.failed()) return undefined;
  const parts = [
    `FREQ=${frequency}`,
    ...(every === undefined || every === 1 ? [] : [`INTERVAL=${every}`]),
    ...part('BYMONTH', byMonth),
    ...part('BYMONTHDAY', byMonthDay),
    ...part('BYDAY', byDay),
  ];
  return { rule: parts.join(';'), ...end };
}

function isAbsent(sent: unknown, members: Members): boolean {
  const values = Object.values(members);
  return Array.isArray(sent) || (values.length > 0 && values.every((value) => value === null));
}

const part = (name: string, values: readonly (string | number)[]): string[] =>
  values.length === 0 ? [] : [`${name}=${[...new Set(values)].join(',')}`];

function untilInput(fields: Fields): UntilInput | undefined {
  const value = fields.optional('until', text(100));
  if (value === undefined || value === '') return undefined;
  const time = parseTimeInput(value);
  if (time === undefined) return fields.mistake('until', 'must be an instant such as 20261231T230000Z');
  return { ...time, hasTime: /[T ]\d/i.test(value.trim()) };
}

function weekdays(fields: Fields, frequency: Frequency): string[] {
  const names = (fields.optional('byDay', list) ?? []).map((value) =>
    typeof value === 'string' ? value.trim().toUpperCase() : '',
  );
  if (names.some((name) => !WEEKDAY.test(name))) {
    fields.mistake(
      'byDay',
      'must be a list of MO, TU, WE, TH, FR, SA, SU, each with an ordinal such as 2MO or -1FR at most',
    );
    return [];
  }
  const hasOrdinals = names.some((name) => name.length > 2);
  if (hasOrdinals && (frequency === 'DAILY' || frequency === 'WEEKLY')) {
    fields.mistake('byDay', 'may have ordinals with MONTHLY and YEARLY only');
  }
  return names.map((name) => name.replace('+', ''));
}

function numbers(fields: Fields, name: string, most: number): number[] {
  const values = fields.optional(name, list) ?? [];
  const isWhole = (value: unknown): value is number => typeof wholeNumber(1, most)(value) === 'number';
  const whole = values.filter(isWhole);
  if (whole.length < values.length) fields.mistake(name, `must be a list of whole numbers from 1 to ${most}`);
  return whole;
}
