/** The later half of a series in Outlook where the request says again what is so already, and where Outlook refuses a part. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import type { LaterHalf } from '../../../src/calendars/event-writing.ts';
import type { Egress } from '../../../src/lib/egress/egress.ts';
import { apply, berlin, copyAndInvite, draftOf, occurrences, rule } from '../../contract/mirrored-writes.ts';
import { ADA } from './microsoft-harness.ts';
import { openMicrosoftWriting, unsupported } from './microsoft-writing.ts';

const WEEKLY = draftOf({
  title: 'Weekly',
  start: berlin('2026-10-12T09:00:00'),
  end: berlin('2026-10-12T10:00:00'),
  recurrence: rule('FREQ=WEEKLY;COUNT=6'),
});
const THIRD = berlin('2026-10-26T09:00:00');
const FOURTH = berlin('2026-11-02T09:00:00');

const LATER: LaterHalf = {
  key: 'c0ffee11'.repeat(4),
  at: THIRD,
  change: { start: THIRD, end: berlin('2026-10-26T10:00:00'), recurrence: rule('FREQ=WEEKLY;COUNT=4') },
  exceptions: [],
  cancelled: [],
};

const OUTLOOKS_OWN = {
  body: { contentType: 'html', content: '<html><body><p>Bring <b>cake</b></p></body></html>' },
  sensitivity: 'personal',
  showAs: 'oof',
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
};
const PLACE = { location: { displayName: 'Room 1; Café', locationType: 'default' } };

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
    /** Returns an event as a client has it, to send it back in full. */
    whole(href: string) {
      const { title, description, location, availability, privacy, status, conference } = work.event(href);
      return {
        ...{ title, availability, privacy, status },
        description: description ?? null,
        location: location ?? null,
        conference: conference ?? null,
      };
    },
    async files(id: string) {
      const { value } = await work.graph('GET', `${id}/attachments`);
      // As the sandbox answers them.
      const files = value as { name: string; contentBytes: string }[];
      return files.map(({ name, contentBytes }) => [name, Buffer.from(contentBytes, 'base64').toString()]);
    },
  };
}

const pick = (item: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, item[name]]));

describe('The later half of a series at Microsoft, asked for as it is', () => {
  it('privacy, availability, text and places that are sent back stay as Outlook has them', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    await work.graph('PATCH', href, { ...OUTLOOKS_OWN, ...PLACE });
    await work.sync();

    const later = await work.copy(href, { ...LATER, change: { ...LATER.change, ...work.whole(href) } });

    const item = await work.graph('GET', later);
    assert.deepEqual(pick(item, Object.keys(OUTLOOKS_OWN)), OUTLOOKS_OWN);
    await work.mirrored();
  });

  it('an exception keeps its own word for what is asked, and loses one that says otherwise', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    await work.sync();
    await work.graph('PATCH', await work.occurrence(href, FOURTH), {
      sensitivity: 'personal',
      showAs: 'oof',
    });
    const fifth = berlin('2026-11-09T09:00:00');
    await work.graph('PATCH', await work.occurrence(href, fifth), {
      sensitivity: 'confidential',
      showAs: 'free',
    });
    await work.sync();

    const later = await work.copy(href, {
      ...LATER,
      change: { ...LATER.change, privacy: 'private', availability: 'busy' },
      exceptions: [FOURTH, fifth].map((instance) => ({ recurrenceId: instance, instance })),
    });

    const words = async (id: string) => pick(await work.graph('GET', id), ['sensitivity', 'showAs']);
    assert.deepEqual(await words(later), { sensitivity: 'private', showAs: 'busy' });
    assert.deepEqual(await words(await work.occurrence(later, FOURTH)), {
      sensitivity: 'personal',
      showAs: 'oof',
    });
    assert.deepEqual(await words(await work.occurrence(later, fifth)), {
      sensitivity: 'private',
      showAs: 'busy',
    });
  });

  it('the text and the link of a Teams meeting, sent back, do not lead to the old one', async (t) => {
    const work = await openCopying(t);
    work.fault({ kind: 'meeting_in_body' });
    const href = await work.create({ ...WEEKLY, description: 'Agenda', autoConference: true });
    await work.sync();
    const oldUrl = work.event(href).conference ?? '';
    assert.ok(oldUrl);

    const later = await work.copy(href, { ...LATER, change: { ...LATER.change, ...work.whole(href) } });

    const { original } = work.resource(later);
    assert.ok(!JSON.stringify([original, await work.graph('GET', later)]).includes(oldUrl));
    assert.ok(work.event(later).conference);
    assert.match(work.event(later).description ?? '', /Agenda/);
  });

  it('a text and a place that are sent back with another title keep their form', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    await work.graph('PATCH', href, { ...OUTLOOKS_OWN, ...PLACE });
    await work.sync();

    await work.update(href, { ...work.whole(href), title: 'Other' });

    const item = await work.graph('GET', href);
    assert.deepEqual(pick(item, ['subject', ...Object.keys(OUTLOOKS_OWN)]), {
      subject: 'Other',
      ...OUTLOOKS_OWN,
    });
  });
});

