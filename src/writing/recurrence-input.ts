/** The recurrence object of a request (docs/wire.md 1.10) as a rule of RFC 5545 §3.3.10. */
import { type Fields, list, object, oneOf, text, wholeNumber } from '../http/request-fields.ts';
import { parseTimeInput } from './event-times.ts';
import type { RuleInput, UntilInput } from './series-rules.ts';

const FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'] as const;
const WEEKDAY = /^([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)$/;

const interval = wholeNumber(1, 1_000, '1,000');
const count = wholeNumber(1, 10_000, '10,000');

/** `undefined` when there is none: an empty object is what PHP and .NET send for no rule. */
export function recurrenceInput(fields: Fields): RuleInput | undefined {
  const members = fields.optional('recurrence', object);
  if (members === undefined || Object.values(members).every((value) => value === null)) return undefined;
  const rule = fields.within('recurrence', members);
  const frequency = rule.required('frequency', oneOf(FREQUENCIES));
  const every = rule.optional('interval', interval);
  const end = { count: rule.optional('count', count), until: untilInput(rule) };
  if (end.count !== undefined && end.until !== undefined)
    rule.mistake('until', 'cannot be given together with count');

  const byDay = weekdays(rule, frequency);
  const byMonthDay = numbers(rule, 'byMonthDay', 31);
  if (byMonthDay.length > 0 && frequency === 'weekly') rule.mistake('byMonthDay', 'does not go with WEEKLY');
  const byMonth = numbers(rule, 'byMonth', 12);
  if (rule.failed()) return undefined;
  const parts = [
    `FREQ=${frequency.toUpperCase()}`,
    ...(every === undefined || every === 1 ? [] : [`INTERVAL=${every}`]),
    ...part('BYMONTH', byMonth),
    ...part('BYMONTHDAY', byMonthDay),
    ...part('BYDAY', byDay),
  ];
  return { rule: parts.join(';'), ...end };
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

function weekdays(fields: Fields, frequency: (typeof FREQUENCIES)[number]): string[] {
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
  if (hasOrdinals && (frequency === 'daily' || frequency === 'weekly')) {
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
