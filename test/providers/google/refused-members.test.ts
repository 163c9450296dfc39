/** An occurrence that Google refuses as a whole is written in parts, in a split and when its series moves. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { berlin, copyAndInvite, rule, targetAt } from '../../contract/mirrored-writes.ts';
import { FIELD, newKey, SECOND, shareGoogle, unsupported, WEEKLY } from './google-write-site.ts';

const site = shareGoogle();
const { create, eventAtGoogle, reread, update, writing } = site;

const THIRD = berlin('2026-11-30T09:00:00');
const MOVED = { start: berlin('2026-12-01T11:00:00'), end: berlin('2026-12-01T12:00:00') };
const BAD_REQUEST = { kind: 'status', status: 400 } as const;

/** The patch number `n` of an event from now on, from 1, is refused. */
const refusePatch = (n: number, times = 1) =>
  site.google.faults.set({
    ...{ provider: 'google', operation: 'events.patch', skip: n - 1, times, effect: BAD_REQUEST },
  });

/** A series whose third instance has another title, place and time. */
async function openSeries(): Promise<string> {
  const href = await create(WEEKLY);
  await update(href, { title: 'Own', location: 'Room 9', ...MOVED }, THIRD);
  await reread(href);
  return href;
}

const split = (href: string, key = newKey()) =>
  copyAndInvite({ writing: writing(), calendarHref: site.calendarHref }, targetAt(site.mirror, href), {
    key,
    at: SECOND,
    change: { start: SECOND, end: berlin('2026-11-23T10:00:00'), recurrence: rule('FREQ=WEEKLY;COUNT=3') },
    exceptions: [{ recurrenceId: THIRD, instance: THIRD, times: MOVED }],
    cancelled: [],
  });

const notKept = () => {
  const fields = site.google.logged.map((entry) => entry.fields);
  site.google.logged.length = 0;
  return fields.flatMap((entry) =>
    'event' in entry && entry.event === 'occurrence_not_kept' && 'members' in entry ? [entry.members] : [],
  );
};

const ownOf = async (id: string) => {
  const { summary, location, start } = await eventAtGoogle(id);
  return [summary, location, start?.dateTime?.slice(0, 16)];
};

describe('an occurrence that Google refuses', () => {
  it('is written in parts in a split, and what Google takes by itself is all there', async () => {
    const href = await openSeries();
    refusePatch(1);

    const { changed } = await split(href);

    assert.deepEqual(await ownOf(changed[1]?.href ?? ''), ['Own', 'Room 9', '2026-12-01T11:00']);
    assert.deepEqual(notKept(), []);
  });

  it('has the members of its series that Google refuses by themselves, and the log names them', async () => {
    const href = await openSeries();
    refusePatch(1);
    refusePatch(3);

    const { changed } = await split(href);

    const [title, location, start] = await ownOf(changed[1]?.href ?? '');
    const [[refused = ''] = []] = notKept().map((members) => (Array.isArray(members) ? members : []));
    assert.ok(['summary', 'location'].includes(refused), refused);
    const expected = refused === 'summary' ? ['Weekly', 'Room 9'] : ['Own', undefined];
    assert.deepEqual([title, location, start], [...expected, '2026-12-01T11:00']);
  });

  for (const refuses of [false, true])
    it(`is completed by a repeated split, ${refuses ? 'but for refused members' : 'if the process ended in between'}`, async () => {
      const href = await openSeries();
      const key = newKey();
      refusePatch(1);
      const at = { provider: 'google', operation: 'events.patch', skip: 2 } as const;
      site.google.faults.set({ ...at, effect: { kind: 'reset' } });
      await assert.rejects(split(href, key), { kind: 'unavailable' });
      site.google.faults.clear();
      if (refuses) refusePatch(1, 3);

      const { changed } = await split(href, key);

      const expected = refuses ? ['Weekly', undefined] : ['Own', 'Room 9'];
      assert.deepEqual(await ownOf(changed[1]?.href ?? ''), [...expected, '2026-12-01T11:00']);
      assert.deepEqual(notKept(), refuses ? [['summary', 'location']] : []);
    });

  it('fails the split if Google refuses its times', async () => {
    const href = await openSeries();
    refusePatch(1, 2);

    await assert.rejects(split(href), unsupported(FIELD));
  });

  it('keeps the rest of its own when its series moves, though Google refuses its times', async () => {
    const href = await openSeries();
    refusePatch(2, 2);

    await update(href, { start: berlin('2026-11-16T08:00:00'), end: berlin('2026-11-16T09:00:00') });

    const [title, location] = await ownOf(`${href}_20261130T070000Z`);
    assert.deepEqual([title, location], ['Own', 'Room 9']);
    assert.deepEqual(notKept(), [['start', 'end']]);
  });
});
