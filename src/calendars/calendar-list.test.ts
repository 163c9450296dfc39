import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderCalendar } from './calendar.ts';
import { LONGEST_TITLE, limitList } from './calendar-list.ts';

const calendar = (href: string, change: Partial<ProviderCalendar> = {}): ProviderCalendar => {
  return { href, title: 'T', timeZone: 'UTC', access: 'read', original: {}, ...change };
};
const listHrefs = ({ calendars }: { calendars: readonly ProviderCalendar[] }) =>
  calendars.map(({ href }) => href);

describe('a list of calendars', () => {
  it('a list of calendars up to the limit is stored whole, without a failure', () => {
    const { calendars, cut } = limitList([calendar('a'), calendar('b')], 2);

    assert.deepEqual(listHrefs({ calendars }), ['a', 'b']);
    assert.equal(cut, undefined);
  });

  it('a list of calendars over the limit is cut to the first in the provider’s order, with a failure', () => {
    const { calendars, cut } = limitList([calendar('b'), calendar('a'), calendar('c')], 2);

    assert.deepEqual(listHrefs({ calendars }), ['b', 'a']);
    assert.equal(cut?.reason, 'too_many_calendars');
    assert.match(cut?.message ?? '', /more than 2 calendars: only the first 2 are read/);
  });

  it('a long title or description of a calendar is cut without splitting a character', () => {
    const title = `${'x'.repeat(LONGEST_TITLE - 1)}😀`;
    const { calendars } = limitList([calendar('a', { title, description: 'd'.repeat(20_000) })], 1);

    assert.equal(calendars[0]?.title, 'x'.repeat(LONGEST_TITLE - 1));
    assert.equal(calendars[0]?.description?.length, 10_000);
    assert.ok(!('description' in (limitList([calendar('b')], 1).calendars[0] ?? {})));
  });
});
