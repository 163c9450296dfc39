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

/** Returns `[top, height]` of each rectangle of a series, in pixels. */
function parseBars(markup: string, series: string): [number, number][] {
  const [, path = ''] = new RegExp(`<path class="series-${series}" d="([^"]*)"`).exec(markup) ?? [];
  return [...path.matchAll(/M\S+ ([\d.]+)v([\d.]+)/g)].map(([, top, height]) => [
    Number(top),
    Number(height),
  ]);
}

const texts = (markup: string, axis: 'x' | 'y'): (string | undefined)[] =>
  [...markup.matchAll(new RegExp(`<text class="${axis}"[^>]*>([^<]*)<`, 'g'))].map(([, text]) => text);

describe('barChart', () => {
  for (const length of [6, 7, 24, 48]) {
    it(`draws each of ${length} bars between the axis and the top, failures on top of successes`, () => {
      const { markup } = barChart(
        hours(length, (hour) => ({ good: hour + 1, bad: 1 })),
        WORDS,
      );
      const [good, bad] = [parseBars(markup, 'good'), parseBars(markup, 'bad')];

      assert.equal(good.length, length);
      assert.equal(bad.length, length);
      for (const [i, [top, height]] of bad.entries()) {
        assert.ok(Math.abs(top + height - (good[i]?.[0] ?? 0)) < 0.02);
        assert.ok(top >= 8 && (good[i]?.[0] ?? 0) < 168);
      }
    });
  }

  it('keeps one failure among a million visible', () => {
    const { markup } = barChart(
      hours(7, (hour) => ({ good: 1_000_000, bad: hour === 3 ? 1 : 0 })),
      WORDS,
    );

    const bad = parseBars(markup, 'bad');
    assert.equal(bad.length, 1);
    assert.ok((bad[0]?.[1] ?? 0) >= 1);
    assert.match(markup, /<td>1,000,000<\/td><td>1<\/td>/);
  });

  it('labels the y-axis with zero, half and the next of 1, 2 or 5 times a power of ten', () => {
    for (const [highest, labels] of [
      [1, ['1', '0']],
      [1_283, ['2,000', '1,000', '0']],
      [2_000, ['2,000', '1,000', '0']],
      [4_001, ['5,000', '2,500', '0']],
      [70, ['100', '50', '0']],
    ] as const) {
      const { markup } = barChart(
        hours(24, () => ({ good: highest })),
        WORDS,
      );
      assert.deepEqual(texts(markup, 'y'), labels);
    }
  });

  it('labels the x-axis with four to six hours', () => {
    for (const length of [6, 7, 13, 24, 48]) {
      const { markup } = barChart(
        hours(length, () => ({ good: 1 })),
        WORDS,
      );
      const labels = texts(markup, 'x');
      assert.equal(labels[0], '0:00');
      assert.ok(labels.length >= 4 && labels.length <= 6, `${labels.length} labels of ${length} hours`);
    }
  });

  it('starts at the first hour with data, with at least six bars', () => {
    const from = (first: number) =>
      barChart(
        hours(24, (hour) => ({ good: hour < first ? 0 : 5 })),
        WORDS,
      ).markup.match(/<th scope="row">[\d:]+/g) ?? [];

    assert.equal(from(10)[0], '<th scope="row">10:00');
    assert.equal(from(22)[0], '<th scope="row">18:00');
  });

  it('describes the chart in text, with a table of all numbers', () => {
    const { markup } = barChart(
      hours(7, (hour) => ({ good: hour, bad: 1 })),
      WORDS,
    );

    assert.match(markup, /<svg [^>]*role="img" aria-label="Calls of a day: 21 answered, 7 refused"/);
    assert.equal(markup.match(/<tr>/g)?.length, 8);
    assert.match(markup, /<th scope="row">6:00<\/th><td>6<\/td><td>1<\/td>/);
  });

  it('links the sum of the failures to their list', () => {
    const { markup } = barChart(
      hours(7, () => ({ good: 2, bad: 1 })),
      { ...WORDS, badPath: '/dashboard/requests?status=errors' },
    );

    assert.match(markup, /<a href="\/dashboard\/requests\?status&#61;errors"><b>7<\/b> refused<\/a>/);
  });

  it('omits the legend and the second column of a chart with one series', () => {
    const { bad: _, ...words } = WORDS;
    const { markup } = barChart(
      hours(7, () => ({ good: 2, bad: 3 })),
      words,
    );

    assert.doesNotMatch(markup, /series-bad|refused/);
    assert.equal(markup.match(/<td>/g)?.length, 7);
  });

  it('shows the placeholder text without bars, with zeros and with invalid numbers', () => {
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

  it('escapes labels and texts, and needs no style or script in the Content-Security-Policy', () => {
    const { markup } = barChart([{ label: '<b>"', good: 1, bad: 2 }], { ...WORDS, title: '"><script>' });

    assert.doesNotMatch(markup, /<b>"|<script|style=|<style| on\w+=/);
  });
});

describe('sparkline', () => {
  it('draws the line within its frame, from the first value to the last', () => {
    const { markup } = sparkline([0, 5, 10], 'Deliveries of a week: 15');

    assert.match(markup, /role="img" aria-label="Deliveries of a week: 15"/);
    assert.match(markup, /d="M0 60L10 30L20 0"/);
  });

  it('draws a flat line for no values, for one and for zeros', () => {
    assert.match(sparkline([], 'none').markup, /d="M0 60L10 60"/);
    assert.match(sparkline([3], 'one').markup, /d="M0 0L10 0"/);
    assert.match(sparkline([0, 0, 0], 'zeros').markup, /d="M0 60L10 60L20 60"/);
    assert.doesNotMatch(sparkline([Number.NaN, Number.POSITIVE_INFINITY], 'odd').markup, /NaN|Infinity/);
  });
});
