/** Refused writes at Google send nothing to anybody. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventChange, Rsvp } from '../../../src/calendars/event-writing.ts';
import type { UnsupportedReason } from '../../../src/calendars/provider-error.ts';
import type { EventTime } from '../../../src/lib/recurrence/event-time.ts';
import { berlin, rule, targetAt } from '../../contract/mirrored-writes.ts';
import { ADA } from '../../sandbox/google/google-client.ts';
import { sync } from '../../servers/mirror.ts';
import { failsAs } from './failure.ts';
import { FIELD, MEETING, newKey, SECOND, shareGoogle, unsupported, WEEKLY } from './google-write-site.ts';

const site = shareGoogle();
const { create, update, withGoogle, writing, eventAtGoogle } = site;

const UNKNOWN_RULE = 'recurrence_not_supported_by_provider';
const INVITATION = {
  title: 'Theirs',
  description: 'Words',
  start: { dateTime: '2026-11-16T09:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-11-16T10:00:00', timeZone: 'Europe/Berlin' },
  recurrence: { frequency: 'weekly', count: 4 },
  attendees: [{ email: 'bob@example.com' }],
  organizer: 'grace@other.example',
  guest: 'a.lovelace@alias.example',
} as const;

const writes = () => site.google.sent.filter(({ method }) => method !== 'GET');

/** A write that is refused, and what it says. */
async function assertNothingSent(
  write: () => Promise<unknown>,
  reason: UnsupportedReason,
  field?: string,
): Promise<void> {
  site.google.sent.length = 0;
  await assert.rejects(write, unsupported(reason, field));
  assert.deepEqual(writes(), []);
}

async function invited(permissions: object = {}): Promise<string> {
  site.calendarHref = ADA.email;
  const href = site.google.google.receiveInvitation(ADA.email, { ...INVITATION, ...permissions });
  await sync(site.google.account, site.calendarHref, site.mirror);
  return href;
}

const GUEST_CHANGES: readonly (readonly [string, EventChange, EventTime?])[] = [
  ['the title', { title: 'Mine' }],
  ['the title of one occurrence', { title: 'Mine' }, SECOND],
  ['the description', { description: null }],
  ['the place', { location: 'Here' }],
  ['the times', { start: berlin('2026-11-16T11:00:00'), end: berlin('2026-11-16T12:00:00') }],
  ['the rules, as a deletion of all later occurrences does', { recurrence: rule('FREQ=WEEKLY;COUNT=2') }],
  ['the recurrence', { recurrence: null }],
  ['whether it is sure', { status: 'tentative' }],
  ['who else is invited', { attendees: [{ email: INVITATION.guest, status: 'none' }] }],
  ['the conference', { conference: 'https://example.zoom.us/j/1' }],
  ['the conference for a Meet', { autoConference: true }],
];

describe('a write that is refused at Google', () => {
  forGuests();
  forAnybody();
});

function forGuests(): void {
  for (const guestChanges of ['refused', 'ignored'] as const)
    for (const [what, change, instance] of GUEST_CHANGES)
      it(`has sent nothing: a guest may not change ${what}, whether Google says so or not (${guestChanges})`, async () => {
        await withGoogle({ guestChanges }, async () => {
          const href = await invited();

          await assertNothingSent(() => update(href, change, instance), 'organizer_only');
        });
      });

  it('has sent nothing: a guest may not change what all guests share of custom', async () => {
    const href = await invited();
    const original = site.mirror.get(href)?.original ?? {};
    const shared = { ...original, extendedProperties: { shared: { crm: '1' } } };
    const resource = site.mirror.get(href);
    assert.ok(resource);
    site.mirror.set(href, { ...resource, original: shared });

    await assertNothingSent(() => update(href, { custom: { mine: 1 } }), 'organizer_only');
  });

  it('is not one of what guests have alone, nor of what the organizer lets them change', async () => {
    const href = await invited();
    await update(href, { availability: 'free', color: '#dc2127', privacy: 'private', custom: { mine: 1 } });
    assert.equal((await eventAtGoogle(href)).transparency, 'transparent');
    const guests = [...(site.mirror.get(href)?.events[0]?.attendees ?? [])];
    await update(href, { attendees: [...guests, { email: 'eve@example.com', status: 'none' }] });
    assert.equal((await eventAtGoogle(href)).attendees?.length, 3);

    const open = await invited({ guestsCanModify: true });
    await update(open, { title: 'Ours' });
    assert.equal((await eventAtGoogle(open)).summary, 'Ours');
  });

  for (const guestChanges of ['refused', 'ignored'] as const)
    for (const instance of [undefined, SECOND])
      it(`is not what was read, sent back beside the guest’s own${instance ? ', of one occurrence' : ''} (${guestChanges})`, async () => {
        await withGoogle({ guestChanges }, async () => {
          const href = await invited({ guestsCanInviteOthers: false });
          const { title, description = null, recurrence = null, status, attendees } = site.eventAt(href);
          const times = { start: instance ?? berlin('2026-11-16T09:00:00') };
          // Callers may leave out the responses, which belong to the attendees.
          const list = attendees.map(({ email }) => ({ email, status: 'none' as const })).toReversed();
          const same = { title, description, location: null, conference: null, status, attendees: list };
          const rules = instance === undefined && { recurrence };
          site.google.sent.length = 0;

          await update(href, { ...same, ...times, ...rules }, instance);
          assert.deepEqual(writes(), []);
          await update(href, { ...same, ...times, ...rules, availability: 'free' }, instance);
          assert.deepEqual(
            writes().map(({ body }) => body),
            [{ transparency: 'transparent' }],
          );

          const id = instance === undefined ? href : `${href}_20261123T080000Z`;
          const { transparency, summary } = await eventAtGoogle(id);
          assert.deepEqual([transparency, summary], ['transparent', 'Theirs']);
          const changes = { ...same, ...times, title: 'Mine' };
          await assertNothingSent(() => update(href, changes, instance), 'organizer_only');
        });
      });

  it('has sent nothing: who may not invite others adds nobody', async () => {
    const href = await invited({ guestsCanInviteOthers: false });
    const guests = [...(site.mirror.get(href)?.events[0]?.attendees ?? [])];
    const more = [...guests, { email: 'eve@example.com', status: 'none' as const }];

    await assertNothingSent(() => update(href, { attendees: more }), 'organizer_only');
  });
}

