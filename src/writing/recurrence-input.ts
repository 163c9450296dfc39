/** The recurrence of a request (docs/wire.md 1.10), before zones apply. */
import { isDeepStrictEqual } from 'node:util';

import type { CalendarEvent } from '../calendars/event.ts';
import {
  asObject,
  type Check,
  type Checked,
  checkMembers,
  converted,
  type Field,
  type Input,
  type Members,
  type Mistake,
  object,
  oneOf,
  parsed,
  parsedText,
  required,
  SENTENCES,
  wholeNumber,
} from '../http/fields.ts';
import { WEEKDAYS } from '../lib/recurrence/rule.ts';
import { LOOSE_TIME } from '../lib/time-text.ts';
import { type RecurrenceObject, recurrenceObject } from '../reading/recurrence-object.ts';
import { parseTimeInput } from './event-times.ts';
import type { RuleInput, UntilInput } from './series-rules.ts';

const WEEKDAY = /^([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)$/;

const RULE = {
  frequency: required(oneOf(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'], { example: 'MONTHLY' })),
  interval: wholeNumber({ min: 1, max: 1_000 }),
  count: wholeNumber({ min: 1, max: 10_000, doc: 'Not together with `until`.' }),
  until: parsedText(parseUntil, {
    max: 100,
    doc: '`YYYYMMDDTHHMMSSZ`, inclusive.',
    schema: { pattern: '^\\d{8}T\\d{6}Z$' },
    also: { type: 'string', pattern: LOOSE_TIME },
    problem: 'must be an instant such as 20261231T230000Z',
  }),
  byDay: parsed(parseWeekdays, {
    doc: '`MO` to `SU`, in monthly and yearly rules with an ordinal such as `2MO` or `-1FR`.',
    schema: { type: 'array', items: { type: 'string', pattern: WEEKDAY.source } },
    also: {
      type: 'array',
      items: {
        type: 'string',
        pattern:
          '^\\s*([+-]?[1-9]\\d?)?([Mm][Oo]|[Tt][Uu]|[Ww][Ee]|[Tt][Hh]|[Ff][Rr]|[Ss][Aa]|[Ss][Uu])\\s*$',
      },
    },
    problem:
      'must be a list of MO, TU, WE, TH, FR, SA, SU, each optionally with an ordinal such as 2MO or -1FR',
  }),
  byMonthDay: numbers(31),
  byMonth: numbers(12),
  weekStart: oneOf(WEEKDAYS, { doc: 'The first day of a week. Default: `MO`.' }),
};

/** The members that only responses have. */
const READ_ONLY = [
  ...(['bySetPos', 'byYearDay', 'byWeekNo'] as const),
  ...(['exDates', 'rDates', 'rrules'] as const),
] satisfies readonly (keyof RecurrenceObject)[];
const CANNOT_BE_SET =
  'cannot be set: only responses have it, and without it the series would have other occurrences';

const checkRule: Check<typeof RULE> = ({ frequency, count, until, byDay, byMonthDay = [] }, report) => {
  if (count !== undefined && until !== undefined) report('until', 'cannot be given together with count');
  const hasOrdinals = byDay?.some((name) => name.length > 2);
  if (hasOrdinals && (frequency === 'DAILY' || frequency === 'WEEKLY'))
    report('byDay', 'can have ordinals with MONTHLY and YEARLY only');
  if (byMonthDay.length > 0 && frequency === 'WEEKLY') report('byMonthDay', 'cannot be used with WEEKLY');
};

const rule = converted(object(RULE, { name: 'Recurrence', check: checkRule }), toRule);

/** No rule: an empty list from PHP, or an object of nulls from .NET. An empty object lacks the frequency. */
export const RECURRENCE: typeof rule = {
  ...rule,
  absent: {
    anyOf: [
      { type: 'array', maxItems: 0 },
      { type: 'object', minProperties: 1, additionalProperties: { type: 'null' } },
    ],
  },
  read(value, report) {
    if (isAbsent(value)) return undefined;
    const sent = asObject(value) ?? {};
    for (const name of READ_ONLY) if (readValues(sent, name).length > 0) report(CANNOT_BE_SET, `.${name}`);
    return rule.read(value, report);
  },
};

/** The recurrence of a change. Its mistakes count unless it equals that of responses: see newRule. */
export type RecurrenceChange = Checked<RuleInput | undefined> & { readonly sent: Members };

export const RECURRENCE_CHANGE: Field<RecurrenceChange, false> = {
  ...RECURRENCE,
  also: { type: 'object' },
  fields: undefined,
  read(value, report) {
    const sent = asObject(value);
    if (sent === undefined) return report(SENTENCES.noObject);
    if (isAbsent(value)) return undefined;
    const { value: input, mistakes } = checkMembers({ recurrence: value }, { recurrence: RECURRENCE });
    return { sent, value: input.recurrence, mistakes };
  },
};

/** Returns the rule that replaces those of a series; `undefined` if the change has none, or repeats the responses. */
export function newRule(
  change: RecurrenceChange | undefined,
  { recurrence, start }: Pick<CalendarEvent, 'recurrence' | 'start'>,
  calendarZone: string,
): Checked<RuleInput | undefined> {
  if (change === undefined) return { value: undefined, mistakes: [] };
  const { sent, value, mistakes } = change;
  if (recurrence === undefined) return { value, mistakes };
  const stored = recurrenceObject(recurrence, start, calendarZone);
  const isSame = (name: string) => isDeepStrictEqual(readValues(sent, name), readValues(stored, name));
  if ([...Object.keys(RULE), ...READ_ONLY].every(isSame)) return { value: undefined, mistakes: [] };
  // A new rule keeps the excluded occurrences.
  const isMistake = ({ field }: Mistake) => field !== 'recurrence.exDates' || !isSame('exDates');
  return { value, mistakes: mistakes.filter(isMistake) };
}

const DEFAULTS: Members = { interval: 1, weekStart: 'MO' };

/** Returns the values of a member as sorted JSON: their order in a request does not matter. */
const readValues = (members: Members, name: string): string[] =>
  [members[name] ?? DEFAULTS[name] ?? []]
    .flat()
    .map((value) => JSON.stringify(value))
    .sort();

function isAbsent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const values = Object.values(value);
  return Array.isArray(value)
    ? values.length === 0
    : values.length > 0 && values.every((one) => one === null);
}

function toRule({
  frequency,
  interval,
  count,
  until,
  byDay,
  byMonthDay,
  byMonth,
  weekStart = 'MO',
}: Input<typeof RULE>): RuleInput {
  const parts = [
    `FREQ=${frequency}`,
    ...(interval === undefined || interval === 1 ? [] : [`INTERVAL=${interval}`]),
    ...part('BYMONTH', byMonth),
    ...part('BYMONTHDAY', byMonthDay),
    ...part('BYDAY', byDay),
    ...(weekStart === 'MO' ? [] : [`WKST=${weekStart}`]),
  ];
  return { rule: parts.join(';'), count, until };
}

const part = (name: string, values: readonly (string | number)[] = []): string[] =>
  values.length === 0 ? [] : [`${name}=${[...new Set(values)].join(',')}`];

function parseUntil(text: string): UntilInput | undefined {
  const time = parseTimeInput(text);
  return time && { ...time, hasTime: /[T ]\d/i.test(text.trim()) };
}

function parseWeekdays(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = value.map((one) => (typeof one === 'string' ? one.trim().toUpperCase() : ''));
  return names.every((name) => WEEKDAY.test(name)) ? names.map((name) => name.replace('+', '')) : undefined;
}

function numbers(max: number) {
  const number = { type: 'integer', minimum: 1, maximum: max };
  const isNumber = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;
  return parsed(
    (value): readonly number[] | undefined => {
      const values: readonly unknown[] = [value].flat();
      return values.every(isNumber) ? values : undefined;
    },
    {
      schema: { type: 'array', items: number },
      also: number,
      problem: `must be a list of whole numbers from 1 to ${max}`,
    },
  );
}
