/** The privacy of one occurrence at Google, which has that of its series. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { berlin, rule, targetAt } from '../../contract/mirrored-writes.ts';
import { ADA } from '../../sandbox/google/google-client.ts';
import { FIELD, newKey, SECOND, shareGoogle, unsupported, WEEKLY } from './google-write-site.ts';

const site = shareGoogle();
const { create, eventAtGoogle, pathOf, reread, update, writing } = site;

const THIRD = berlin('2026-11-30T09:00:00');

/** Renames the third occurrence and hides it as Google did before it had the privacy of its series. Returns its id. */
async function hideThird(href: string): Promise<string> {
  await update(href, { title: 'Secret' }, THIRD);
  const id = targetAt(site.mirror, href, THIRD).override?.href ?? '';
  const calendar = site.google.google.state().store.calendars.get(site.calendarHref);
  const event = calendar?.events.get(id);
  assert.ok(calendar !== undefined && event !== undefined);
  calendar.version += 1;
  const details = { ...event.details, visibility: 'private' };
  calendar.events.set(id, { ...event, details, version: calendar.version });
  await reread(href);
  return id;
}

const sentVisibilities = () =>
  site.google.sent.flatMap(({ body }) => (body instanceof Object && 'visibility' in body ? body : []));

describe('the privacy of an occurrence at Google', () => {
  it('another privacy of one occurrence is refused, and nothing is sent', async () => {
    for (const privacy of ['private', 'confidential', 'public', null] as const) {
      const href = await create({ ...WEEKLY, privacy: privacy === 'private' ? 'public' : 'private' });
      if (privacy === 'confidential') await update(href, { title: 'Own' }, SECOND);
      site.google.sent.length = 0;

      await assert.rejects(update(href, { title: 'No', privacy }, SECOND), unsupported(FIELD, 'privacy'));

      assert.ok(site.google.sent.every(({ method }) => method === 'GET'));
    }
  });

  it('the privacy that an occurrence has already may be sent with other changes, and does not reach Google', async () => {
    for (const privacy of ['private', 'public', null] as const) {
      const href = await create({ ...WEEKLY, privacy: privacy ?? undefined });
      site.google.sent.length = 0;

      await update(href, { title: 'Own', privacy }, SECOND);

      assert.deepEqual(sentVisibilities(), []);
      const { override } = targetAt(site.mirror, href, SECOND);
      assert.equal((await eventAtGoogle(override?.href ?? '')).summary, 'Own');
    }
  });

  const LATER = {
    at: SECOND,
    change: { start: SECOND, end: berlin('2026-11-23T10:00:00'), recurrence: rule('FREQ=WEEKLY;COUNT=3') },
    cancelled: [],
  };
  const times = { start: berlin('2026-12-01T11:00:00'), end: berlin('2026-12-01T12:00:00') };
  const exceptions = [{ recurrenceId: THIRD, instance: THIRD, times }];
  const split = async (href: string, change: object = {}) => {
    const later = { ...LATER, change: { ...LATER.change, ...change }, exceptions, key: newKey() };
    const { changed } = await writing().copyLater(site.calendarHref, targetAt(site.mirror, href), later);
    return Promise.all(changed.map((resource) => eventAtGoogle(resource.href)));
  };

  it('an exception that is stricter than its series keeps only its times when the series is split', async () => {
    const href = await create(WEEKLY);
    await hideThird(href);

    const [series, exception] = await split(href);

    assert.deepEqual([series?.visibility, exception?.visibility], [undefined, undefined]);
    assert.deepEqual(
      [exception?.summary, exception?.start?.dateTime],
      ['Weekly', '2026-12-01T11:00:00+01:00'],
    );
  });

  it('an exception keeps all it has when the series is split and becomes as strict', async () => {
    const href = await create(WEEKLY);
    await hideThird(href);
    site.google.sent.length = 0;

    const [series, exception] = await split(href, { privacy: 'private' });

    assert.deepEqual([series?.visibility, exception?.visibility], ['private', 'private']);
    assert.equal(exception?.summary, 'Secret');
    assert.equal(sentVisibilities().length, 1);
  });

  const single = async (change: object = {}) => {
    const href = await create(WEEKLY);
    await hideThird(href);
    const exceptions = [{ recurrenceId: THIRD, instance: THIRD }];
    const later = { at: THIRD, change: { ...times, start: THIRD, recurrence: null, ...change }, exceptions };
    const target = targetAt(site.mirror, href);
    const request = { ...later, cancelled: [], key: newKey() };
    const { changed } = await writing().copyLater(site.calendarHref, target, request);
    return eventAtGoogle(changed[0]?.href ?? '');
  };

  it('a stricter exception that becomes a single event stays as strict, unless the caller says otherwise', async () => {
    const kept = await single();
    const changed = await single({ privacy: 'public' });

    assert.deepEqual([kept.summary, kept.visibility], ['Secret', 'private']);
    assert.deepEqual([changed.summary, changed.visibility], ['Secret', undefined]);
  });

  it('a private series whose details Google hides is not split, since none of them would be copied', async () => {
    const shared = { title: 'Team', timeZone: 'Europe/Berlin', role: 'writerWithoutPrivateAccess' } as const;
    site.calendarHref = site.google.google.shareCalendar(ADA.email, shared);
    const href = await create(WEEKLY);
    await update(href, { privacy: 'private' });
    site.google.sent.length = 0;
    const later = { ...LATER, exceptions: [], key: newKey() };

    const splitting = writing().copyLater(site.calendarHref, targetAt(site.mirror, href), later);

    await assert.rejects(splitting, unsupported('organizer_only'));
    assert.ok(site.google.sent.every(({ method }) => method === 'GET'));
  });

  it('an exception that is stricter than its series keeps only its times when the series moves', async () => {
    const href = await create(WEEKLY);
    const id = await hideThird(href);
    await update(href, times, THIRD);
    await reread(href);

    await update(href, { start: berlin('2026-11-16T14:00:00'), end: berlin('2026-11-16T15:00:00') });

    const moved = await eventAtGoogle(id.replace('T080000Z', 'T130000Z'));
    assert.deepEqual([moved.summary, moved.visibility], ['Weekly', undefined]);
    assert.equal(moved.start?.dateTime, '2026-12-01T11:00:00+01:00');
  });

  it('an exception that is stricter than its series, and was not moved, is as its series when that moves', async () => {
    const href = await create(WEEKLY);
    const id = await hideThird(href);
    site.google.sent.length = 0;

    await update(href, { start: berlin('2026-11-16T14:00:00'), end: berlin('2026-11-16T15:00:00') });

    const patched = site.google.sent.filter(({ method }) => method === 'PATCH').map(({ path }) => path);
    assert.deepEqual(patched, [pathOf(href)]);
    const moved = await eventAtGoogle(id.replace('T080000Z', 'T130000Z'));
    assert.deepEqual([moved.summary, moved.visibility], ['Weekly', undefined]);
  });
});