function forAnybody(): void {
  const skipped = { start: berlin('2026-03-29T02:30:00'), end: berlin('2026-03-29T04:00:00') };
  const lengthy = { start: berlin('2026-11-17T09:00:00'), end: berlin('2026-11-17T10:00:00') };
  const cases: readonly (readonly [string, EventChange, UnsupportedReason, string])[] = [
    ['a colour of no event', { color: '#123456' }, FIELD, 'color'],
    ['a cancelled event', { status: 'cancelled' }, FIELD, 'status'],
    ['a conference that is no address', { conference: 'javascript:alert(1)' }, FIELD, 'conference'],
    ['a value in custom that is too long', { custom: { long: 'x'.repeat(1025) } }, FIELD, 'custom'],
    ['a floating time', { start: { type: 'floating', local: '2026-11-16T09:00:00' } }, FIELD, 'start'],
    ['a series that begins at a skipped time', skipped, UNKNOWN_RULE, 'start'],
    [
      'added dates with a length',
      { recurrence: { rrules: ['FREQ=WEEKLY;COUNT=4'], rdates: [lengthy], exdates: [] } },
      UNKNOWN_RULE,
      'recurrence',
    ],
  ];
  for (const [what, change, reason, field] of cases)
    it(`has sent nothing: ${what}, created, changed or split`, async () => {
      const href = await create(WEEKLY);
      const later = {
        key: newKey(),
        at: SECOND,
        change: {
          start: SECOND,
          end: berlin('2026-11-23T10:00:00'),
          recurrence: rule('FREQ=WEEKLY;COUNT=3'),
          ...change,
        },
        exceptions: [],
        cancelled: [],
      };
      // A change without null is what a draft may have as well.
      const draft = { ...WEEKLY, ...change } as typeof WEEKLY;

      await assertNothingSent(() => writing().create(site.calendarHref, draft, newKey()), reason, field);
      await assertNothingSent(() => update(href, change), reason, field);
      const target = targetAt(site.mirror, href);
      const split = async () => writing().copyLater?.(site.calendarHref, target, later);
      await assertNothingSent(split, reason, field);
    });

  it('has sent nothing: a Meet where the calendar makes none', async () => {
    await withGoogle({ conferenceSolutions: [] }, async () => {
      const href = await create(MEETING);
      const meet = { autoConference: true };
      const reason = 'conference_not_supported_by_calendar';

      await assertNothingSent(() => create({ ...MEETING, ...meet }), reason, 'conferenceData');
      await assertNothingSent(() => update(href, meet), reason, 'conferenceData');
    });
  });

  it('has sent nothing: a response to an event that the user is not invited to', async () => {
    const href = await create({ ...MEETING, attendees: [{ email: 'bob@example.com', status: 'none' }] });
    const rsvp: Rsvp = { response: 'accepted', comment: undefined };

    await assertNothingSent(
      () => writing().respond(site.calendarHref, targetAt(site.mirror, href), rsvp),
      FIELD,
      'response',
    );
  });

  it('has sent nothing: a change of what is gone', async () => {
    const href = await create(MEETING);
    await site.google.call('DELETE', site.pathOf(href));
    const { etag: _seen, ...target } = targetAt(site.mirror, href);
    site.google.sent.length = 0;

    const change = writing().update(site.calendarHref, { ...target, etag: undefined }, { title: 'New' });
    await assert.rejects(change, failsAs('not_found'));

    assert.deepEqual(writes(), []);
  });
}
