/** VTIMEZONEs of every kind that programs write: one offset, yearly rules, listed changes, rules that end and change. */
import fc from 'fast-check';

import { DAY, formatLocal } from '../../../src/lib/recurrence/civil.ts';

/** Its lines, and when its first observance begins (a local time as epoch milliseconds). */
export type RandomVTimezone = { readonly lines: readonly string[]; readonly begins: number };

/** When the clock is set in one direction: a weekday of a month, at a time of day. */
type Yearly = {
  readonly month: number;
  readonly ordinal: number;
  readonly weekday: number;
  readonly minutes: number;
};
type Era = {
  readonly base: number;
  readonly saving: number;
  readonly spring: Yearly;
  readonly autumn: Yearly;
};

const between = (min: number, max: number) => fc.integer({ min, max });
const yearly = (from: number, to: number): fc.Arbitrary<Yearly> =>
  fc.record({
    month: between(from, to),
    ordinal: fc.constantFrom(1, 2, 3, -1, -2),
    weekday: between(0, 6),
    minutes: fc.constantFrom(0, 60, 120, 180, 1439),
  });
const era: fc.Arbitrary<Era> = fc.record({
  base: between(-44, 52).map((quarters) => quarters * 900),
  saving: fc.constantFrom(3600, 1800, 7200, 3600),
  spring: yearly(2, 5),
  autumn: yearly(8, 11),
});
/** Offsets that zones really have in autumn and spring, so that some of these are real zones under another name. */
const known: fc.Arbitrary<Era> = fc
  .tuple(
    fc.constantFrom(
      [3, 2, 6, 120, 11, 1, 6, 120],
      [4, 1, 6, 120, 10, -1, 6, 120],
      [3, -1, 6, 120, 10, -1, 6, 180],
    ),
    between(-9, 3),
  )
  .map(([[month = 3, ordinal = 1, weekday = 6, minutes = 0, ...rest], hours]) => {
    const [autumnMonth = 10, autumnOrdinal = 1, autumnWeekday = 6, autumnMinutes = 0] = rest;
    return {
      base: hours * 3600,
      saving: 3600,
      spring: { month, ordinal, weekday, minutes },
      autumn: { month: autumnMonth, ordinal: autumnOrdinal, weekday: autumnWeekday, minutes: autumnMinutes },
    };
  });

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The local time of that change in a year, told without our own rules. */
function changeIn(year: number, { month, ordinal, weekday, minutes }: Yearly): number {
  const days = Array.from({ length: 31 }, (_, day) => new Date(Date.UTC(year, month - 1, day + 1)));
  const named = days.filter(
    (day) => day.getUTCMonth() === month - 1 && (day.getUTCDay() + 6) % 7 === weekday,
  );
  return (named.at(ordinal > 0 ? ordinal - 1 : ordinal)?.getTime() ?? 0) + minutes * 60_000;
}

const compact = (local: number): string => formatLocal(local).replace(/[-:]/g, '');

