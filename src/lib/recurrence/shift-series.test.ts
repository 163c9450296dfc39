import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventTime } from './event-time.ts';
import { shiftWithSeries } from './shift-series.ts';

const date = (text: string): EventTime => ({ type: 'date', date: text });
const at = (local: string, zone = 'Europe/Paris'): EventTime => ({
  type: 'zoned',
  local: `${local}:00`,
  zone,
});
const floating = (local: string): EventTime => ({ type: 'floating', local: `${local}:00` });

type Case = { rule: string; original: EventTime; before: EventTime; after: EventTime; moved: EventTime };

describe('an instance of a series that is shifted', () => {
  const cases: Case[] = [
    {
      rule: 'moves by as much as the series',
      original: at('2026-03-09T10:00'),
      before: at('2026-03-02T10:00'),
      after: at('2026-03-03T11:30'),
      moved: at('2026-03-10T11:30'),
    },
    {
      rule: 'keeps the time of day behind a change of clocks',
      original: at('2026-03-30T10:00'),
      before: at('2026-03-02T10:00'),
      after: at('2026-03-02T09:00'),
      moved: at('2026-03-30T09:00'),
    },
    {
      rule: 'has the series’ time of day in another zone, also while only one of the two has summer time',
      original: at('2026-03-16T10:00'),
      before: at('2026-03-02T10:00'),
      after: at('2026-03-02T09:00', 'America/New_York'),
      moved: at('2026-03-16T09:00', 'America/New_York'),
    },
    {
      rule: 'moves to the day before in a zone where the series begins the day before',
      original: at('2026-03-10T01:00'),
      before: at('2026-03-03T01:00'),
      after: at('2026-03-02T19:00', 'America/New_York'),
      moved: at('2026-03-09T19:00', 'America/New_York'),
    },
    {
      rule: 'is found by its instant when it is named in UTC',
      original: at('2026-03-30T08:00', 'UTC'),
      before: at('2026-03-02T10:00'),
      after: at('2026-03-02T12:00'),
      moved: at('2026-03-30T12:00'),
    },
    {
      rule: 'is the one of its day when it is named by a date',
      original: date('2026-03-09'),
      before: at('2026-03-02T10:00'),
      after: at('2026-03-03T11:00'),
      moved: at('2026-03-10T11:00'),
    },
    {
      rule: 'moves by whole days while it stays all-day',
      original: date('2026-03-09'),
      before: date('2026-03-02'),
      after: date('2026-03-04'),
      moved: date('2026-03-11'),
    },
    {
      rule: 'keeps its distance in days, whatever its time of day, when the series becomes all-day',
      original: at('2026-03-09T08:00'),
      before: at('2026-03-02T10:00'),
      after: date('2026-03-03'),
      moved: date('2026-03-10'),
    },
    {
      rule: 'takes the series’ time of day when the series is all-day no longer',
      original: date('2026-03-09'),
      before: date('2026-03-02'),
      after: at('2026-03-03T09:00'),
      moved: at('2026-03-10T09:00'),
    },
    {
      rule: 'keeps its wall-clock time when the series floats no longer',
      original: floating('2026-03-30T10:00'),
      before: floating('2026-03-02T10:00'),
      after: at('2026-03-02T10:00', 'Asia/Tokyo'),
      moved: at('2026-03-30T10:00', 'Asia/Tokyo'),
    },
  ];
  for (const { rule, original, before, after, moved } of cases) {
    it(rule, () => {
      assert.deepEqual(shiftWithSeries(original, { before, after, floatingZone: 'Asia/Tokyo' }), moved);
    });
  }
});
