/** The later half of a series in Outlook: which of Graph's objects are copied, and which are created. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import type { LaterHalf } from '../../../src/calendars/event-writing.ts';
import { apply, berlin, copyAndInvite, draftOf, occurrences, rule } from '../../contract/mirrored-writes.ts';
import { ADA } from './microsoft-harness.ts';
import { openMicrosoftWriting, unsupported, writesOf } from './microsoft-writing.ts';

const WEEKLY = draftOf({
  title: 'Weekly',
  start: berlin('2026-10-12T09:00:00'),
  end: berlin('2026-10-12T10:00:00'),
  recurrence: rule('FREQ=WEEKLY;COUNT=6'),
});
const KEY = 'c0ffee00'.repeat(4);
const THIRD = berlin('2026-10-26T09:00:00');
const FOURTH = berlin('2026-11-02T09:00:00');
const FIFTH = berlin('2026-11-09T09:00:00');

/** From the third instance on, an hour later. */
const LATER: LaterHalf = {
  key: KEY,
  at: THIRD,
  change: {
    start: berlin('2026-10-26T10:00:00'),
    end: berlin('2026-10-26T11:00:00'),
    recurrence: rule('FREQ=WEEKLY;COUNT=4'),
  },
  exceptions: [],
  cancelled: [],
};

/** Properties in Outlook that Kalends has no fields for. */
const OUTLOOKS_OWN = {
  body: { contentType: 'html', content: '<html><body><p>Bring <b>cake</b></p></body></html>' },
  categories: ['Red category', 'Travel'],
  importance: 'high',
  sensitivity: 'personal',
  showAs: 'oof',
  isReminderOn: true,
  reminderMinutesBeforeStart: 45,
  responseRequested: false,
  allowNewTimeProposals: false,
  hideAttendees: true,
  location: { displayName: 'Room 1; Café', locationType: 'default' },
  locations: [
    {
      displayName: 'Room 1',
      locationType: 'conferenceRoom',
      locationEmailAddress: 'room1@contoso.test',
      uniqueId: 'room1@contoso.test',
      uniqueIdType: 'directory',
    },
    { displayName: 'Café', locationType: 'restaurant', address: { city: 'Berlin' } },
  ],
  attendees: [
    { type: 'required', emailAddress: { address: 'alan@example.com', name: 'Alan' } },
    { type: 'optional', emailAddress: { address: 'grace@example.com', name: 'Grace' } },
    { type: 'resource', emailAddress: { address: 'room1@contoso.test', name: 'Room 1' } },
  ],
};

async function openCopying(t: TestContext) {
  const work = await openMicrosoftWriting(t);
  return {
    ...work,
    /** Returns the href of the new series. */
    async copy(href: string, later: LaterHalf): Promise<string> {
      const result = await copyAndInvite(
        { writing: work.writing, calendarHref: work.calendar },
        work.target(href),
        later,
      );
      apply(work.mirror, result);
      assert.ok(result.changed[0]);
      return result.changed[0].href;
    },
  };
}

const pick = (item: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, item[name]]));

const guests = (item: Readonly<Record<string, unknown>>) =>
  // As the sandbox answers them.
  (item.attendees as { type: string; emailAddress: object }[]).map(({ type, emailAddress }) => ({
    type,
    emailAddress,
  }));

