/**
 * Every kind of change of a timed and of an all-day series in every mode: Kalends, the provider and a published client of
 * it show the same occurrences, and they are the requested ones.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { type Listed, occurrencesOf, openWitnessSite, type WitnessSite } from './witness-site.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];
const TYPES = ['timed', 'all-day'] as const;
const CHANGES = ['title', 'time', 'type', 'deletion'] as const;
const MODES = ['this', 'following', 'all'] as const;
const DAYS = ['2027-01-04', '2027-01-11', '2027-01-18', '2027-01-25'];
/** The occurrence that a request names. */
const NAMED = 2;

type Type = (typeof TYPES)[number];
type Times = { readonly start: string; readonly end: string; readonly allDay: boolean };

const nextDay = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** `longer`: by an hour, or by a day. */
function timesOn(day: string, type: Type, longer = false): Times {
  if (type === 'all-day') return { start: day, end: nextDay(day, longer ? 2 : 1), allDay: true };
  return { start: `${day}T09:00:00Z`, end: `${day}T${longer ? 11 : 10}:00:00Z`, allDay: false };
}

const otherType = (type: Type): Type => (type === 'timed' ? 'all-day' : 'timed');

function changeOf(change: (typeof CHANGES)[number], day: string, type: Type) {
  if (change === 'title') return { title: 'Changed' };
  return change === 'time' ? timesOn(day, type, true) : timesOn(day, otherType(type));
}

for (const kind of KINDS)
  describe(`changes of series at ${kind}`, () => {
    let site: WitnessSite;
    before(async () => {
      site = await openWitnessSite(kind);
    });
    after(() => site?.close());
    afterEach(() => clear(site));

    for (const type of TYPES)
      for (const change of CHANGES)
        for (const mode of MODES)
          it(`${change} of a ${type} series with ${mode} is the same everywhere at ${kind}`, async () => {
            const recurrence = { frequency: 'WEEKLY', count: DAYS.length };
            const first = { title: 'Series', ...timesOn(DAYS[0] ?? '', type), timeZone: 'UTC', recurrence };
            const { body } = await site.send('POST', first);
            const lastId = (await site.listed()).at(-1)?.id;
            await site.send('PUT', { eventId: lastId, location: 'Roof', updateMode: 'this' });
            const created = await site.listed();
            const eventId = mode === 'all' ? body.id : created[NAMED]?.id;
            const day = DAYS[mode === 'all' ? 0 : NAMED] ?? '';

            const answer = await (change === 'deletion'
              ? site.send('DELETE', { eventId, deleteMode: mode })
              : site.send('PUT', { eventId, ...changeOf(change, day, type), updateMode: mode }));

            assert.equal(answer.status, 200, answer.body.message);
            const expected = expectedEvents({ kind, type, change, mode });
            const occurrences = occurrencesOf(expected);
            assert.deepEqual(occurrencesOf(await site.listed()), occurrences);
            site.pass();
            assert.deepEqual(occurrencesOf(await site.listed()), occurrences, 'read again');
            assert.deepEqual(await site.atProvider(), occurrences, 'at the provider');
            assert.deepEqual(await site.published(), occurrences, 'published client');
            assert.equal((await site.listed()).at(-1)?.location, expected.at(-1)?.location);
          });
  });

type Case = {
  readonly kind: ProviderKind;
  readonly type: Type;
  readonly change: (typeof CHANGES)[number];
  readonly mode: (typeof MODES)[number];
};

/** The occurrences that the request leaves, in order. The last one has a place of its own. */
function expectedEvents({ kind, type, change, mode }: Case): Listed[] {
  return DAYS.flatMap((day, i) => {
    const isException = i === DAYS.length - 1;
    const place = isException ? { location: 'Roof' } : {};
    const before = { id: '', title: 'Series', ...place, ...timesOn(day, type) };
    const isMeant = mode === 'all' || i === NAMED || (mode === 'following' && i > NAMED);
    // An exception at Google is a copy of everything, also of what a whole series changes.
    const isCopy = kind === 'google' && isException && (change === 'title' || change === 'time');
    if (!isMeant || (isCopy && mode === 'all')) return [before];
    return change === 'deletion' ? [] : [{ ...before, ...changeOf(change, day, type) }];
  });
}

async function clear(site: WitnessSite): Promise<void> {
  const ids = (await site.listed()).map(({ id, recurringEventId = id }) => recurringEventId);
  for (const eventId of new Set(ids)) await site.send('DELETE', { eventId, deleteMode: 'all' });
  assert.deepEqual(await site.atProvider(), []);
}
