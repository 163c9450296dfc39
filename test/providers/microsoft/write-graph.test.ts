/** Writing rules that are Graph's own: repeated creations, versions, meetings, invitations, and missing fields. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { berlin, draftOf, occurrences, rule } from '../../contract/mirrored-writes.ts';
import { ADA } from './microsoft-harness.ts';
import { openMicrosoftWriting, unsupported } from './microsoft-writing.ts';

const MEETING = draftOf({
  title: 'Meeting',
  start: berlin('2026-11-16T09:00:00'),
  end: berlin('2026-11-16T10:00:00'),
});
const KEY = 'c0ffee00'.repeat(4);
const GRACE = { email: 'grace@example.com', name: 'Grace Hopper' };
const at = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const INVITATION = {
  title: 'Review',
  start: at('2026-11-17T09:00:00'),
  end: at('2026-11-17T10:00:00'),
  attendees: [{ email: ADA.email }],
};

const failsAs = (kind: ProviderError['kind']) => (failure: unknown) =>
  failure instanceof ProviderError && failure.kind === kind;

describe('Creating at Microsoft', () => {
  it('a creation at Microsoft whose answer was lost makes one event', async (t) => {
    const work = await openMicrosoftWriting(t);
    work.fault({ kind: 'lost_answer' }, 'events.create', 1);

    await assert.rejects(work.create(MEETING, KEY), failsAs('unavailable'));
    await work.create(MEETING, KEY);

    assert.equal(work.mirror.size, 1);
    await work.mirrored();
  });

  it('the event of a key that Graph refuses to take twice is found', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(MEETING, KEY);
    const used = { kind: 'status', status: 409, reason: 'ErrorDuplicateTransactionId' } as const;
    work.fault(used, 'events.create', 2);

    assert.equal(await work.create(MEETING, KEY), href);
    await work.remove(href);

    await assert.rejects(work.create(MEETING, KEY), failsAs('not_found'));
  });

  it('refuses writes to a read-only calendar at Microsoft, and reports a missing one as not found', async (t) => {
    const work = await openMicrosoftWriting(t, { readOnly: true });

    await assert.rejects(work.create(MEETING), unsupported('calendar_read_only'));
    await assert.rejects(work.writing.create('AAMkGone', MEETING, KEY), failsAs('not_found'));
  });

  it('a creation makes a Teams meeting where the calendar allows one, and keeps it', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create({
      ...MEETING,
      autoConference: true,
      conference: 'https://elsewhere.example',
    });
    const { conference } = work.event(href);
    assert.match(conference ?? '', /^https:\/\/teams\.microsoft\.com\//);

    await work.update(href, { autoConference: true });
    await work.update(href, { conference: 'https://elsewhere.example' });

    // A meeting elsewhere is ignored for the online meeting.
    assert.equal(work.event(href).conference, conference);
    await assert.rejects(
      work.update(href, { conference: null }),
      unsupported('field_not_supported_by_provider', 'conference'),
    );
    await work.mirrored();
  });

  it('a Teams meeting is created for an existing event, and refused where none is allowed', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(MEETING);
    await work.update(href, { autoConference: true });
    assert.ok(work.event(href).conference);

    await work.manual.forbidMeetings(ADA.email);
    await assert.rejects(
      work.create({ ...MEETING, autoConference: true }),
      unsupported('conference_not_supported_by_calendar', 'conferenceData'),
    );
    assert.equal(work.mirror.size, 1);
  });

  it('the address of a meeting elsewhere is stored and read back, over a series too', async (t) => {
    const work = await openMicrosoftWriting(t);
    const conference = 'https://meet.example.com/room';
    const href = await work.create({ ...MEETING, conference, recurrence: rule('FREQ=DAILY;COUNT=3') });
    await work.update(href, { title: 'Own' }, berlin('2026-11-17T09:00:00'));

    const urls = [...work.mirror.values()].flatMap(({ events }) => events.map((event) => event.conference));
    assert.deepEqual(urls, [conference, conference]);
    await work.update(href, { conference: null });
    assert.equal(work.event(href).conference, undefined);
    await work.mirrored();
  });
});

describe('Fields that Outlook does not have', () => {
  const REFUSED = {
    color: { color: '#ff0000' },
    status: { status: 'cancelled' },
    availability: { status: 'tentative', availability: 'free' },
    custom: { custom: { text: 'x'.repeat(32_001) } },
    attendees: { attendees: [{ ...GRACE, status: 'none', organizer: true }] },
    start: { start: { type: 'floating', local: '2026-11-16T09:00:00' } },
  } as const;
  for (const [field, fields] of Object.entries(REFUSED))
    it(`what Outlook has not is refused with its reason, and nothing is written: ${field}`, async (t) => {
      const work = await openMicrosoftWriting(t);
      const href = await work.create(MEETING);

      await assert.rejects(
        work.create({ ...MEETING, ...fields }),
        unsupported('field_not_supported_by_provider', field),
      );
      await assert.rejects(work.update(href, fields), unsupported('field_not_supported_by_provider', field));

      await work.mirrored();
    });

  it('the organizer is taken out of the guests, whom Outlook keeps apart', async (t) => {
    const work = await openMicrosoftWriting(t);
    const guests = [
      { email: ADA.email, status: 'accepted', organizer: true },
      { ...GRACE, status: 'none' },
    ] as const;

    const href = await work.create({ ...MEETING, attendees: guests });
    await work.update(href, { attendees: [...work.event(href).attendees] });

    assert.deepEqual(
      work.event(href).attendees.map(({ email, organizer }) => [email, organizer]),
      [
        [ADA.email, true],
        [GRACE.email, undefined],
      ],
    );
  });

  it('a change to busy leaves an event tentative, and a change of both fields sets both', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create({ ...MEETING, status: 'tentative' });

    await work.update(href, { availability: 'busy' });
    assert.deepEqual([work.event(href).status, work.event(href).availability], ['tentative', 'busy']);
    await work.update(href, { status: 'confirmed', availability: 'free' });
    assert.deepEqual([work.event(href).status, work.event(href).availability], ['confirmed', 'free']);
    await work.mirrored();
  });
});

describe('A change at Microsoft', () => {
  it('a change at Microsoft is refused when somebody changes the event between reading and writing', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(MEETING);
    work.fault({ kind: 'status', status: 412 }, 'events.update', 1);

    await assert.rejects(work.update(href, { title: 'Late' }), failsAs('precondition_failed'));
    assert.equal((await work.writing.read(work.calendar, href))?.[0]?.events[0]?.title, 'Meeting');
  });

  it('one of ten changes of one version at Microsoft goes through', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(MEETING);
    const target = work.target(href);
    const titles = Array.from({ length: 10 }, (_, index) => `Title ${index}`);

    const results = await Promise.allSettled(
      titles.map((title) => work.writing.update(work.calendar, target, { title })),
    );

    const won = results.filter(({ status }) => status === 'fulfilled');
    assert.equal(won.length, 1);
    for (const result of results)
      if (result.status === 'rejected') assert.ok(failsAs('precondition_failed')(result.reason));
    await work.sync();
    assert.equal(work.event(href).title, titles[results.findIndex(({ status }) => status === 'fulfilled')]);
  });

  it('a change at Microsoft is retried with another access token when the first was refused', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(MEETING);
    work.fault({ kind: 'status', status: 401 }, 'events.update', 1);

    await work.update(href, { title: 'Renewed' });

    assert.equal(work.event(href).title, 'Renewed');
  });

  it('a change that Outlook refuses for what it asks is no failure of Microsoft', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(MEETING);
    const { credentials } = await work.signIn();
    const failures: unknown[] = [];
    const { writing } = work.provider.open(credentials, {
      accessToken: async () => credentials.accessToken,
      renewAccessToken: async () => credentials.accessToken,
      limited: (_operation, request) =>
        request().catch((failure: unknown) => {
          failures.push(failure);
          throw failure;
        }),
    });
    const change = { end: berlin('2032-11-16T10:00:00') };

    await assert.rejects(
      writing.update(work.calendar, work.target(href), change),
      unsupported('field_not_supported_by_provider', 'end'),
    );
    assert.deepEqual(failures, []);

    work.fault({ kind: 'status', status: 500 }, 'events.update', 1);
    await assert.rejects(writing.update(work.calendar, work.target(href), change), failsAs('unavailable'));
    assert.equal(failures.length, 1);
  });

  it('a change that names nothing sends Microsoft nothing', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(MEETING);
    const { etag } = work.resource(href);

    await work.update(href, {});

    assert.equal(work.resource(href).etag, etag);
    assert.equal(work.sandbox.requests('events.update'), 0);
  });
});

describe('An invitation at Microsoft', () => {
  it('a response to an invitation at Microsoft reaches the organizer with its comment', async (t) => {
    const work = await openMicrosoftWriting(t);
    const { manual } = work;
    const href = await manual.invite(ADA.email, work.calendar, { ...INVITATION, organizer: GRACE });
    await work.sync();
    const statusOf = () => work.event(href).attendees.find(({ email }) => email === ADA.email)?.status;

    await work.respond(href, 'tentative', 'Perhaps');
    assert.deepEqual([statusOf(), work.event(href).status], ['tentative', 'tentative']);
    await work.respond(href, 'accepted');

    assert.deepEqual([statusOf(), work.event(href).status], ['accepted', 'confirmed']);
    const responses = manual.responses(ADA.email).map(({ response, comment }) => [response, comment]);
    assert.deepEqual(responses, [
      ['tentativelyAccepted', 'Perhaps'],
      ['accepted', undefined],
    ]);
    await work.mirrored();
  });

  it('an invitation at Microsoft leaves the calendar when it is declined', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.manual.invite(ADA.email, work.calendar, { ...INVITATION, organizer: GRACE });
    await work.sync();

    await work.respond(href, 'declined');

    assert.equal(work.mirror.size, 0);
    await work.mirrored();
  });

  it('an invitation at Microsoft is answered for one occurrence alone', async (t) => {
    const work = await openMicrosoftWriting(t);
    const series = { ...INVITATION, recurrence: { frequency: 'daily' as const, count: 3 } };
    const href = await work.manual.invite(ADA.email, work.calendar, { ...series, organizer: GRACE });
    await work.sync();

    await work.respond(href, 'accepted', undefined, berlin('2026-11-18T09:00:00'));
    await work.respond(href, 'declined', undefined, berlin('2026-11-19T09:00:00'));

    assert.deepEqual(
      occurrences(work.mirror, href).map(({ start }) => start.slice(0, 10)),
      ['2026-11-17', '2026-11-18'],
    );
    const exception = [...work.mirror.values()].find(({ seriesId }) => seriesId === href)?.events[0];
    assert.deepEqual([exception?.status, work.event(href).status], ['confirmed', 'tentative']);
    await work.mirrored();
  });

  it('an invitation at Microsoft is answered in silence where no answer is asked for', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.manual.invite(ADA.email, work.calendar, {
      ...INVITATION,
      organizer: {
        ...GRACE,
        responseRequested: false,
      },
    });
    await work.sync();

    await work.respond(href, 'accepted', 'Nobody reads this');

    assert.equal(work.event(href).status, 'confirmed');
    assert.deepEqual(work.manual.responses(ADA.email), []);
  });

  it('an invitation at Microsoft is not what the account made itself', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(MEETING);

    await assert.rejects(
      work.respond(href, 'accepted'),
      unsupported('field_not_supported_by_provider', 'response'),
    );
  });

  it("an invitation at Microsoft changes in what is the guest's own, and is the organizer's in all else", async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.manual.invite(ADA.email, work.calendar, { ...INVITATION, organizer: GRACE });
    await work.sync();
    const { title, start } = work.event(href);

    await work.update(href, { title, start, privacy: 'private', custom: { seen: true } });
    assert.deepEqual([work.event(href).privacy, work.event(href).custom], ['private', { seen: true }]);

    for (const [field, change] of Object.entries({
      title: { title: 'Mine now' },
      end: { end: berlin('2026-11-17T12:00:00') },
      attendees: { attendees: [] },
    }))
      await assert.rejects(work.update(href, change), unsupported('organizer_only', field));
    await work.remove(href);
    await work.mirrored();
  });
});
