/** The later half of a series that is split at Google: its own event, with all that people and programs keep there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { LaterHalf } from '../../../src/calendars/event-writing.ts';
import {
  apply,
  assertMirrored,
  berlin,
  copyAndInvite,
  occurrences,
  rule,
  targetAt,
} from '../../contract/mirrored-writes.ts';
import { ADA } from '../../sandbox/google/google-client.ts';
import { failsAs } from './failure.ts';
import { MEETING, newKey, SECOND, shareGoogle, unsupported, WEEKLY } from './google-write-site.ts';

const site = shareGoogle();
const { create, eventAtGoogle, pathOf, reread, update, withGoogle, writing } = site;

const THIRD = berlin('2026-11-30T09:00:00');
const FOURTH = berlin('2026-12-07T09:00:00');

/** A weekly series of four, from its second instance on. */
const LATER: Omit<LaterHalf, 'key'> = {
  at: SECOND,
  change: { start: SECOND, end: berlin('2026-11-23T10:00:00'), recurrence: rule('FREQ=WEEKLY;COUNT=3') },
  exceptions: [],
  cancelled: [],
};

/** Properties that Kalends has no fields for. */
const BEYOND = {
  reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
  attachments: [{ fileUrl: 'https://drive.example/f', title: 'Agenda', mimeType: 'text/plain' }],
  attendees: [
    { email: 'bob@example.com', responseStatus: 'accepted', comment: 'Yes', optional: true },
    { email: 'room@resource.calendar.google.com', responseStatus: 'accepted', resource: true },
    { email: 'cy@example.com', responseStatus: 'declined', additionalGuests: 2 },
  ],
  guestsCanModify: true,
  guestsCanInviteOthers: false,
  guestsCanSeeOtherGuests: false,
  extendedProperties: { shared: { crm: 'deal-7' }, private: { own: 'x' } },
  source: { title: 'Ticket', url: 'https://tickets.example/1' },
  visibility: 'private',
  transparency: 'transparent',
  colorId: '5',
  location: 'Room 2',
  description: 'Words',
};

async function callWithAttachments(id: string, body: object): Promise<void> {
  await site.google.call('PATCH', `${pathOf(id)}?supportsAttachments=true&conferenceDataVersion=1`, body);
}

const copy = (href: string, later: Omit<LaterHalf, 'key'>, key = newKey()) =>
  copyAndInvite({ writing: writing(), calendarHref: site.calendarHref }, targetAt(site.mirror, href), {
    ...later,
    key,
  });

/** Members that a test sets, as Google has them. */
async function membersOf(id: string, names: readonly string[]): Promise<object> {
  const event: object = await eventAtGoogle(id);
  return Object.fromEntries(names.map((name) => [name, Reflect.get(event, name)]));
}

const writes = () => site.google.sent.filter(({ method }) => method !== 'GET');

describe('the later half of a series at Google', () => {
  copying();
  conferences();
  repeating();
  refusals();
});

