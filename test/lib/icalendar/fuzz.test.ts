/** Broken iCalendar, from the parser to the instances: refused by name or understood, never anything else. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { ICalendarError } from '../../../src/lib/icalendar/icalendar-error.ts';
import { parseICalendar } from '../../../src/lib/icalendar/parse-icalendar.ts';
import { TooComplexError } from '../../../src/lib/icalendar/resource-budget.ts';
import { instanceIdOf, parseInstanceId } from '../../../src/lib/recurrence/event-instant.ts';
import { expand } from '../../../src/lib/recurrence/expand.ts';
import { RecurrenceBudgetError, recurrenceBudget } from '../../../src/lib/recurrence/expand-rule.ts';
import type { Series } from '../../../src/lib/recurrence/series.ts';
import { spanOf } from '../../../src/lib/recurrence/span-of.ts';
import { eventResourceOf } from '../../../src/providers/caldav/events/event-resource.ts';
import { takesUnder } from '../../harness/processor-time.ts';
import { expandMonth, seriesIn, ZONE } from '../../harness/resource-expansion.ts';
import { rounds } from '../../harness/rounds.ts';

const ROUNDS = rounds(5000);
const FIXTURES = new URL('../../fixtures/icalendar/', import.meta.url);
const fixtures = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.ics'))
  .map((name) => readFileSync(new URL(name, FIXTURES), 'utf8'));

describe('any text at all', () => {
  /** Real calendars with pieces put in, taken out, doubled and swapped. */
  const piece = fc.oneof(
    fc.constantFrom(
      'BEGIN:VEVENT\n',
      'END:VEVENT\n',
      'END:VCALENDAR\n',
      'BEGIN:VTIMEZONE\n',
      '\n ',
      '"',
      ';',
      ':',
      ',',
      '\\',
    ),
    fc.constantFrom(
      'DTSTART:99991231T235959Z\n',
      'DURATION:P999999999W\n',
      'DURATION:PT999999999999S\n',
      'DTEND:00000000\n',
    ),
    fc.constantFrom(
      'RRULE:FREQ=YEARLY;BYDAY=53MO;COUNT=999999999\n',
      'TZOFFSETTO:+2359\n',
      'TZOFFSETFROM:-9999\n',
    ),
    fc.constantFrom(
      'RDATE;VALUE=PERIOD:20260101T000000Z/P1D,/,/x\n',
      'RECURRENCE-ID;RANGE=THISANDFUTURE:20260101\n',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const change = fc.record({ at: fc.nat(4000), remove: fc.nat(40), insert: piece, doubled: fc.boolean() });
  const mutated = fc
    .tuple(fc.constantFrom(...fixtures), fc.array(change, { minLength: 1, maxLength: 8 }))
    .map(([text, changes]) => changes.reduce(mutate, text));

  it('any text is read as iCalendar at once or refused, and what is read can be expanded', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        assert.ok(takesUnder(1000, () => readAndExpand(text)));
      }),
      { numRuns: ROUNDS },
    );
  });
});

/** Text that grows: a piece repeated up to a hundred thousand times, in itself or with others, wherever it may stand. */
const grown = (pieces: fc.Arbitrary<string>, mostTenths: number) =>
  fc.tuple(pieces, fc.integer({ min: 0, max: mostTenths })).map(([piece, tenths]) => {
    const size = Math.min(Math.floor(10 ** (tenths / 10)), Math.floor(MOST_TEXT / piece.length));
    const numbered = (index: number) => piece.replaceAll('#', String((index % 90) + 10));
    return Array.from({ length: size }, (_, index) => numbered(index)).join('');
  });
/** Texts are no longer than what is read of a server. */
const MOST_TEXT = 10_000_000;

const DATE = '20#1101T0800#';
const dateList = grown(fc.constantFrom(`${DATE},`, '2026#1,', '00020101T000000Z/P1D,', '20261101,,'), 50);
const parameters = grown(
  fc.constantFrom(';b', ';b=#', ';TZID=Z#', ';X="a,#"', ';X=^n', ';TZID=(UTC+01:00) Paris', ';A=1,2,#,3'),
  50,
);
const texts = grown(
  fc.constantFrom('\\n', 'a', '.', ')', '\\', '%', '\n ', '\ud83d\ude00', ' ', 'https://zoom.us/j/'),
  60,
);
const numbers = grown(fc.constantFrom('#,', '-#,', '1#MO,', 'MO,'), 30);
const rule = fc
  .tuple(
    fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY', 'SECONDLY'),
    fc.constantFrom('', ';COUNT=99999999', ';UNTIL=99990101', ';INTERVAL=999'),
    fc.array(
      fc.tuple(
        fc.constantFrom(
          'BYHOUR',
          'BYMINUTE',
          'BYSECOND',
          'BYDAY',
          'BYMONTHDAY',
          'BYYEARDAY',
          'BYWEEKNO',
          'BYSETPOS',
          'BYMONTH',
        ),
        numbers,
      ),
      { maxLength: 5 },
    ),
  )
  .map(
    ([freq, end, parts]) =>
      `RRULE:FREQ=${freq}${end}${parts.map(([name, list]) => `;${name}=${list}1`).join('')}\n`,
  );
