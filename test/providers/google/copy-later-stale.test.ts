/** The later half of a series at Google, one of whose occurrences is another by now than the split was planned for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { LaterHalf } from '../../../src/calendars/event-writing.ts';
import { berlin, rule, targetAt } from '../../contract/mirrored-writes.ts';
import { failsAs } from './failure.ts';
import { newKey, SECOND, shareGoogle, WEEKLY } from './google-write-site.ts';

const site = shareGoogle();
const { create, pathOf, reread, update, withGoogle, writing } = site;

const FIRST = berlin('2026-11-16T09:00:00');
const THIRD = berlin('2026-11-30T09:00:00');

/** A weekly series of four, from its second instance on. */
const LATER: Omit<LaterHalf, 'key'> = {
  at: SECOND,
  change: { start: SECOND, end: berlin('2026-11-23T10:00:00'), recurrence: rule('FREQ=WEEKLY;COUNT=3') },
  exceptions: [],
  cancelled: [],
};
const WITH_THIRD = { ...LATER, exceptions: [{ recurrenceId: THIRD, instance: THIRD }] };

const thirdOf = (href: string) => pathOf(`${href}_20261130T080000Z`);
const copy = (href: string, later = LATER, key = newKey()) =>
  writing().copyLater(site.calendarHref, targetAt(site.mirror, href), { ...later, key });
const writes = () => site.google.sent.filter(({ method }) => method !== 'GET');

/** The series with a third instance of its own, which the mirror has. */
async function withThird(): Promise<string> {
  const href = await create(WEEKLY);
  await update(href, { title: 'Third' }, THIRD);
  return href;
}

/** Changes of the third instance after the last sync; with `withThird` the mirror has it as an exception. */
const MEANWHILE = [
  ['changed', create, { summary: 'Theirs' }],
  ['changed again', withThird, { summary: 'Theirs' }],
  ['declined', withThird, { attendees: [{ email: 'bob@example.com', responseStatus: 'declined' }] }],
  ['deleted', create, undefined],
  ['changed and deleted', withThird, undefined],
] as const;

describe('the later half of a series at Google of which an instance is another by now', () => {
  for (const [what, make, body] of MEANWHILE)
    for (const uidFindsCancelled of [true, false])
      it(`fails before anything is sent: ${what}${uidFindsCancelled ? '' : ', where listings lack deleted ones'}`, async () => {
        await withGoogle({ uidFindsCancelled }, async () => {
          const href = await make(WEEKLY);
          const later = make === withThird ? WITH_THIRD : LATER;
          await site.google.call(body === undefined ? 'DELETE' : 'PATCH', thirdOf(href), body);
          site.google.sent.length = 0;

          await assert.rejects(copy(href, later), failsAs('precondition_failed'));

          assert.deepEqual(writes(), []);
          await reread(href);
          await copy(href, body === undefined ? LATER : WITH_THIRD);
        });
      });

  it('is made where the mirror knows what was changed and deleted', async () => {
    await withGoogle({ uidFindsCancelled: false }, async () => {
      const href = await withThird();
      const fourth = targetAt(site.mirror, href, berlin('2026-12-07T09:00:00'));
      const { changed } = await writing().delete(site.calendarHref, fourth);
      for (const resource of changed) site.mirror.set(resource.href, resource);

      const result = await copy(href, WITH_THIRD);

      assert.deepEqual(
        result.changed.map(({ events: [event] }) => event?.title),
        ['Weekly', 'Third'],
      );
    });
  });

  it('is made whatever became of the instances that stay with the old series', async () => {
    const href = await create(WEEKLY);
    await site.google.call('PATCH', pathOf(`${href}_20261116T080000Z`), { summary: 'Theirs' });

    assert.equal((await copy(href)).changed.length, 1);
    assert.equal(targetAt(site.mirror, href, FIRST).override, undefined);
  });

  it('is found again by its key, whatever was changed since it was made', async () => {
    const href = await withThird();
    const key = newKey();
    const made = await copy(href, WITH_THIRD, key);
    await site.google.call('PATCH', thirdOf(href), { summary: 'Theirs' });
    site.google.sent.length = 0;

    const again = await copy(href, WITH_THIRD, key);

    assert.deepEqual(writes(), []);
    assert.deepEqual(
      again.changed.map((resource) => resource.href),
      made.changed.map((resource) => resource.href),
    );
  });
});