function offsetText(seconds: number): string {
  const minutes = Math.abs(seconds) / 60;
  const digits = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${seconds < 0 ? '-' : '+'}${digits(minutes / 60)}${digits(minutes % 60)}`;
}

type Onset = { readonly start: number; readonly from: number; readonly to: number; readonly more?: string };

const observance = ({ start, from, to, more = '' }: Onset, name: string): string[] => [
  `BEGIN:${name}`,
  `DTSTART:${compact(start)}`,
  `TZOFFSETFROM:${offsetText(from)}`,
  `TZOFFSETTO:${offsetText(to)}`,
  ...(more === '' ? [] : [more]),
  `END:${name}`,
];

const ruleOf = ({ month, ordinal, weekday }: Yearly): string =>
  `RRULE:FREQ=YEARLY;BYMONTH=${month};BYDAY=${ordinal}${WEEKDAYS[weekday]}`;

const fixed = fc
  .tuple(
    between(-48, 56).map((quarters) => quarters * 900),
    between(1970, 2020),
  )
  .map(([offset, year]) => {
    const begins = Date.UTC(year, 0, 1);
    return { begins, lines: observance({ start: begins, from: offset, to: offset }, 'STANDARD') };
  });

/** Both directions of an era in the years from `first` to `last`; without a last one for ever. */
function byRules({ base, saving, spring, autumn }: Era, first: number, last?: number): string[] {
  const until = (change: Yearly, offset: number) =>
    last === undefined ? '' : `;UNTIL=${compact(changeIn(last, change) - offset * 1000)}Z`;
  const summer = base + saving;
  const lines = [spring, autumn].map((change) => ({ start: changeIn(first, change), rule: ruleOf(change) }));
  return [
    ...observance(
      {
        start: lines[0]?.start ?? 0,
        from: base,
        to: summer,
        more: `${lines[0]?.rule}${until(spring, base)}`,
      },
      'DAYLIGHT',
    ),
    ...observance(
      {
        start: lines[1]?.start ?? 0,
        from: summer,
        to: base,
        more: `${lines[1]?.rule}${until(autumn, summer)}`,
      },
      'STANDARD',
    ),
  ];
}

function byDates({ base, saving, spring, autumn }: Era, first: number, years: number): string[] {
  const dates = (change: Yearly) =>
    `RDATE:${Array.from({ length: years }, (_, year) => compact(changeIn(first + year, change))).join()}`;
  const summer = base + saving;
  return [
    ...observance(
      { start: changeIn(first, spring), from: base, to: summer, more: dates(spring) },
      'DAYLIGHT',
    ),
    ...observance(
      { start: changeIn(first, autumn), from: summer, to: base, more: dates(autumn) },
      'STANDARD',
    ),
  ];
}

const eras = fc.oneof(era, known);
const ruled = fc
  .tuple(eras, fc.oneof(fc.constant(1970), fc.constant(1601), between(1971, 2020)))
  .map(([one, first]) => ({ begins: changeIn(first, one.spring), lines: byRules(one, first) }));
const listed = fc.tuple(eras, between(1975, 2010), between(1, 60)).map(([one, first, years]) => ({
  begins: changeIn(first, one.spring),
  lines: byDates(one, first, years),
}));
/** One set of rules until a year, and another from the year after, as when a law changes. */
const changing = fc
  .tuple(eras, eras, between(1970, 1990), between(2, 25))
  .map(([one, other, first, years]) => ({
    begins: changeIn(first, one.spring),
    lines: [
      ...byRules(one, first, first + years),
      ...byRules({ ...other, base: one.base }, first + years + 1),
    ],
  }));
/** Rules that end, as where summer time was given up. */
const ending = fc.tuple(eras, between(1970, 2000), between(1, 20)).map(([one, first, years]) => ({
  begins: changeIn(first, one.spring),
  lines: byRules(one, first, first + years),
}));

export const vtimezones: fc.Arbitrary<RandomVTimezone> = fc.oneof(fixed, ruled, listed, changing, ending);

/** The VCALENDAR of one VTIMEZONE by that name. */
export const calendarOf = (lines: readonly string[], tzid = 'Z'): string =>
  ['BEGIN:VCALENDAR', 'BEGIN:VTIMEZONE', `TZID:${tzid}`, ...lines, 'END:VTIMEZONE', 'END:VCALENDAR', ''].join(
    '\r\n',
  );

const MOST_MOMENTS = 60;

/** Moments between two, and both sides of changes near them; epoch milliseconds. */
export function momentsIn(from: number, to: number, changes: readonly number[]): number[] {
  const within = changes.filter((at) => at > from + DAY && at < to);
  const step = Math.ceil(within.length / MOST_MOMENTS);
  return [
    ...Array.from(
      { length: MOST_MOMENTS },
      (_, index) => from + Math.floor(((to - from) * index) / (MOST_MOMENTS * 1000)) * 1000,
    ),
    ...within.filter((_, index) => index % step === from % step).flatMap((at) => [at - 1000, at]),
  ];
}
