/** How much of a list of calendars is kept. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderCalendar } from './calendar.ts';
import { keptList, LONGEST_TITLE } from './calendar-list.ts';

const calendar = (href: string, change: Partial<ProviderCalendar> = {}): ProviderCalendar => {
  return { href, title: 'T', timeZone: 'UTC', access: 'read', original: {}, ...change };
};
const hrefs = ({ calendars }: { calendars: readonly ProviderCalendar[] }) =>
  calendars.map(({ href }) => href);

describe('a list of calendars', () => {
  it('a list of calendars is kept whole up to the limit, without a word', () => {
    const { calendars, cut } = keptList([calendar('a'), calendar('b')], 2);

    assert.deepEqual(hrefs({ calendars }), ['a', 'b']);
    assert.equal(cut, undefined);
  });

  it('a list of calendars over the limit keeps the first in the provider’s order, and says so', () => {
    const { calendars, cut } = keptList([calendar('b'), calendar('a'), calendar('c')], 2);

    assert.deepEqual(hrefs({ calendars }), ['b', 'a']);
    assert.equal(cut?.reason, 'too_many_calendars');
    assert.match(cut?.message ?? '', /more than 2 calendars: the first 2 are read/);
  });

  it('a calendar of too long a title or description keeps their beginning, and no half of a character', () => {
    const title = `${'x'.repeat(LONGEST_TITLE - 1)}😀`;
    const { calendars } = keptList([calendar('a', { title, description: 'd'.repeat(20_000) })], 1);

    assert.equal(calendars[0]?.title, 'x'.repeat(LONGEST_TITLE - 1));
    assert.equal(calendars[0]?.description?.length, 10_000);
    assert.ok(!('description' in (keptList([calendar('b')], 1).calendars[0] ?? {})));
  });
});