describe('The later half of a series at Microsoft, refused in part', () => {
  for (const status of [400, 403, 404, 413])
    it(`a file that Outlook answers ${status} stays with the old series, and the others go along`, async (t) => {
      const work = await openCopying(t);
      const href = await work.create(WEEKLY);
      for (const name of ['tool.exe', 'plan.txt'])
        await work.manual.attach(ADA.email, work.calendar, { id: href, name, content: name });
      await work.sync();
      work.fault({ kind: 'status', status }, 'attachments.create', 1);

      const later = await work.copy(href, LATER);

      assert.deepEqual(await work.files(later), [['plan.txt', 'plan.txt']]);
      await work.mirrored();
    });

  it('files of one name all go along, also after an interruption', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    for (const content of ['one', 'a second', 'two'])
      await work.manual.attach(ADA.email, work.calendar, { id: href, name: 'image.png', content });
    await work.sync();

    work.fault({ kind: 'lost_answer' }, 'attachments.create', 1);
    await assert.rejects(work.copy(href, LATER), { kind: 'unavailable' });
    const later = await work.copy(href, LATER);

    assert.deepEqual(await work.files(later), [
      ['image.png', 'one'],
      ['image.png', 'a second'],
      ['image.png', 'two'],
    ]);
  });

  it('an exception that is refused as a whole is made in parts', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    const moved = { start: berlin('2026-11-03T15:00:00'), end: berlin('2026-11-03T15:30:00') };
    await work.update(href, { ...moved, title: 'Own', location: 'Roof', privacy: 'private' }, FOURTH);
    work.fault({ kind: 'status', status: 400 }, 'events.update', 1);

    const exceptions = [{ recurrenceId: FOURTH, instance: FOURTH, times: moved }];
    const later = await work.copy(href, { ...LATER, exceptions });

    const [, occurrence] = occurrences(work.mirror, later);
    assert.deepEqual(occurrence, {
      title: 'Own',
      start: '2026-11-03T15:00:00',
      end: '2026-11-03T15:30:00',
    });
    const item = await work.graph('GET', await work.occurrence(later, moved.start));
    assert.equal(item.sensitivity, 'private');
  });

  it('an exception that was made in parts is completed by a repeated copy', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    const moved = { start: berlin('2026-11-03T15:00:00'), end: berlin('2026-11-03T15:30:00') };
    await work.update(href, { ...moved, title: 'Own', location: 'Roof' }, FOURTH);
    const later = { ...LATER, exceptions: [{ recurrenceId: FOURTH, instance: FOURTH, times: moved }] };
    work.fault({ kind: 'status', status: 400 }, 'events.update', 1);
    const at = { provider: 'microsoft', operation: 'events.update', skip: 2 } as const;
    const ended = work.faults.set({ ...at, effect: { kind: 'reset' } });
    await assert.rejects(work.copy(href, later), { kind: 'unavailable' });
    work.faults.clear(ended);

    const copied = await work.copy(href, later);

    const { subject, location } = await work.graph('GET', await work.occurrence(copied, moved.start));
    assert.deepEqual([subject, Object(location).displayName], ['Own', 'Roof']);
    await work.mirrored();
  });

  it('of an exception that cannot be as private as it was, no word is written', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Own', privacy: 'private' }, FOURTH);
    work.fault({ kind: 'status', status: 400 }, 'events.update', 2);

    const exceptions = [{ recurrenceId: FOURTH, instance: FOURTH }];
    const later = await work.copy(href, { ...LATER, exceptions });

    const { subject } = await work.graph('GET', await work.occurrence(later, FOURTH));
    assert.equal(subject, 'Weekly');
  });

  it('an exception of which all words are refused is left as its series has it', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Own', location: 'Roof' }, FOURTH);
    work.fault({ kind: 'status', status: 400 }, 'events.update');

    const later = await work.copy(href, {
      ...LATER,
      exceptions: [{ recurrenceId: FOURTH, instance: FOURTH }],
    });

    assert.deepEqual(
      occurrences(work.mirror, later).map(({ title }) => title),
      ['Weekly', 'Weekly', 'Weekly', 'Weekly'],
    );
  });

  it('a split is not made where the times of an exception are refused', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    const moved = { start: berlin('2026-11-03T15:00:00'), end: berlin('2026-11-03T15:30:00') };
    await work.update(href, moved, FOURTH);
    work.fault({ kind: 'status', status: 400 }, 'events.update');

    const exceptions = [{ recurrenceId: FOURTH, instance: FOURTH, times: moved }];
    await assert.rejects(
      work.copy(href, { ...LATER, exceptions }),
      unsupported('field_not_supported_by_provider'),
    );
  });

  it('an exception that names no occurrence is left behind, as it is when it is read', async (t) => {
    const work = await openCopying(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Own' }, FOURTH);
    const { accessToken } = work.account.credentials();
    const egress: Egress = {
      ...work.egress,
      async request(request) {
        const answer = await work.egress.request(request);
        const body = Buffer.from(
          answer.body.toString().replaceAll(/"(originalStart|occurrenceId)":/g, '"_$1":'),
        );
        const isOld = String(request.url).includes(`/${encodeURIComponent(href)}?`);
        return isOld ? { ...answer, header: (name) => answer.header(name), body } : answer;
      },
    };
    const { writing } = work.providerWith({ egress }).open(work.account.credentials(), {
      accessToken: async () => accessToken,
      renewAccessToken: async () => accessToken,
      limited: (_operation, request) => request(),
    });

    const { changed } = await writing.copyLater(work.calendar, work.target(href), LATER);

    assert.deepEqual(
      changed.map(({ events: [event] }) => event?.title),
      ['Weekly'],
    );
  });
});
