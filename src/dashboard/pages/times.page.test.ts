import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';

import { html } from '../../http/html.ts';
import { relativeTime } from './times.client.js';
import { ago, instant, instantAndAgo, TIME_SCRIPT, withRelativeTimes } from './times.page.ts';

const NOW = Date.UTC(2026, 10, 25, 19, 22, 7);
const SECOND = 1_000;
const DAY = 86_400_000;

describe('a relative time', () => {
  for (const [distance, text] of [
    [0, 'just now'],
    [9 * SECOND, 'just now'],
    [12 * SECOND, '12 s ago'],
    [59 * SECOND, '59 s ago'],
    [60 * SECOND, '1 min ago'],
    [3_599 * SECOND, '59 min ago'],
    [3 * 3_600 * SECOND, '3 h ago'],
    [DAY - SECOND, '23 h ago'],
    [2 * DAY, '2 d ago'],
    [7 * DAY, '7 d ago'],
    [7 * DAY + SECOND, ''],
    [-4 * 60 * SECOND, 'in 4 min'],
    [-3 * SECOND, 'just now'],
  ] as const) {
    it(`is "${text}" ${distance / SECOND} seconds later`, () =>
      assert.equal(relativeTime(NOW - distance, NOW), text));
  }

  it('is the same in a page, whose script needs nothing else', () => {
    const result = runInNewContext(`${TIME_SCRIPT}relativeTime(0, 120_000)`);
    assert.equal(result, relativeTime(0, 120_000));
  });
});

describe('a time of a page', () => {
  const render = (content: Parameters<typeof withRelativeTimes>[0]) => withRelativeTimes(content, NOW).markup;
  const EXACT = 'Nov 25, 2026, 19:20:07 UTC';

  it('is exact in a sentence', () =>
    assert.match(render(instant(NOW - 120_000)), new RegExp(`data-form="exact">${EXACT}</time>$`)));

  it('is relative in a list, with the exact time as its title', () =>
    assert.match(render(ago(NOW - 120_000)), new RegExp(`title="${EXACT}">2 min ago</time>$`)));

  it('is a day in a list after seven days', () =>
    assert.match(render(ago(NOW - 8 * DAY)), />Nov 17, 2026<\/time>$/));

  it('is both in details, and exact only after seven days', () => {
    assert.match(render(instantAndAgo(NOW - 120_000)), new RegExp(`>${EXACT} \\(2 min ago\\)</time>$`));
    assert.match(render(instantAndAgo(NOW - 8 * DAY)), />Nov 17, 2026, 19:22:07 UTC<\/time>$/);
  });

  it('is not read from a text that looks like one', () => {
    const text = '<time datetime="2026-11-25T19:20:07Z">old</time>';
    assert.equal(render(html`${text}`), html`${text}`.markup);
  });
});
