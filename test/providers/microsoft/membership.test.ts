/** Membership of events in Outlook's calendars: ids survive every move, and deltas do not report everything. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import { berlin, draftOf, occurrences, rule } from '../../contract/mirrored-writes.ts';
import { sync, titles } from '../../servers/mirror.ts';
import { ADA } from './microsoft-harness.ts';
import { openMicrosoftWriting, writesOf } from './microsoft-writing.ts';

const at = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const meeting = (title: string, day = '2026-11-25') => ({
  title,
  start: at(`${day}T09:00:00`),
  end: at(`${day}T10:00:00`),
});
const daily = (title: string, count: number) => ({
  ...meeting(title),
  recurrence: { frequency: 'daily' as const, count },
});
const GRACE = { email: 'grace@example.com', name: 'Grace' };
const HOUR = 3_600_000;
const QUARTER_OF_AN_HOUR = HOUR / 4;

/** With the habits that make ids answer wherever the event is. */
async function openOutlook(t: TestContext) {
  const work = await openMicrosoftWriting(t);
  work.fault({ kind: 'deleted_items' });
  work.fault({ kind: 'any_calendar' });
  const { manual, calendar, account, mirror } = work;
  const other = await manual.addCalendar(ADA.email, { title: 'Other', timeZone: 'Europe/Berlin' });
  let next: string | undefined;
  return {
    ...work,
    other,
    make: (draft: Parameters<typeof manual.createEvent>[2]) => manual.createEvent(ADA.email, calendar, draft),
    /** From where the last one ended. */
    async follow() {
      const result = await sync(account, calendar, mirror, next);
      next = result.next;
      return result;
    },
  };
}

describe('Membership of events in calendars at Microsoft', () => {
  it('an event that was deleted in Outlook leaves the mirror though its id still answers', async (t) => {
    const work = await openOutlook(t);
    const [single, series] = [await work.make(meeting('Single')), await work.make(daily('Series', 3))];
    await work.manual.changeOccurrence(ADA.email, work.calendar, {
      ...{ id: series, original: at('2026-11-26T09:00:00') },
      title: 'Own',
    });
    await work.make(meeting('Kept'));
    await work.follow();
    for (const id of [single, series]) await work.manual.deleteEvent(ADA.email, work.calendar, id);

    await work.follow();

    assert.deepEqual(titles(work.mirror), ['Kept']);
  });

  it('an event that was moved to another calendar is in that one alone, and comes back whole', async (t) => {
    const work = await openOutlook(t);
    const id = await work.make(daily('Traveller', 3));
    await work.follow();

    await work.manual.moveEvent(ADA.email, work.calendar, { id, to: work.other });
    await work.follow();
    assert.deepEqual(titles(work.mirror), []);
    const there: typeof work.mirror = new Map();
    await sync(work.account, work.other, there);
    assert.deepEqual(titles(there), ['Traveller']);

    await work.manual.moveEvent(ADA.email, work.other, { id, to: work.calendar });
    await work.follow();
    assert.deepEqual(titles(work.mirror), ['Traveller']);
    await work.mirrored();
  });

  it('a deletion that no delta reports is known a quarter of an hour later', async (t) => {
    const work = await openOutlook(t);
    work.fault({ kind: 'deletions_untold' });
    const id = await work.make(meeting('Ghost'));
    await work.make(meeting('Kept'));
    await work.follow();
    await work.manual.deleteEvent(ADA.email, work.calendar, id);
    await work.follow();

    work.clock.turn(QUARTER_OF_AN_HOUR);
    await work.follow();

    assert.deepEqual(titles(work.mirror), ['Kept']);
  });

  it('an event that one listing passes over is looked for in another before it goes', async (t) => {
    const work = await openOutlook(t);
    await work.make(meeting('First'));
    await work.make(meeting('Second'));
    await work.follow();
    work.clock.turn(QUARTER_OF_AN_HOUR);
    // The listing to come is cut short, and the one after it is whole.
    work.fault({ kind: 'passed_over' }, 'events.list', 1);

    const { removed } = await work.follow();

    assert.deepEqual([removed, titles(work.mirror)], [[], ['First', 'Second']]);
  });

  it('an event that is too far away for any delta and that a whole listing passes over does not go', async (t) => {
    const work = await openOutlook(t);
    await work.make(meeting('Far', '2031-01-08'));
    await work.make(meeting('Near'));
    await work.follow();
    work.clock.turn(31 * 24 * HOUR);
    work.fault({ kind: 'passed_over' }, 'events.list', 1);

    const { removed } = await work.follow();

    assert.deepEqual([removed, titles(work.mirror)], [[], ['Far', 'Near']]);
  });

  it('an event that is deleted while its calendar is filled is not in it', async (t) => {
    const work = await openOutlook(t);
    const id = await work.make(meeting('Ghost'));
    await work.make(meeting('Kept'));
    const parts = work.account.changesSince(work.calendar, undefined, async () => new Map());
    const filled: string[] = [];
    let isFirst = true;
    for await (const { changed } of parts) {
      // The delta has named it; the listing comes after.
      if (isFirst) await work.manual.deleteEvent(ADA.email, work.calendar, id);
      isFirst = false;
      filled.push(...changed.flatMap(({ events }) => events.map(({ title }) => title)));
    }

    assert.deepEqual(filled, ['Kept']);
  });

  it('an event in Deleted Items is neither read, changed nor deleted by its id', async (t) => {
    const work = await openOutlook(t);
    const id = await work.make(meeting('Gone'));
    const series = await work.make(daily('Gone series', 3));
    await work.follow();
    await work.update(series, { title: 'Own' }, berlin('2026-11-26T09:00:00'));
    for (const each of [id, series]) await work.manual.deleteEvent(ADA.email, work.calendar, each);
    const writes = writesOf(work.sandbox);

    assert.equal(await work.writing.read(work.calendar, id), undefined);
    await assert.rejects(work.update(id, { title: 'Haunted' }), { kind: 'not_found' });
    await assert.rejects(work.update(series, { title: 'Haunted' }, berlin('2026-11-26T09:00:00')), {
      kind: 'not_found',
    });
    await work.remove(id);

    assert.equal(writesOf(work.sandbox), writes);
    assert.ok(!work.mirror.has(id));
  });

  it('an invitation that was declined leaves the mirror though its id still answers', async (t) => {
    const work = await openOutlook(t);
    const invitation = { ...meeting('Declined'), attendees: [{ email: ADA.email }], organizer: GRACE };
    const href = await work.manual.invite(ADA.email, work.calendar, invitation);
    await work.follow();

    await work.respond(href, 'declined');

    assert.deepEqual(titles(work.mirror), []);
    await work.mirrored();
  });

  it('an invitation that was declined stays, as free, where the user has Outlook save it', async (t) => {
    const work = await openOutlook(t);
    work.fault({ kind: 'declined_kept' });
    work.fault({ kind: 'no_own_answer' });
    const invitation = { ...daily('Declined', 2), attendees: [{ email: ADA.email }], organizer: GRACE };
    const href = await work.manual.invite(ADA.email, work.calendar, invitation);
    await work.follow();

    await work.respond(href, 'declined');

    const { response, availability, attendees } = work.event(href);
    assert.deepEqual(
      [response, availability, attendees.map(({ status }) => status)],
      ['declined', 'free', ['accepted', 'declined']],
    );
    await work.mirrored();
  });

  it('the exceptions of a long series are read to the last page', async (t) => {
    const work = await openOutlook(t);
    work.fault({ kind: 'paged_exceptions' });
    const series = await work.make(daily('Series', 7));
    for (let day = 25; day < 30; day += 1)
      await work.manual.changeOccurrence(ADA.email, work.calendar, {
        ...{ id: series, original: at(`2026-11-${day}T09:00:00`) },
        title: `Own ${day}`,
      });

    await work.follow();

    assert.deepEqual(
      occurrences(work.mirror, series).map(({ title }) => title),
      ['Own 25', 'Own 26', 'Own 27', 'Own 28', 'Own 29', 'Series', 'Series'],
    );
    await work.update(series, { start: berlin('2026-11-25T11:00:00'), end: berlin('2026-11-25T12:00:00') });
    assert.equal(occurrences(work.mirror, series).filter(({ title }) => title !== 'Series').length, 5);
  });
});

