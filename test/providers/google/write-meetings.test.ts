/** Writing events at Google that people meet at: guests, links, occurrences. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { CalendarEvent } from '../../../src/calendars/event.ts';
import { apply, assertMirrored, berlin, day, targetAt } from '../../contract/mirrored-writes.ts';
import { ADA } from '../../sandbox/google/google-client.ts';
import { failsAs } from './failure.ts';
import { FIELD, MEETING, SECOND, shareGoogle, unsupported, WEEKLY } from './google-write-site.ts';

const site = shareGoogle();
const { create, eventAt, eventAtGoogle, pathOf, reread, update, withGoogle, writing } = site;

const ZOOM = 'https://example.zoom.us/j/123?pwd=a';

describe('writing meetings at Google', () => {
  guests();
  conferences();
  instances();
});

function guests(): void {
  const attendees = [
    { email: 'bob@example.com', name: 'Bob', status: 'none' as const },
    { email: 'cy@example.com', status: 'none' as const },
  ];

  it('the guests that stay keep their answers at Google', async () => {
    const href = await create({ ...MEETING, attendees });
    const answered = { email: 'bob@example.com', responseStatus: 'accepted', comment: 'Yes', optional: true };
    await site.google.call('PATCH', pathOf(href), { attendees: [answered, { email: 'cy@example.com' }] });
    await reread(href);

    const dee = { email: 'dee@example.com', status: 'none' as const };
    await update(href, { attendees: [{ email: 'BOB@example.com', status: 'none' }, dee] });

    const [bob, ...others] = (await eventAtGoogle(href)).attendees ?? [];
    assert.deepEqual(bob, answered);
    assert.deepEqual(
      others.map(({ email, responseStatus }) => [email, responseStatus]),
      [['dee@example.com', 'needsAction']],
    );
  });

  it('the guests of an event that was too large to be kept whole keep their answers at Google', async () => {
    const href = await create({ ...MEETING, attendees });
    const answered = { email: 'bob@example.com', responseStatus: 'accepted', comment: 'Yes' };
    await site.google.call('PATCH', pathOf(href), { attendees: [answered, { email: 'cy@example.com' }] });
    await reread(href);
    const resource = site.mirror.get(href);
    assert.ok(resource);
    site.mirror.set(href, { ...resource, original: {}, originalDigest: 'ab'.repeat(32) });

    await update(href, { attendees: [{ email: 'bob@example.com', status: 'none' }] });

    assert.deepEqual((await eventAtGoogle(href)).attendees, [answered]);
  });

  it('an invitation at Google is answered for the user alone, of a series and of one of its occurrences', async () => {
    site.calendarHref = ADA.email;
    const all = [...attendees, { email: ADA.email, status: 'none' as const }];
    const href = await create({ ...WEEKLY, attendees: all });
    const answers = (event: CalendarEvent | undefined) => event?.attendees.map(({ status }) => status);

    const rsvp = { response: 'accepted', comment: 'Gladly' } as const;
    apply(site.mirror, await writing().respond(site.calendarHref, targetAt(site.mirror, href), rsvp));
    const no = { response: 'declined', comment: undefined } as const;
    const once = await writing().respond(site.calendarHref, targetAt(site.mirror, href, SECOND), no);
    apply(site.mirror, once);

    assert.deepEqual(answers(eventAt(href)), ['none', 'none', 'accepted']);
    assert.equal((await eventAtGoogle(href)).attendees?.[2]?.comment, 'Gladly');
    assert.deepEqual(answers(once.changed[0]?.events[0]), ['none', 'none', 'declined']);
    assert.equal(once.changed[0]?.seriesId, href);
    apply(site.mirror, await writing().delete(site.calendarHref, targetAt(site.mirror, href)));
    await assertMirrored(site.google.account, site.calendarHref, site.mirror);
  });

  it('an answer is refused at Google where the user is not invited', async () => {
    const href = await create({ ...MEETING, attendees });
    const rsvp = { response: 'accepted', comment: undefined } as const;

    const refused = writing().respond(site.calendarHref, targetAt(site.mirror, href), rsvp);

    await assert.rejects(refused, unsupported(FIELD, 'response'));
  });
}

function conferences(): void {
  it('a link is shown as a conference at Google, another in its place, and none', async () => {
    const href = await create({ ...MEETING, conference: ZOOM });
    assert.equal((await eventAtGoogle(href)).conferenceData?.conferenceSolution?.name, 'Zoom');
    const meet = 'https://meet.google.com/abc-defg-hij';

    await update(href, { conference: meet });
    assert.equal(eventAt(href).conference, meet);
    assert.equal((await eventAtGoogle(href)).hangoutLink, meet);
    await update(href, { title: 'Same link' });
    assert.equal(eventAt(href).conference, meet);
    await update(href, { conference: null });
    assert.equal(eventAt(href).conference, undefined);
  });

  it('Meet makes a link, which wins over a link given and over the one that was there', async () => {
    const made = await create({ ...MEETING, autoConference: true, conference: ZOOM });
    const href = await create({ ...MEETING, conference: ZOOM });
    await update(href, { autoConference: true });
    const link = eventAt(href).conference;
    await update(href, { autoConference: true });

    assert.match(eventAt(made).conference ?? '', /^https:\/\/meet\.google\.com\//);
    assert.match(link ?? '', /^https:\/\/meet\.google\.com\//);
    assert.equal(eventAt(href).conference, link, 'A Meet that is there stays');
  });

  it('a Meet that Google is still making is waited for a while', async () => {
    await withGoogle({ meetDelayMs: 400 }, async () => {
      const href = await create({ ...MEETING, autoConference: true });

      assert.match(eventAt(href).conference ?? '', /^https:\/\/meet\.google\.com\//);
      await assertMirrored(site.google.account, site.calendarHref, site.mirror);
    });
  });

  it('a write is answered without a Meet that takes too long: it comes with a sync', async () => {
    await withGoogle({ meetDelayMs: 600_000 }, async () => {
      const href = await create({ ...MEETING, autoConference: true });

      assert.equal(eventAt(href).conference, undefined);
      await assertMirrored(site.google.account, site.calendarHref, site.mirror);
    });
  });

  it('no event is made where the calendar has no Meet', async () => {
    await withGoogle({ conferenceSolutions: ['eventHangout'] }, async () => {
      const refused = unsupported('conference_not_supported_by_calendar', 'conferenceData');
      await assert.rejects(create({ ...MEETING, autoConference: true }), refused);
      const href = await create(MEETING);
      await assert.rejects(update(href, { autoConference: true }), refused);

      assert.equal(site.google.sent.filter(({ method }) => method === 'POST').length, 1);
    });
  });

  it('a link that Google does not take for a conference is kept as a property of the event', async () => {
    await withGoogle({ keepsDescribed: false }, async () => {
      const href = await create({ ...MEETING, conference: ZOOM, custom: { a: 1 } });
      assert.deepEqual([eventAt(href).conference, eventAt(href).custom], [ZOOM, { a: 1 }]);
      await update(href, { custom: null });
      assert.deepEqual([eventAt(href).conference, eventAt(href).custom], [ZOOM, undefined]);
      await update(href, { conference: `${ZOOM}b` });
      assert.equal(eventAt(href).conference, `${ZOOM}b`);
      await update(href, { autoConference: true });
      assert.match(eventAt(href).conference ?? '', /^https:\/\/meet\.google\.com\//);
      await update(href, { conference: null });
      assert.equal(eventAt(href).conference, undefined);
      await assertMirrored(site.google.account, site.calendarHref, site.mirror);
    });
  });
}

function instances(): void {
  it('an occurrence that was changed at Google meanwhile is not overwritten', async () => {
    const href = await create(WEEKLY);
    await site.google.call('PATCH', pathOf(`${href}_20261123T080000Z`), { summary: 'Theirs' });

    await assert.rejects(update(href, { title: 'Ours' }, SECOND), failsAs('precondition_failed'));
    const late = writing().delete(site.calendarHref, targetAt(site.mirror, href, SECOND));
    await assert.rejects(late, failsAs('precondition_failed'));
  });

  it('unchanged occurrences are changed and deleted whatever version Google gives them', async () => {
    await withGoogle({ instanceVersions: 'own' }, async () => {
      const href = await create(WEEKLY);

      await update(href, { title: 'Own' }, SECOND);
      await update(href, { location: 'Here' }, SECOND);
      const third = berlin('2026-11-30T09:00:00');
      apply(site.mirror, await writing().delete(site.calendarHref, targetAt(site.mirror, href, third)));

      await assertMirrored(site.google.account, site.calendarHref, site.mirror);
      await site.google.call('PATCH', pathOf(`${href}_20261207T080000Z`), { summary: 'Theirs' });
      const last = update(href, { title: 'Ours' }, berlin('2026-12-07T09:00:00'));
      await assert.rejects(last, failsAs('precondition_failed'));
      await site.google.call('PATCH', pathOf(href), { summary: 'Theirs' });
      await assert.rejects(
        update(href, { title: 'Ours' }, berlin('2026-11-16T09:00:00')),
        failsAs('precondition_failed'),
      );
    });
  });

  it('an occurrence of a series that is another by now is not changed at Google', async () => {
    const href = await create(WEEKLY);
    await site.google.call('PATCH', pathOf(href), { summary: 'Theirs' });

    await assert.rejects(update(href, { location: 'Here' }, SECOND), failsAs('precondition_failed'));
  });

  it('an occurrence cancelled at Google meanwhile is found: gone for a change, no failure for a deletion', async () => {
    const href = await create(WEEKLY);
    await site.google.call('DELETE', pathOf(`${href}_20261123T080000Z`));

    await assert.rejects(update(href, { title: 'Ours' }, SECOND), failsAs('not_found'));
    apply(site.mirror, await writing().delete(site.calendarHref, targetAt(site.mirror, href, SECOND)));

    const [exception] = targetAt(site.mirror, href).stored.slice(1);
    assert.deepEqual([exception?.seriesId, exception?.events[0]?.status], [href, 'cancelled']);
  });

  it('a series is found gone at Google when one of its occurrences is to be deleted', async () => {
    const href = await create(WEEKLY);
    const target = targetAt(site.mirror, href, SECOND);
    await site.google.call('DELETE', pathOf(href));

    assert.deepEqual(await writing().delete(site.calendarHref, target), { changed: [], removed: [href] });
  });

  it('an all-day series at Google has its days named by their dates', async () => {
    const days = { ...WEEKLY, start: day('2026-11-16'), end: day('2026-11-17') };
    const href = await create(days);

    await update(href, { title: 'Own' }, day('2026-11-23'));

    assert.equal((await eventAtGoogle(`${href}_20261123`)).summary, 'Own');
  });
}
