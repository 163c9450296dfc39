/** Broken iCalendar, from the parser to the instances: refused by name or understood, never anything else. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';

import fc from 'fast-check';

import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { ICalendarError } from '../../../src/lib/icalendar/icalendar-error.ts';
import { parseICalendar } from '../../../src/lib/icalendar/parse-icalendar.ts';
import { TooComplexError } from '../../../src/lib/icalendar/resource-budget.ts';
import { formatInstanceId, parseInstanceId } from '../../../src/lib/recurrence/event-instant.ts';
import { expand } from '../../../src/lib/recurrence/expand.ts';
import { RecurrenceBudgetError, recurrenceBudget } from '../../../src/lib/recurrence/expand-rule.ts';
import { computeSpan } from '../../../src/lib/recurrence/place-of.ts';
import type { Series } from '../../../src/lib/recurrence/series.ts';
import { parseEventResource } from '../../../src/providers/caldav/events/event-resource.ts';
import { assertOfGrown, readingLimit } from '../../harness/growth.ts';
import { takesUnder } from '../../harness/processor-time.ts';
import { expandMonth, seriesIn, ZONE } from '../../harness/resource-expansion.ts';
import { inputs, rounds, scale } from '../../harness/rounds.ts';
import { fullCalendar, growingCalendar, KNOWN_CALENDARS } from './growing-calendars.ts';

const ROUNDS = rounds(scale() < 20 ? 1500 : 3000);
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

describe('text that grows', () => {
  // Compiling during a measurement would prolong it.
  before(() => {
    for (const text of fc.sample(growingCalendar, { numRuns: 200, seed: 1 })) readAndPlace(text);
    for (const text of fc.sample(fullCalendar, { numRuns: 5, seed: 1 })) readAndPlace(text);
  });
  const isQuick = (text: string) => {
    assert.ok(
      takesUnder(readingLimit(text), () => readAndPlace(text)),
      `${text.length} characters`,
    );
  };

  it('text that grows is read, placed and expanded for a month in time, or refused', () => {
    assertOfGrown(growingCalendar, isQuick, { numRuns: inputs(400), examples: KNOWN_CALENDARS });
  });

  it('text that uses up several limits at once is read, placed and expanded in time', () => {
    assertOfGrown(fullCalendar, isQuick, { numRuns: rounds(20) });
  });
});

/** As a thread does with what a server sent. */
function readAndPlace(text: string): void {
  const read = () => parseEventResource({ href: '/a.ics', etag: undefined, icalendar: text });
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
  const read = () => parseEventResource({ href: '/a.ics', etag: undefined, icalendar: text });
  const resource = refusedAs(TooComplexError, () => refusedAs(ProviderError, read));
  if (resource === undefined) return;
  const series = seriesIn(resource);
  const span = computeSpan(series, ZONE);
  for (const window of WINDOWS) expandWithin(series, window, span);
}

const WINDOWS = [
  { start: Date.parse('2026-10-01'), end: Date.parse('2026-12-01') },
  { start: Date.parse('0001-01-01'), end: Date.parse('9999-12-31') },
];

function expandWithin(
  series: Series<string>,
  window: (typeof WINDOWS)[number],
  span: ReturnType<typeof computeSpan>,
) {
  const expansion = refusedAs(RecurrenceBudgetError, () =>
    expand(series, window, ZONE, recurrenceBudget(1000, 500_000)),
  );
  for (const { startsAt, endsAt, originalStart } of expansion?.instances ?? []) {
    assert.ok(startsAt >= span.startsAt && endsAt <= span.endsAt && endsAt >= startsAt);
    assert.ok(parseInstanceId(formatInstanceId('a', originalStart, ZONE)));
  }
}

/** Returns `undefined` if `run` throws that error, and throws every other. */
function refusedAs<T>(refusal: new (...parameters: never[]) => Error, run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof refusal) return undefined;
    throw error;
  }
}