describe('The user’s response at Microsoft', () => {
  it('a guest’s own answer is read where the list of guests has none', async (t) => {
    const work = await openMicrosoftWriting(t);
    work.fault({ kind: 'no_own_answer' });
    const attendees = [{ email: ADA.email }, { email: 'alan@example.com' }];
    const invitation = { ...daily('Review', 3), attendees, organizer: GRACE };
    const href = await work.manual.invite(ADA.email, work.calendar, invitation);
    await work.sync();
    assert.equal(work.event(href).response, 'none');

    await work.respond(href, 'accepted');
    await work.respond(href, 'tentative', undefined, berlin('2026-11-26T09:00:00'));

    const answers = [...work.mirror.values()].map(({ events: [event] }) => [
      event?.response,
      ...(event?.attendees ?? []).map(({ status }) => status),
    ]);
    assert.deepEqual(answers, [
      ['accepted', 'accepted', 'accepted', 'none'],
      ['tentative', 'accepted', 'tentative', 'none'],
    ]);
    await work.mirrored();
  });

  it('a grant for free-busy alone knows what was answered', async (t) => {
    const work = await openMicrosoftWriting(t);
    const invitation = { ...meeting('Review'), attendees: [{ email: ADA.email }], organizer: GRACE };
    const href = await work.manual.invite(ADA.email, work.calendar, invitation);
    await work.sync();
    await work.respond(href, 'accepted');
    const basic = work.open(await work.signIn('free-busy'));
    const mirror: typeof work.mirror = new Map();

    await sync(basic, work.calendar, mirror);

    const [event] = mirror.get(href)?.events ?? [];
    assert.deepEqual([event?.response, event?.attendees], ['accepted', []]);
  });

  it('a guest invited at another address has answered as well, and an own event has no answer', async (t) => {
    const work = await openMicrosoftWriting(t);
    await work.manual.addAlias(ADA.email, 'countess@contoso.test');
    work.fault({ kind: 'no_own_answer' });
    const invitation = {
      ...meeting('Review'),
      attendees: [{ email: 'countess@contoso.test' }],
      organizer: GRACE,
    };
    const href = await work.manual.invite(ADA.email, work.calendar, invitation);
    const own = await work.create(
      draftOf({
        title: 'Own',
        start: berlin('2026-11-16T09:00:00'),
        end: berlin('2026-11-16T10:00:00'),
        recurrence: rule('FREQ=DAILY;COUNT=2'),
      }),
    );
    await work.sync();

    await work.respond(href, 'accepted');

    assert.deepEqual([work.event(href).response, work.event(own).response], ['accepted', undefined]);
    await work.mirrored();
  });
});