const property = fc.oneof(
  rule,
  fc
    .tuple(fc.constantFrom('EXDATE', 'RDATE', 'DTEND', 'RECURRENCE-ID'), parameters, dateList)
    .map(([name, parts, list]) => `${name}${parts}:${list}\n`),
  fc
    .tuple(
      fc.constantFrom('SUMMARY', 'DESCRIPTION', 'ATTENDEE', 'X-KALENDS-CUSTOM', 'UID', 'X-#', 'LOCATION'),
      parameters,
      texts,
    )
    .map(([name, parts, text]) => `${name}${parts}:${text}\n`),
  fc.constantFrom(
    'TZOFFSETFROM:+0#00\n',
    'TZOFFSETTO:-0#00\n',
    'TZID:Z#\n',
    'DTSTART:00020101T080000\n',
    'DTSTART;TZID=Z10:20200101T080000\n',
  ),
  fc.constantFrom(
    'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=America/New_York:20#0101T080000\n',
    'ATTENDEE;CN="P #";ROLE=CHAIR;RSVP=TRUE:mailto:p#@example.com\n',
    'EXDATE;TZID=Z#:20261101T080000\n',
  ),
);
const lines = fc
  .array(fc.oneof({ weight: 3, arbitrary: property }, grown(property, 50)), { maxLength: 6 })
  .map((all) => all.join(''));
const START = 'UID:a\nDTSTART;TZID=Europe/Paris:20#0101T080000\nDTEND;TZID=Europe/Paris:20#0101T090000\n';
const component = fc
  .tuple(fc.constantFrom('VEVENT', 'VTIMEZONE', 'STANDARD', 'VALARM', 'X'), fc.boolean(), lines)
  .map(([name, starts, text]) => `BEGIN:${name}\n${starts ? START : ''}${text}END:${name}\n`);
const nested = fc
  .tuple(component, fc.constantFrom('VEVENT', 'VTIMEZONE'), grown(component, 50), fc.boolean())
  .map(([first, name, inner, isNested]) =>
    isNested ? `${first}BEGIN:${name}\nTZID:Z10\n${START}${inner}END:${name}\n` : first + inner,
  );
const calendar = fc
  .array(fc.oneof(component, nested), { minLength: 1, maxLength: 3 })
  .map((parts) =>
    `BEGIN:VCALENDAR\n${parts.join('')}BEGIN:VEVENT\n${START}RRULE:FREQ=DAILY\nEND:VEVENT\nEND:VCALENDAR\n`.slice(
      0,
      MOST_TEXT,
    ),
  );

describe('text that grows', () => {
  it('text that grows is read, placed and expanded for a month in a tenth of a second, or refused', () => {
    // What is compiled while it is measured takes longer.
    for (const text of fc.sample(calendar, { numRuns: 30, seed: 1 })) readAndPlace(text);
    fc.assert(
      fc.property(calendar, (text) => {
        assert.ok(
          takesUnder(100, () => readAndPlace(text)),
          text.slice(0, 300),
        );
      }),
      { numRuns: rounds(100) },
    );
  });
});

/** As a thread does with what a server sent. */
function readAndPlace(text: string): void {
  const read = () => eventResourceOf({ href: '/a.ics', etag: undefined, icalendar: text });
  const resource = refusedAs(TooComplexError, () => refusedAs(ProviderError, read));
  if (resource !== undefined) expandMonth(resource);
}

type Change = { at: number; remove: number; insert: string; doubled: boolean };

function mutate(text: string, { at, remove, insert, doubled }: Change): string {
  const place = at % (text.length + 1);
  const rest = text.slice(place + (doubled ? 0 : remove));
  return text.slice(0, place + (doubled ? remove : 0)) + insert + rest;
}

function readAndExpand(text: string): void {
  refusedAs(ICalendarError, () => parseICalendar(text));
  const read = () => eventResourceOf({ href: '/a.ics', etag: undefined, icalendar: text });
  const resource = refusedAs(TooComplexError, () => refusedAs(ProviderError, read));
  if (resource === undefined) return;
  const series = seriesIn(resource);
  const span = spanOf(series, ZONE);
  for (const window of WINDOWS) expandWithin(series, window, span);
}

const WINDOWS = [
  { start: Date.parse('2026-10-01'), end: Date.parse('2026-12-01') },
  { start: Date.parse('0001-01-01'), end: Date.parse('9999-12-31') },
];

function expandWithin(
  series: Series<string>,
  window: (typeof WINDOWS)[number],
  span: ReturnType<typeof spanOf>,
) {
  const expansion = refusedAs(RecurrenceBudgetError, () =>
    expand(series, window, ZONE, recurrenceBudget(1000, 500_000)),
  );
  for (const { startsAt, endsAt, originalStart } of expansion?.instances ?? []) {
    assert.ok(startsAt >= span.startsAt && endsAt <= span.endsAt && endsAt >= startsAt);
    assert.ok(parseInstanceId(instanceIdOf('a', originalStart, ZONE)));
  }
}

/** What is thrown besides that error is a fault. */
function refusedAs<T>(refusal: new (...parameters: never[]) => Error, run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof refusal) return undefined;
    throw error;
  }
}
