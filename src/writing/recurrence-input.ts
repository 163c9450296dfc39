/** The recurrence object of a request (wire 1.10) as a rule of RFC 5545 §3.3.10. */
import { type Fields, fieldsWithin } from './fields.ts';
import { parseWrittenTime, type WrittenTime } from './written-time.ts';

/** A rule without its end, which depends on the zone and on whether the event is all-day. */
export type RuleInput = {
  /** `FREQ=…`, with every part but COUNT and UNTIL. */
  readonly rule: string;
  readonly count: number | undefined;
  readonly until: UntilInput | undefined;
};

/** `hasTime`: else the whole day is meant. */
export type UntilInput = WrittenTime & { readonly hasTime: boolean };

const FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'] as const;
const WEEKDAY = /^([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)$/;
const MOST_INTERVAL = 1_000;
const MOST_COUNT = 10_000;

/** `undefined` when there is none: an empty object is what PHP and .NET send for no rule. */
export function recurrenceInput(fields: Fields): RuleInput | undefined {
  const members = fields.object('recurrence');
  if (members === undefined || Object.values(members).every((value) => value === null)) return undefined;
  const own = fieldsWithin(fields, 'recurrence', members);
  const frequency = own.oneOf('frequency', FREQUENCIES);
  if (frequency === undefined && !own.failed('frequency')) own.mistake('frequency', 'is missing');
  const interval = wholeNumber(own, 'interval', MOST_INTERVAL);
  const count = wholeNumber(own, 'count', MOST_COUNT);
  const until = untilInput(own);
  if (count !== undefined && until !== undefined) own.mistake('until', 'cannot be given together with count');

  const byDay = weekdays(own, frequency);
  const byMonthDay = numbers(own, 'byMonthDay', 31);
  if (byMonthDay.length > 0 && frequency === 'weekly') own.mistake('byMonthDay', 'does not go with WEEKLY');
  const byMonth = numbers(own, 'byMonth', 12);
  if (own.failed() || frequency === undefined) return undefined;
  const parts = [
    `FREQ=${frequency.toUpperCase()}`,
    ...(interval === undefined || interval === 1 ? [] : [`INTERVAL=${interval}`]),
    ...part('BYMONTH', byMonth),
    ...part('BYMONTHDAY', byMonthDay),
    ...part('BYDAY', byDay),
  ];
  return { rule: parts.join(';'), count, until };
}

const part = (name: string, values: readonly (string | number)[]): string[] =>
  values.length === 0 ? [] : [`${name}=${[...new Set(values)].join(',')}`];

function wholeNumber(fields: Fields, name: string, most: number): number | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  if (isWhole(value, most)) return value;
  return fields.mistake(name, `must be a whole number from 1 to ${most.toLocaleString('en')}`);
}

const isWhole = (value: unknown, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;

function untilInput(fields: Fields): UntilInput | undefined {
  const text = fields.text('until', 100);
  if (text === undefined || text === '') return undefined;
  const written = parseWrittenTime(text);
  if (written === undefined) return fields.mistake('until', 'must be an instant such as 20261231T230000Z');
  return { ...written, hasTime: /[T ]\d/i.test(text.trim()) };
}

function weekdays(fields: Fields, frequency: (typeof FREQUENCIES)[number] | undefined): string[] {
  const names = (fields.list('byDay') ?? []).map((value) =>
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
  const values = fields.list(name) ?? [];
  const whole = values.filter((value) => isWhole(value, most));
  if (whole.length < values.length) fields.mistake(name, `must be a list of whole numbers from 1 to ${most}`);
  return whole;
}
