/** Random series for the differential tests, and the calendar that states each. */
import fc from 'fast-check';

import {
  type Clock,
  type Length,
  lengthBetween,
  type Moment,
  type Override,
  type Series,
  shownAt,
  startsOf,
  toInstant,
} from '../../../sandbox/core/occurrences.ts';
import { DAY, MINUTE, type Rule } from '../../../sandbox/core/rule-times.ts';
import { type Change, changeIn, type SundayZone, sundayZone } from './own-zones.ts';

/** `floating`: in no zone of its own, and so in the calendar's. */
export type RandomEvent = {
  readonly series: Series;
  readonly floating: boolean;
  /** Minutes on its clock from its start to its DTEND; its length is a DURATION without. */
  readonly endsAfter: number | undefined;
};

export const CALENDAR_ZONE = 'America/New_York';
/** How long after its start a series is looked at. */
export const HORIZON = 900 * DAY;

const between = (min: number, max: number) => fc.integer({ min, max });
const signed = (most: number) => between(-most, most).filter((value) => value !== 0);
const some = <T>(values: fc.Arbitrary<T>, maxLength: number) =>
  fc.uniqueArray(values, { minLength: 1, maxLength });
const orNone = <T>(values: fc.Arbitrary<readonly T[]>, freq: number): fc.Arbitrary<readonly T[]> =>
  fc.oneof({ arbitrary: fc.constant([]), weight: freq }, { arbitrary: values, weight: 1 });

