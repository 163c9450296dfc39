/** Attendees that are written to the later half of a split series at Google. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { berlin, rule, targetAt } from '../../contract/mirrored-writes.ts';
import { newKey, SECOND, shareGoogle, WEEKLY } from './google-write-site.ts';

const site = shareGoogle();
const THIRD = berlin('2026-11-30T09:00:00');
const BOB = { email: 'bob@example.com' };
const answered = (responseStatus: string) => [{ ...BOB, responseStatus }];

/** A later half before its attendees are invited. By default Bob accepted the series, and declined one occurrence. */
async function uninvited(ofSeries: object[] = answered('accepted'), own: object[] = answered('declined')) {
  const { create, update, reread, google, pathOf, calendarHref, writing } = site;
  const href = await create(WEEKLY);
  await update(href, { title: 'Own' }, THIRD);
  const old = targetAt(site.mirror, href, THIRD).override?.href ?? '';
  await google.call('PATCH', pathOf(href), { attendees: ofSeries });
  await google.call('PATCH', pathOf(old), { attendees: own });
  await reread(href);
  const copied = await writing().copyLater(calendarHref, targetAt(site.mirror, href), {
    key: newKey(),
    at: SECOND,
    change: { start: SECOND, end: berlin('2026-11-23T10:00:00'), recurrence: rule('FREQ=WEEKLY;COUNT=3') },
    exceptions: [{ recurrenceId: THIRD, instance: THIRD }],
    cancelled: [],
  });
  const [series = '', exception = ''] = copied.changed.map((resource) => resource.href);
  const invite = () => writing().inviteLater(calendarHref, series, copied.invitations);
  return { series, exception, invite };
}

describe('attendees of the later half of a series at Google', () => {
  it('keep an answer that an exception of their own has, though Google copied the list of the series to it', async () => {
    const { exception, invite } = await uninvited();
    await site.google.call('PATCH', site.pathOf(exception), { attendees: answered('needsAction') });

    await invite();

    assert.deepEqual((await site.eventAtGoogle(exception)).attendees, answered('declined'));
  });

  for (const own of [{ optional: true }, { additionalGuests: 2 }])
    it(`keep what is of one occurrence only: ${Object.keys(own)}`, async () => {
      const { exception, invite } = await uninvited([BOB], [{ ...BOB, ...own }]);
      await site.google.call('PATCH', site.pathOf(exception), { attendees: [BOB] });

      await invite();

      const { attendees } = await site.eventAtGoogle(exception);
      assert.deepEqual(attendees, [{ ...BOB, ...own, responseStatus: 'needsAction' }]);
    });

  it('keep an answer that they gave since, and are not invited twice', async () => {
    const { series, exception, invite } = await uninvited();
    await invite();
    for (const id of [series, exception])
      await site.google.call('PATCH', site.pathOf(id), { attendees: answered('tentative') });
    site.google.sent.length = 0;

    await invite();

    assert.deepEqual(
      site.google.sent.filter(({ method }) => method !== 'GET'),
      [],
    );
  });
});
