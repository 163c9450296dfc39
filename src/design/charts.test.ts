/** What charts draw and say; that a strict Content-Security-Policy has nothing to refuse in them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Bar, barChart, sparkline } from './charts.ts';

const WORDS = {
  language: 'en',
  title: 'Calls of a day',
  labels: 'Hour',
  good: 'answered',
  bad: 'refused',
  empty: 'Calls show up here once an application makes one.',
  numbers: 'Numbers',
};

const hours = (length: number, at: (hour: number) => Omit<Bar, 'label'>): Bar[] =>
  Array.from({ length }, (_, hour) => ({ label: `${hour}:00`, ...at(hour) }));

/** The rectangles of a series: `[bottom, height]` of each. */
function barsOf(markup: string, series: string): [number, number][] {
  const path = new RegExp(`<path class="series-${series}" d="([^"]*)"`).exec(markup)?.[1] ?? '';
  return [...path.matchAll(/M[\d.]+ ([\d.]+)v-([\d.]+)/g)].map(([, bottom, height]) => [
    Number(bottom),
    Number(height),
  ]);
}

describe('barChart', () => {
  for (const length of [1, 7, 24, 48]) {
    it(`a bar chart of ${length} points draws each in its frame, the bad on the good`, () => {
      const { markup } = barChart(
        hours(length, (hour) => ({ good: hour + 1, bad: 1 })),
        WORDS,
      );
      const [good, bad] = [barsOf(markup, 'good'), barsOf(markup, 'bad')];

      assert.equal(good.length, length);
      assert.equal(bad.length, length);
      for (const [i, [bottom, height]] of bad.entries()) {
        assert.ok(Math.abs(bottom - (60 - (good[i]?.[1] ?? 0))) < 0.02);
        assert.ok(bottom - height >= 0, 'a bar ends in the frame');
      }
    });
  }

  it('one refusal among a million answers is seen', () => {
    const { markup } = barChart(
      hours(7, (hour) => ({ good: 1_000_000, bad: hour === 3 ? 1 : 0 })),
      WORDS,
    );

    const bad = barsOf(markup, 'bad');
    assert.equal(bad.length, 1);
    assert.ok((bad[0]?.[1] ?? 0) >= 1);
    assert.match(markup, /<td>1,000,000<\/td><td>1<\/td>/);
  });

  it('a chart says in words what it shows, and has a table of all its numbers', () => {
    const { markup } = barChart(
      hours(7, (hour) => ({ good: hour, bad: 1 })),
      WORDS,
    );

    assert.match(markup, /<svg [^>]*role="img" aria-label="Calls of a day. answered: 21, refused: 7"/);
    assert.equal(markup.match(/<tr>/g)?.length, 8);
    assert.match(markup, /<th scope="row">6:00<\/th><td>6<\/td><td>1<\/td>/);
  });

  it('a chart of one series has neither the legend nor the column of the other', () => {
    const { bad: _, ...words } = WORDS;
    const { markup } = barChart(
      hours(7, () => ({ good: 2 })),
      words,
    );

    assert.doesNotMatch(markup, /series-bad|refused/);
    assert.equal(markup.match(/<td>/g)?.length, 7);
  });

  it('without bars, with zeros and with what is no number, a chart says what will be there', () => {
    for (const bars of [
      [],
      hours(24, () => ({ good: 0, bad: 0 })),
      hours(24, () => ({ good: Number.NaN, bad: -1 })),
    ]) {
      const { markup } = barChart(bars, WORDS);
      assert.match(markup, /Calls show up here/);
      assert.doesNotMatch(markup, /<svg|NaN/);
    }
  });

  it('labels and words are text, and nothing in a chart needs a style or a script to be allowed', () => {
    const { markup } = barChart([{ label: '<b>"', good: 1, bad: 2 }], { ...WORDS, title: '"><script>' });

    assert.doesNotMatch(markup, /<b>|<script|style=|<style| on\w+=/);
  });
});

describe('sparkline', () => {
  it('a sparkline stays in its frame, from its first value to its last', () => {
    const { markup } = sparkline([0, 5, 10], 'Deliveries of a week: 15');

    assert.match(markup, /role="img" aria-label="Deliveries of a week: 15"/);
    assert.match(markup, /d="M0 60L10 30L20 0"/);
  });

  it('a sparkline of no values, of one and of zeros is a flat line', () => {
    assert.match(sparkline([], 'none').markup, /d="M0 60L10 60"/);
    assert.match(sparkline([3], 'one').markup, /d="M0 0L10 0"/);
    assert.match(sparkline([0, 0, 0], 'zeros').markup, /d="M0 60L10 60L20 60"/);
    assert.doesNotMatch(sparkline([Number.NaN, Number.POSITIVE_INFINITY], 'odd').markup, /NaN|Infinity/);
  });
});