const yearly = (first: Change, second: Change) => [first, second];
/** Offsets that no country has, so that each stays a zone of its own. */
const OWN_ZONES: readonly SundayZone[] = [
  sundayZone('Acme HQ Custom', 165, []),
  sundayZone(
    'Base Camp',
    -435,
    yearly({ month: 2, sunday: 2, hour: 2, offset: -375 }, { month: 10, sunday: 1, hour: 2, offset: -435 }),
  ),
  sundayZone(
    'tzone://Example/Ship',
    705,
    yearly({ month: 9, sunday: 1, hour: 3, offset: 735 }, { month: 3, sunday: 1, hour: 3, offset: 705 }),
  ),
];
const CLOCKS: readonly Clock[] = [
  ...['UTC', 'date', 'Europe/Brussels', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'],
  ...['America/Sao_Paulo', 'Africa/Casablanca', 'Pacific/Apia', 'Asia/Tehran', 'America/St_Johns'],
  ...OWN_ZONES,
];

const weekday = between(0, 6);
const hours = fc.constantFrom(0, 1, 2, 3, 9, 17, 23);

const ruleOf = (startLocal: number): fc.Arbitrary<Rule> =>
  fc
    .constantFrom('DAILY' as const, 'WEEKLY' as const, 'MONTHLY' as const, 'YEARLY' as const)
    .chain((freq) => {
      const counted = freq === 'MONTHLY' || freq === 'YEARLY';
      const ordinal = counted ? fc.oneof(fc.constant(0), signed(5)) : fc.constant(0);
      const byDay = fc.uniqueArray(fc.record({ ordinal, weekday }), {
        minLength: 1,
        maxLength: 3,
        selector: (day) => day.ordinal * 7 + day.weekday,
      });
      const end = fc.oneof(
        fc.constant({}),
        between(1, 30).map((count) => ({ count })),
        between(-3, 700).map((days) => ({ until: startLocal + days * DAY })),
      );
      return fc
        .record({
          end,
          interval: fc.constantFrom(1, 1, 1, 2, 3, 5),
          byMonth: orNone(some(between(1, 12), 4), 3),
          // RFC 5545 has both in years only, and its programs read their combinations with other parts in many ways.
          byWeekNo: freq === 'YEARLY' ? orNone(some(signed(53), 3), 6) : fc.constant([]),
          byYearDay: freq === 'YEARLY' ? orNone(some(signed(366), 3), 6) : fc.constant([]),
          byMonthDay: freq === 'WEEKLY' ? fc.constant([]) : orNone(some(signed(31), 3), 3),
          byDay: orNone(byDay, 1),
          byHour: orNone(some(hours, 3), 4),
          byMinute: orNone(some(fc.constantFrom(0, 7, 15, 45), 2), 8),
          bySecond: orNone(some(fc.constantFrom(0, 30), 2), 12),
          weekStart: fc.constantFrom(0, 0, 0, 6, 3),
          bySetPos: orNone(some(signed(4), 2), 6),
        })
        .map(({ end: bound, bySetPos, ...rule }) => {
          const isMany = [rule.byDay, rule.byMonthDay, rule.byHour].some((part) => part.length > 0);
          return { freq, ...rule, bySetPos: isMany ? bySetPos : [], ...bound };
        });
    });

const starts: fc.Arbitrary<number> = fc.oneof(
  fc
    .tuple(between(2003, 2030), between(0, 11), between(1, 28), between(0, 95))
    .map(([year, month, day, quarter]) => Date.UTC(year, month, day) + quarter * 15 * MINUTE),
  // Near the clock changes of spring and autumn, and near the day that Samoa skipped.
  fc
    .tuple(between(2005, 2028), fc.constantFrom(2, 3, 9, 10), between(1, 31), between(0, 15))
    .map(([year, month, day, quarter]) => Date.UTC(year, month, day) + quarter * 15 * MINUTE),
  between(0, 400).map((quarter) => Date.UTC(2011, 11, 27) + quarter * 15 * MINUTE),
);

/** In which words a moment of a series is named. */
const FORMS = ['own', 'own', 'UTC', 'Asia/Tokyo', 'Europe/Lisbon', 'date'] as const;
type Form = (typeof FORMS)[number];

function named(form: Form, clock: Clock, local: number): Moment {
  if (form === 'own' || clock === 'date') return { clock, local };
  if (form === 'date') return { clock: 'date', local: Math.floor(local / DAY) * DAY };
  return { clock: form, local: shownAt(form, toInstant({ clock, local })) };
}

/** A start in a series: one that it has, or any quarter of an hour of its time. */
const place = fc.oneof(
  { arbitrary: fc.nat(60).map((nth) => ({ nth })), weight: 4 },
  { arbitrary: fc.nat(80_000).map((quarter) => ({ quarter })), weight: 1 },
);
const form = fc.constantFrom(...FORMS);
const exclusions = fc.array(fc.record({ place, form }), { maxLength: 4 });
const minutes = fc.oneof(
  fc.constantFrom(0, 30, 60, 1440, 2880),
  fc.nat(200).map((quarter) => quarter * 15),
);
const changes = fc.array(
  fc.record({
    place,
    form: fc.constantFrom('own' as const, 'own' as const, 'UTC' as const, 'Asia/Tokyo' as const),
    shift: fc.oneof(between(-200, 200), between(-38_000, 38_000)),
    elsewhere: fc.boolean(),
    minutes,
    cancelled: fc.constantFrom(false, false, false, true),
    future: fc.constantFrom(false, false, false, true),
    older: fc.boolean(),
  }),
  { maxLength: 4 },
);
const additions = fc.array(
  fc.record({
    quarter: fc.nat(70_000),
    form,
    period: fc.option(fc.record({ days: fc.nat(2), minutes: fc.nat(200).map((one) => one * 15) }), {
      nil: undefined,
    }),
  }),
  { maxLength: 3 },
);
const lengths: fc.Arbitrary<{ byDuration: boolean; days: number; minutes: number }> = fc.record({
  byDuration: fc.boolean(),
  days: fc.constantFrom(0, 0, 0, 1, 2),
  minutes,
});

/** Without `overrides` for programs that know none. */
export const randomEvents = ({ overrides }: { readonly overrides: boolean }): fc.Arbitrary<RandomEvent> =>
  fc
    .record({ at: starts, clock: fc.constantFrom(...CLOCKS), floats: fc.boolean() })
    .chain(({ at, clock, floats }) => {
      const local = clock === 'date' ? Math.floor(at / DAY) * DAY : at;
      const rules = fc.oneof(
        { arbitrary: fc.array(ruleOf(local), { minLength: 1, maxLength: 1 }), weight: 8 },
        { arbitrary: fc.array(ruleOf(local), { maxLength: 2 }), weight: 1 },
      );
      const changed = overrides ? changes : fc.constant([]);
      return fc
        .record({ rules, length: lengths, additions, exclusions, changes: changed })
        .map((parts) => eventOf({ ...parts, start: { clock, local }, floats }));
    });

type Parts = {
  readonly start: Moment;
  readonly floats: boolean;
  readonly rules: readonly Rule[];
  readonly length: { readonly byDuration: boolean; readonly days: number; readonly minutes: number };
  readonly additions: readonly { quarter: number; form: Form; period: Length | undefined }[];
  readonly exclusions: readonly { place: Place; form: Form }[];
  readonly changes: readonly RandomChange[];
};
type Place = { nth: number } | { quarter: number };
type RandomChange = Omit<Override, 'original' | 'start' | 'end' | 'title'> & {
  readonly minutes: number;
  readonly place: Place;
  readonly form: Form;
  readonly shift: number;
  readonly elsewhere: boolean;
};

function eventOf({ start, floats, length, additions, exclusions, changes, ...parts }: Parts): RandomEvent {
  const { clock, local } = start;
  // UNTIL is written as an instant: one at a time that is skipped names the time behind it.
  const rules = parts.rules.map((rule) => {
    const { until } = rule;
    return until === undefined
      ? rule
      : { ...rule, until: shownAt(clock, toInstant({ clock, local: until })) };
  });
  const isDate = clock === 'date';
  const floating = floats && clock === CALENDAR_ZONE;
  const as = (form: Form, at: number) => named(floating && form !== 'date' ? 'own' : form, clock, at);
  /** Some quarters of an hour later, or some days. */
  const later = (from: number, quarters: number) =>
    isDate ? from + Math.trunc(quarters / 96) * DAY : from + quarters * 15 * MINUTE;
  const rdates = additions.map(({ quarter, form, period }) => ({
    at: as(form, later(local, quarter)),
    // The end of a floating period is found without knowing its zone.
    period: form === 'own' && !isDate && !floating ? period : undefined,
  }));
  const bare = { start, length: { days: 0, minutes: 0 }, rules, rdates, exdates: [], overrides: [] };
  const known = [...startsOf(bare, local + HORIZON).keys()];
  const localAt = (place: Place): number =>
    'nth' in place ? (known[place.nth % Math.max(1, known.length)] ?? local) : later(local, place.quarter);
  const exdates = exclusions.map(({ place, form }) => as(form, localAt(place)));
  const overrides = new Map<number, Override>();
  for (const { place, form, shift, elsewhere, minutes: lasts, ...change } of changes) {
    const original = localAt(place);
    // One for all later ones moves them by days, not by years: they are looked for near the window.
    const moved = later(original, change.future ? Math.trunc(shift / 16) : shift);
    const begin = elsewhere && !floating ? named('Asia/Tokyo', clock, moved) : { clock, local: moved };
    const minutes = isDate ? Math.max(1, Math.floor(lasts / 1440)) * 1440 : lasts;
    overrides.set(toInstant({ clock, local: original }), {
      ...change,
      original: as(form, original),
      start: begin,
      end: { ...begin, local: begin.local + minutes * MINUTE },
      title: `override ${overrides.size}`,
    });
  }
  const minutes = isDate ? Math.max(1, length.days) * 1440 : length.minutes;
  // So is that of a floating event that does not recur.
  const isFound = !floating || rules.length + rdates.length > 0;
  const byDuration = length.byDuration && !isDate && isFound;
  const end = { ...start, local: local + minutes * MINUTE };
  const lasting = byDuration ? { days: length.days, minutes } : lengthBetween(start, end);
  const series = { start, length: lasting, rules, rdates, exdates, overrides: [...overrides.values()] };
  return { series, floating, endsAfter: byDuration ? undefined : minutes };
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const text = (local: number): string => new Date(local).toISOString().slice(0, 19).replace(/[-:]/g, '');

/** A property that is a moment, or a moment and what follows it. */
function momentLine(name: string, { clock, local }: Moment, { floating = false, after = '' } = {}): string {
  if (clock === 'date') return `${name};VALUE=DATE:${text(local).slice(0, 8)}`;
  if (clock === 'UTC') return `${name}:${text(local)}Z${after}`;
  if (floating) return `${name}:${text(local)}${after}`;
  const tzid = typeof clock === 'string' ? clock : clock.tzid;
  return `${name};TZID="${tzid}":${text(local)}${after}`;
}

/** The value of an RRULE. */
export function ruleText(rule: Rule, { clock }: Moment, floating: boolean): string {
  const list = (name: string, values: readonly (string | number)[]) =>
    values.length === 0 ? '' : `;${name}=${values.join(',')}`;
  const { until, count } = rule;
  const lastText = (last: number): string => {
    if (clock === 'date') return text(last).slice(0, 8);
    return floating ? text(last) : `${text(toInstant({ clock, local: last }))}Z`;
  };
  return [
    `FREQ=${rule.freq};INTERVAL=${rule.interval}`,
    count === undefined ? '' : `;COUNT=${count}`,
    until === undefined ? '' : `;UNTIL=${lastText(until)}`,
    rule.weekStart === 0 ? '' : `;WKST=${WEEKDAYS[rule.weekStart]}`,
    list('BYMONTH', rule.byMonth),
    list('BYWEEKNO', rule.byWeekNo),
    list('BYYEARDAY', rule.byYearDay),
    list('BYMONTHDAY', rule.byMonthDay),
    list(
      'BYDAY',
      rule.byDay.map((day) => `${day.ordinal || ''}${WEEKDAYS[day.weekday]}`),
    ),
    list('BYHOUR', rule.byHour),
    list('BYMINUTE', rule.byMinute),
    list('BYSECOND', rule.bySecond),
    list('BYSETPOS', rule.bySetPos),
  ].join('');
}

const durationText = ({ days, minutes }: Length): string => `P${days}DT${minutes}M`;

function zoneLines({ tzid, offset, changes }: SundayZone): string[] {
  const offsetText = (value: number) =>
    `${value < 0 ? '-' : '+'}${String(Math.floor(Math.abs(value) / 60) * 100 + (Math.abs(value) % 60)).padStart(4, '0')}`;
  const onset = (from: number, to: number, ...lines: string[]) => [
    `TZOFFSETFROM:${offsetText(from)}`,
    `TZOFFSETTO:${offsetText(to)}`,
    ...lines,
  ];
  const fixed = ['BEGIN:STANDARD', ...onset(offset, offset, 'DTSTART:19700101T000000'), 'END:STANDARD'];
  const changing = changes.flatMap((change, i) => {
    const before = changes[(i + 1) % changes.length]?.offset ?? offset;
    const name = change.offset > before ? 'DAYLIGHT' : 'STANDARD';
    const rule = `RRULE:FREQ=YEARLY;BYMONTH=${change.month + 1};BYDAY=${change.sunday}SU`;
    const start = `DTSTART:${text(changeIn(1990, change))}`;
    return [`BEGIN:${name}`, ...onset(before, change.offset, start, rule), `END:${name}`];
  });
  return ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...(changes.length > 0 ? changing : fixed), 'END:VTIMEZONE'];
}

/** The calendar that states an event. */
export function calendarText({ series, floating, endsAfter }: RandomEvent): string {
  const { start, length, rules, rdates, exdates, overrides } = series;
  const line = (name: string, moment: Moment, after = '') => {
    const isOwn = moment.clock === start.clock;
    return momentLine(name, moment, { floating: floating && isOwn, after });
  };
  const vevent = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:one', ...lines, 'END:VEVENT'];
  const end = endsAfter === undefined ? undefined : { ...start, local: start.local + endsAfter * MINUTE };
  const master = vevent(
    'SUMMARY:master',
    'SEQUENCE:2',
    line('DTSTART', start),
    end === undefined ? `DURATION:${durationText(length)}` : line('DTEND', end),
    ...rules.map((rule) => `RRULE:${ruleText(rule, start, floating)}`),
    ...rdates.map(({ at, period }) =>
      period === undefined ? line('RDATE', at) : line('RDATE;VALUE=PERIOD', at, `/${durationText(period)}`),
    ),
    ...exdates.map((moment) => line('EXDATE', moment)),
  );
  const changed = overrides.flatMap(({ original, start: moved, end: until, ...override }) =>
    vevent(
      `SUMMARY:${override.title}`,
      `SEQUENCE:${override.older ? 1 : 2}`,
      line(override.future ? 'RECURRENCE-ID;RANGE=THISANDFUTURE' : 'RECURRENCE-ID', original),
      line('DTSTART', moved),
      line('DTEND', until),
      ...(override.cancelled ? ['STATUS:CANCELLED'] : []),
    ),
  );
  const zones = OWN_ZONES.filter((zone) => zone === start.clock).flatMap(zoneLines);
  return ['BEGIN:VCALENDAR', ...zones, ...master, ...changed, 'END:VCALENDAR'].join('\r\n');
}