function copying(): void {
  it('has everything of the series that Kalends does not model, changed only where the caller changes it', async () => {
    await withGoogle({}, async () => {
      const href = await create(WEEKLY);
      await callWithAttachments(href, BEYOND);
      await reread(href);

      const result = await copy(href, { ...LATER, change: { ...LATER.change, title: 'Renamed' } });
      apply(site.mirror, result);

      const id = result.changed[0]?.href ?? '';
      const event = await eventAtGoogle(id);
      assert.deepEqual(await membersOf(id, Object.keys(BEYOND)), BEYOND);
      assert.deepEqual([event.summary, event.recurrence], ['Renamed', ['RRULE:FREQ=WEEKLY;COUNT=3']]);
      assert.equal(occurrences(site.mirror, id).length, 3);
      await assertMirrored(site.google.account, site.calendarHref, site.mirror);
    });
  });

  it('takes from the caller what the caller names, and drops nothing else with it', async () => {
    const href = await create(WEEKLY);
    await callWithAttachments(href, BEYOND);
    await reread(href);

    const change = { attendees: [{ email: 'bob@example.com', status: 'none' as const }], custom: { n: 1 } };
    const result = await copy(href, { ...LATER, change: { ...LATER.change, ...change, color: null } });

    const event = await eventAtGoogle(result.changed[0]?.href ?? '');
    assert.deepEqual(event.attendees, [BEYOND.attendees[0]]);
    assert.deepEqual(event.extendedProperties, { private: { n: 'kalends-json:1' }, shared: {} });
    assert.equal(event.colorId, undefined);
    assert.deepEqual(event.reminders, BEYOND.reminders);
    assert.deepEqual(event.attachments, BEYOND.attachments);
  });

  it('keeps of its changed instances what each has of its own, beside what the caller changes for all', async () => {
    const href = await create({ ...WEEKLY, location: 'Room 1' });
    await callWithAttachments(href, { ...BEYOND, location: 'Room 1' });
    await reread(href);
    await update(href, { title: 'Own', location: 'Room 9' }, THIRD);
    const old = targetAt(site.mirror, href, THIRD).override?.href ?? '';
    const own = {
      reminders: { useDefault: true, overrides: null },
      attachments: [{ fileUrl: 'https://drive.example/g' }],
      attendees: [{ email: 'bob@example.com', responseStatus: 'declined', comment: 'Away', optional: true }],
      guestsCanSeeOtherGuests: true,
      extendedProperties: { shared: { crm: 'deal-8' }, private: { own: null } },
    };
    await callWithAttachments(old, own);
    await reread(href);

    const times = { start: berlin('2026-12-01T11:00:00'), end: berlin('2026-12-01T12:00:00') };
    const exceptions = [{ recurrenceId: THIRD, instance: THIRD, times }];
    const result = await copy(href, { ...LATER, change: { ...LATER.change, title: 'All' }, exceptions });

    const [master, exception] = result.changed;
    const event = await eventAtGoogle(exception?.href ?? '');
    assert.equal(event.recurringEventId, master?.href);
    assert.deepEqual([event.summary, event.location], ['All', 'Room 9']);
    assert.equal(event.start?.dateTime, '2026-12-01T11:00:00+01:00');
    assert.deepEqual(
      await membersOf(event.id ?? '', ['reminders', 'attachments', 'attendees', 'guestsCanSeeOtherGuests']),
      {
        reminders: { useDefault: true },
        attachments: own.attachments,
        attendees: own.attendees,
        guestsCanSeeOtherGuests: true,
      },
    );
    assert.deepEqual(event.extendedProperties, { shared: { crm: 'deal-8' }, private: {} });
  });

  it('lacks the instances that were deleted of it', async () => {
    const href = await create(WEEKLY);
    const recurrence = { rrules: ['FREQ=WEEKLY;COUNT=3'], rdates: [], exdates: [FOURTH] };

    const result = await copy(href, {
      ...LATER,
      change: { ...LATER.change, recurrence },
      cancelled: [FOURTH],
    });
    apply(site.mirror, result);

    const starts = occurrences(site.mirror, result.changed[0]?.href ?? '').map(({ start }) => start);
    assert.deepEqual(starts, ['2026-11-23T09:00:00', '2026-11-30T09:00:00']);
  });

  it('may be a single event', async () => {
    const href = await create(WEEKLY);
    await callWithAttachments(href, { colorId: '5' });
    await reread(href);

    const result = await copy(href, { ...LATER, change: { ...LATER.change, recurrence: null } });

    const event = await eventAtGoogle(result.changed[0]?.href ?? '');
    assert.deepEqual([event.recurrence, event.colorId], [undefined, '5']);
  });
}