describe('The later half of a series at Microsoft', () => {
  it('the later half has everything that Outlook keeps of the series, changed only where it was asked', async (t) => {
    const work = await openCopying(t);
    const href = await work.create({
      ...WEEKLY,
      custom: { of: 'ours' },
      conference: 'https://meet.example/1',
    });
    await work.graph('PATCH', href, OUTLOOKS_OWN);
    await work.sync();
    const old = await work.graph('GET', href);

    const later = await work.copy(href, { ...LATER, change: { ...LATER.change, title: 'Later' } });

    const { attendees, location, ...plain } = OUTLOOKS_OWN;
    const item = await work.graph('GET', later);
    assert.deepEqual(pick(item, Object.keys(plain)), plain);
    assert.deepEqual(item.location, old.location);
    assert.deepEqual(guests(item), attendees);
    const { title, custom, conference } = work.event(later);
    assert.deepEqual([title, custom, conference], ['Later', { of: 'ours' }, 'https://meet.example/1']);
    assert.deepEqual(
      occurrences(work.mirror, later).map(({ start }) => start),
      ['2026-10-26T10:00:00', '2026-11-02T10:00:00', '2026-11-09T10:00:00', '2026-11-16T10:00:00'],
    );
    await work.mirrored();
  });

  it('what is asked for all later instances takes the place of what Outlook has, an exception’s included', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    await work.graph('PATCH', href, OUTLOOKS_OWN);
    await work.sync();
    await work.update(href, { title: 'Own', location: 'Roof' }, FOURTH);
    const change = {
      title: 'All',
      location: 'Hall',
      availability: 'free' as const,
      privacy: 'public' as const,
      description: 'Plain',
      attendees: [{ email: 'alan@example.com', status: 'none' as const }],
      custom: { new: true },
    };

    const later = await work.copy(href, {
      ...LATER,
      change: { ...LATER.change, ...change },
      exceptions: [{ recurrenceId: FOURTH, instance: berlin('2026-11-02T10:00:00') }],
    });

    const { title, location, availability, privacy, description, custom, attendees } = work.event(later);
    const { attendees: _, ...wanted } = change;
    assert.deepEqual({ title, location, availability, privacy, description, custom }, wanted);
    assert.deepEqual(
      attendees.map(({ email }) => email),
      [ADA.email, 'alan@example.com'],
    );
    assert.deepEqual(
      occurrences(work.mirror, later).map((occurrence) => occurrence.title),
      ['All', 'All', 'All', 'All'],
    );
    assert.equal((await work.graph('GET', later)).importance, 'high');
    await work.mirrored();
  });

  it('exceptions of the later half keep what they have of their own, and its deleted instances stay deleted', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    await work.graph('PATCH', href, OUTLOOKS_OWN);
    await work.sync();
    const fourth = await work.occurrence(href, FOURTH);
    const own = {
      body: { contentType: 'html', content: '<html><body><i>Only here</i></body></html>' },
      categories: ['Blue category'],
      location: { displayName: 'Room 2', locationType: 'conferenceRoom', uniqueId: 'room2@contoso.test' },
      reminderMinutesBeforeStart: 5,
      attendees: OUTLOOKS_OWN.attendees.slice(0, 1),
    };
    await work.graph('PATCH', fourth, { ...own, subject: 'Fourth' });
    await work.sync();
    const moved = { start: berlin('2026-11-10T15:00:00'), end: berlin('2026-11-10T15:30:00') };
    await work.update(href, moved, FIFTH);
    const sixth = berlin('2026-11-16T10:00:00');

    const later = await work.copy(href, {
      ...LATER,
      change: { ...LATER.change, recurrence: { ...rule('FREQ=WEEKLY;COUNT=4'), exdates: [sixth] } },
      exceptions: [
        { recurrenceId: FOURTH, instance: berlin('2026-11-02T10:00:00') },
        { recurrenceId: FIFTH, instance: berlin('2026-11-09T10:00:00'), times: moved },
      ],
      cancelled: [sixth],
    });

    assert.deepEqual(occurrences(work.mirror, later), [
      { title: 'Weekly', start: '2026-10-26T10:00:00', end: '2026-10-26T11:00:00' },
      { title: 'Fourth', start: '2026-11-02T10:00:00', end: '2026-11-02T11:00:00' },
      { title: 'Weekly', start: '2026-11-10T15:00:00', end: '2026-11-10T15:30:00' },
    ]);
    const item = await work.graph('GET', await work.occurrence(later, berlin('2026-11-02T10:00:00')));
    const { attendees, location, ...plain } = own;
    assert.deepEqual(pick(item, Object.keys(plain)), plain);
    assert.deepEqual(guests(item), attendees);
    assert.deepEqual(pick(Object(item.location), Object.keys(location)), location);
    await work.mirrored();
  });

  it('a guest who is optional in one occurrence stays so there', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    const [alan] = OUTLOOKS_OWN.attendees;
    await work.graph('PATCH', href, { attendees: [alan] });
    await work.sync();
    const optional = [{ ...alan, type: 'optional' }];
    await work.graph('PATCH', await work.occurrence(href, FOURTH), { attendees: optional });
    await work.sync();

    const instance = berlin('2026-11-02T10:00:00');
    const later = await work.copy(href, { ...LATER, exceptions: [{ recurrenceId: FOURTH, instance }] });

    assert.deepEqual(guests(await work.graph('GET', later)), [alan]);
    assert.deepEqual(guests(await work.graph('GET', await work.occurrence(later, instance))), optional);
    await work.mirrored();
  });

  it('the later half gets a new Teams meeting, and its text has only the link of the new one', async (t) => {
    const work = await openCopying(t);
    work.fault({ kind: 'meeting_in_body' });
    const href = await work.create({ ...WEEKLY, description: 'Agenda', autoConference: true });
    const oldUrl = work.event(href).conference ?? '';
    const fourth = await work.occurrence(href, FOURTH);
    const { body } = await work.graph('GET', fourth);
    // As the sandbox answers it.
    const { content } = body as { content: string };
    await work.graph('PATCH', fourth, {
      body: { contentType: 'html', content: content.replace('Agenda', 'Another agenda') },
    });
    await work.sync();

    const later = await work.copy(href, {
      ...LATER,
      exceptions: [{ recurrenceId: FOURTH, instance: berlin('2026-11-02T10:00:00') }],
    });

    const newUrl = work.event(later).conference ?? '';
    assert.match(newUrl, /^https:\/\/teams\.microsoft\.com\//);
    assert.notEqual(newUrl, oldUrl);
    for (const [id, agenda] of [
      [later, 'Agenda'],
      [await work.occurrence(later, berlin('2026-11-02T10:00:00')), 'Another agenda'],
    ] as const) {
      const text = JSON.stringify((await work.graph('GET', id)).body);
      assert.ok(text.includes(agenda) && text.includes(newUrl) && !text.includes(oldUrl), text);
    }
    assert.equal(work.event(href).conference, oldUrl);

    const without = { ...LATER, key: 'ab'.repeat(16), change: { ...LATER.change, conference: null } };
    const offline = await work.copy(href, without);
    assert.equal(work.event(offline).conference, undefined);
    assert.equal(work.event(offline).description, 'Agenda');
  });

  it('files go along with the later half, once; what is no file, and what is too large, stays', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    const attach = (file: { name: string; content: string; contentId?: string; type?: string }) =>
      work.manual.attach(ADA.email, work.calendar, { id: href, ...file });
    await attach({ name: 'plan.txt', content: 'The plan' });
    await attach({ name: 'logo.png', content: 'A picture', contentId: 'logo' });
    await attach({ name: 'Mail', content: '', type: '#microsoft.graph.itemAttachment' });
    await attach({ name: 'film.mp4', content: 'x'.repeat(3_100_000) });
    await work.sync();
    const lost = { kind: 'lost_answer' } as const;

    work.fault(lost, 'attachments.create', 1);
    await assert.rejects(work.copy(href, LATER), { kind: 'unavailable' });
    const later = await work.copy(href, LATER);

    const { value } = await work.graph('GET', `${later}/attachments`);
    // As the sandbox answers them.
    const files = value as { name: string; contentBytes: string; contentId: string | null }[];
    assert.deepEqual(
      files.map(({ name, contentBytes, contentId }) => [
        name,
        Buffer.from(contentBytes, 'base64').toString(),
        contentId,
      ]),
      [
        ['plan.txt', 'The plan', null],
        ['logo.png', 'A picture', 'logo'],
      ],
    );
    await work.mirrored();
  });

  it('an interrupted copy continues where it stopped, is found by its key, and is one series', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Fourth' }, FOURTH);
    const later: LaterHalf = {
      ...LATER,
      change: {
        ...LATER.change,
        recurrence: { ...rule('FREQ=WEEKLY;COUNT=4'), exdates: [berlin('2026-11-16T10:00:00')] },
      },
      exceptions: [{ recurrenceId: FOURTH, instance: berlin('2026-11-02T10:00:00') }],
    };
    const { findCreated } = work.writing;
    assert.ok(findCreated);
    assert.equal(await findCreated(work.calendar, KEY), undefined);

    for (const operation of ['events.create', 'events.delete', 'events.update']) {
      work.fault({ kind: 'lost_answer' }, operation, 1);
      await assert.rejects(work.copy(href, later), { kind: 'unavailable' });
    }
    const begun = await findCreated(work.calendar, KEY);
    const made = await work.copy(href, later);

    assert.equal(begun?.[0]?.href, made);
    assert.equal((await findCreated(work.calendar, KEY))?.length, 2);
    assert.deepEqual(
      occurrences(work.mirror, made).map(({ title, start }) => `${title} ${start.slice(0, 10)}`),
      ['Weekly 2026-10-26', 'Fourth 2026-11-02', 'Weekly 2026-11-09'],
    );
    await work.mirrored();
  });

  it('a guest’s split of the organizer’s series is refused, and nothing is sent', async (t) => {
    const work = await openCopying(t);
    const at = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
    const href = await work.manual.invite(ADA.email, work.calendar, {
      title: 'Theirs',
      start: at('2026-10-12T09:00:00'),
      end: at('2026-10-12T10:00:00'),
      recurrence: { frequency: 'weekly', count: 6 },
      attendees: [{ email: ADA.email }],
      organizer: { email: 'grace@example.com', name: 'Grace' },
    });
    await work.sync();

    await assert.rejects(work.copy(href, LATER), unsupported('organizer_only'));

    assert.equal(writesOf(work.sandbox), 0);
  });

  it('a split of a series that was changed or deleted meanwhile sends nothing', async (t) => {
    const work = await openCopying(t);
    work.fault({ kind: 'deleted_items' });
    const [changed, deleted] = [await work.create(WEEKLY), await work.create(WEEKLY)];
    const writes = writesOf(work.sandbox);
    await work.manual.changeOccurrence(ADA.email, work.calendar, {
      id: changed,
      original: { dateTime: '2026-10-26T09:00:00', timeZone: 'Europe/Berlin' },
      title: 'Theirs',
    });
    await work.manual.deleteEvent(ADA.email, work.calendar, deleted);

    await assert.rejects(work.copy(changed, LATER), { kind: 'precondition_failed' });
    await assert.rejects(work.copy(deleted, LATER), { kind: 'not_found' });

    assert.equal(writesOf(work.sandbox), writes);
  });
});