function conferences(): void {
  const MEET = {
    conferenceSolution: { key: { type: 'hangoutsMeet' }, name: 'Google Meet' },
    conferenceId: 'abc-defg-hij',
    entryPoints: [{ entryPointType: 'video', uri: 'https://meet.google.com/abc-defg-hij' }],
  };
  const ZOOM = {
    conferenceSolution: { key: { type: 'addOn' }, name: 'Zoom' },
    conferenceId: '1',
    notes: 'Dial in',
    entryPoints: [
      { entryPointType: 'video', uri: 'https://example.zoom.us/j/1' },
      { entryPointType: 'phone', uri: 'tel:+49-30-1', pin: '77' },
    ],
  };
  const splitWith = async (conferenceData: object) => {
    const href = await create(WEEKLY);
    await callWithAttachments(href, { conferenceData });
    await reread(href);
    return eventAtGoogle((await copy(href, LATER)).changed[0]?.href ?? '');
  };

  it('has a Meet of its own where the series has one', async () => {
    const { conferenceData, hangoutLink } = await splitWith(MEET);

    assert.equal(conferenceData?.conferenceSolution?.key?.type, 'hangoutsMeet');
    assert.match(hangoutLink ?? '', /^https:\/\/meet\.google\.com\//);
    assert.notEqual(hangoutLink, MEET.entryPoints[0]?.uri);
  });

  it('keeps the Meet of the series where the calendar makes none', async () => {
    await withGoogle({ conferenceSolutions: [] }, async () => {
      assert.deepEqual((await splitWith(MEET)).conferenceData, MEET);
    });
  });

  it('keeps a conference that others host, with its telephone numbers', async () => {
    assert.deepEqual((await splitWith(ZOOM)).conferenceData, ZOOM);
  });

  it('keeps one whose telephone number comes first, and writes no link beside it', async () => {
    const conferenceData = { ...ZOOM, entryPoints: ZOOM.entryPoints.toReversed() };

    const event = await splitWith(conferenceData);

    assert.deepEqual([event.conferenceData, event.extendedProperties], [conferenceData, undefined]);
  });

  it('has instances that stay where they are held, be it elsewhere or nowhere', async () => {
    const href = await create(WEEKLY);
    await callWithAttachments(href, { conferenceData: MEET });
    const instanceId = (instance: string) => `${href}_${instance}`;
    await callWithAttachments(instanceId('20261130T080000Z'), {
      conferenceData: { ...ZOOM, createRequest: null },
    });
    await callWithAttachments(instanceId('20261207T080000Z'), { conferenceData: null });
    await reread(href);

    const exceptions = [THIRD, FOURTH].map((time) => ({ recurrenceId: time, instance: time }));
    const { changed } = await copy(href, { ...LATER, exceptions });

    const conferences = await Promise.all(
      changed.map(async (resource) => (await eventAtGoogle(resource.href)).conferenceData),
    );
    const [own, third, fourth] = conferences;
    assert.equal(own?.conferenceSolution?.key?.type, 'hangoutsMeet');
    assert.deepEqual([third, fourth], [ZOOM, undefined]);
  });

  it('gets the link that the caller gives instead of the Meet', async () => {
    const href = await create(WEEKLY);
    await callWithAttachments(href, { conferenceData: MEET });
    await reread(href);

    const conference = 'https://example.zoom.us/j/2';
    const result = await copy(href, { ...LATER, change: { ...LATER.change, conference } });

    const { conferenceData } = await eventAtGoogle(result.changed[0]?.href ?? '');
    assert.deepEqual(
      [conferenceData?.entryPoints?.[0]?.uri, conferenceData?.createRequest],
      [conference, undefined],
    );
    assert.equal(result.changed[0]?.events[0]?.conference, conference);
  });
}

function repeating(): void {
  it('is created once per key, and a retry copies only the instances that are missing', async () => {
    await withGoogle({}, async () => {
      const href = await create(WEEKLY);
      await update(href, { title: 'Third' }, THIRD);
      await update(href, { title: 'Fourth' }, FOURTH);
      const exceptions = [THIRD, FOURTH].map((time) => ({ recurrenceId: time, instance: time }));
      const key = newKey();
      const fault = { provider: 'google', operation: 'events.patch', times: 1 } as const;
      const lost = site.google.faults.set({ ...fault, effect: { kind: 'lost_answer' } });
      await assert.rejects(
        copy(href, { ...LATER, exceptions }, key),
        failsAs('unavailable', 'provider_unavailable'),
      );
      site.google.faults.clear(lost);
      site.google.sent.length = 0;

      const result = await copy(href, { ...LATER, exceptions }, key);

      assert.deepEqual(
        writes().map(({ method, path }) => [method, path.endsWith('20261207T080000Z')]),
        [['PATCH', true]],
      );
      const [master, ...others] = result.changed;
      assert.equal(master?.href, key);
      assert.deepEqual(others.map(({ events: [event] }) => event?.title).sort(), ['Fourth', 'Third']);
      assert.deepEqual(
        (await writing().findCreated?.(site.calendarHref, key))?.map((resource) => resource.href).sort(),
        result.changed.map((resource) => resource.href).sort(),
      );
    });
  });

  it('is found by its key, and looking for it writes nothing', async () => {
    assert.equal(await writing().findCreated?.(site.calendarHref, newKey()), undefined);

    assert.deepEqual(writes(), []);
  });
}

function refusals(): void {
  const refusesBeforeWriting = async (
    href: string,
    refused: Parameters<typeof assert.rejects>[1],
    later = LATER,
  ) => {
    await reread(href);
    const master = site.mirror.get(href);
    assert.ok(master);
    site.google.sent.length = 0;

    await assert.rejects(copy(href, later), refused);

    assert.deepEqual(writes(), []);
  };

  const invitation = {
    title: 'Theirs',
    start: { dateTime: '2026-11-16T09:00:00', timeZone: 'Europe/Berlin' },
    end: { dateTime: '2026-11-16T10:00:00', timeZone: 'Europe/Berlin' },
    recurrence: { frequency: 'weekly', count: 4 },
    organizer: 'grace@other.example',
  } as const;

  for (const guestsCanModify of [false, true])
    it(`is refused to a guest before anything is sent, ${guestsCanModify ? 'who may change the series' : 'who would mail everybody'}`, async () => {
      site.calendarHref = ADA.email;
      const href = site.google.google.receiveInvitation(ADA.email, { ...invitation, guestsCanModify });

      await refusesBeforeWriting(href, unsupported('organizer_only'));
    });

  it('is refused before anything is sent where Google does not name all guests', async () => {
    await withGoogle({ mostGuests: 1 }, async () => {
      const href = await create(WEEKLY);
      await callWithAttachments(href, { attendees: BEYOND.attendees });

      await refusesBeforeWriting(href, unsupported('field_not_supported_by_provider', 'attendees'));
    });
  });

  it('is refused before anything is sent where its rules are none of Google’s', async () => {
    const start = { type: 'floating', local: '2026-11-23T09:00:00' } as const;
    const change = { ...LATER.change, start };

    await refusesBeforeWriting(
      await create(WEEKLY),
      unsupported('field_not_supported_by_provider', 'start'),
      {
        ...LATER,
        change,
      },
    );
  });

  it('fails before anything is sent of a series that was changed since', async () => {
    const href = await create(WEEKLY);
    await site.google.call('PATCH', pathOf(href), { summary: 'Newer' });
    site.google.sent.length = 0;

    await assert.rejects(copy(href, LATER), failsAs('precondition_failed'));

    assert.deepEqual(writes(), []);
  });

  it('fails before anything is sent of a series that is gone', async () => {
    const href = await create({ ...MEETING, recurrence: rule('FREQ=WEEKLY;COUNT=4') });
    await site.google.call('DELETE', pathOf(href));
    site.google.sent.length = 0;

    await assert.rejects(copy(href, LATER), failsAs('not_found'));

    assert.deepEqual(writes(), []);
  });
}
