/** Series in Outlook: what Exchange makes of exceptions, and what becomes of them all the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { berlin, day, draftOf, occurrences, rule } from '../../contract/mirrored-writes.ts';
import { openMicrosoftWriting, unsupported } from './microsoft-writing.ts';

const WEEKLY = draftOf({
  title: 'Weekly',
  start: berlin('2026-10-12T09:00:00'),
  end: berlin('2026-10-12T10:00:00'),
  recurrence: rule('FREQ=WEEKLY;COUNT=5'),
});
const guest = (email: string) => ({ email, status: 'none' as const });
const SECOND = berlin('2026-10-19T09:00:00');
const THIRD = berlin('2026-10-26T09:00:00');

describe('A series at Microsoft', () => {
  it('a series at Microsoft keeps exceptions and deletions when it moves to another time', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Own words', location: 'Roof' }, SECOND);
    await work.remove(href, THIRD);
    await work.update(
      href,
      { start: berlin('2026-11-03T15:00:00'), end: berlin('2026-11-03T15:30:00') },
      berlin('2026-11-02T09:00:00'),
    );

    await work.update(href, { start: berlin('2026-10-12T11:00:00'), end: berlin('2026-10-12T12:30:00') });

    assert.deepEqual(occurrences(work.mirror, href), [
      { title: 'Weekly', start: '2026-10-12T11:00:00', end: '2026-10-12T12:30:00' },
      { title: 'Own words', start: '2026-10-19T11:00:00', end: '2026-10-19T12:30:00' },
      { title: 'Weekly', start: '2026-11-03T15:00:00', end: '2026-11-03T15:30:00' },
      { title: 'Weekly', start: '2026-11-09T11:00:00', end: '2026-11-09T12:30:00' },
    ]);
    await work.mirrored();
  });

  it('a series at Microsoft keeps exceptions and deletions when only its end changes', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Own words' }, SECOND);
    await work.remove(href, THIRD);

    await work.update(href, { end: berlin('2026-10-12T11:00:00') });

    const kept = occurrences(work.mirror, href).map(({ title, start, end }) => `${title} ${start} ${end}`);
    assert.deepEqual(kept, [
      'Weekly 2026-10-12T09:00:00 2026-10-12T11:00:00',
      'Own words 2026-10-19T09:00:00 2026-10-19T11:00:00',
      'Weekly 2026-11-02T09:00:00 2026-11-02T11:00:00',
      'Weekly 2026-11-09T09:00:00 2026-11-09T11:00:00',
    ]);
    await work.mirrored();
  });

  it('an occurrence keeps what it has of its own when its series moves, guests and all', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create({ ...WEEKLY, description: 'All', attendees: [guest('alan@example.com')] });
    const details = {
      description: 'One',
      location: 'Roof',
      availability: 'free',
      privacy: 'private',
      attendees: [guest('alan@example.com'), guest('grace@example.com')],
    } as const;
    await work.update(href, details, SECOND);
    const exception = () => [...work.mirror.values()].find(({ seriesId }) => seriesId === href)?.events[0];
    const before = exception();

    await work.update(href, {
      title: 'Renamed',
      start: berlin('2026-10-12T08:00:00'),
      end: berlin('2026-10-12T09:00:00'),
    });

    const { start, end, recurrenceId, title, lastModified, link, ...rest } = exception() ?? {};
    const {
      start: _,
      end: _end,
      recurrenceId: _id,
      title: _title,
      lastModified: _at,
      link: _link,
      ...was
    } = before ?? {};
    assert.deepEqual(rest, was);
    assert.deepEqual(
      [title, start, recurrenceId],
      ['Renamed', ...Array(2).fill(berlin('2026-10-19T08:00:00'))],
    );
    assert.ok(end && link && lastModified);
    await work.mirrored();
  });

  it('a moved occurrence is put back in its place where its series moves onto it', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create({
      ...WEEKLY,
      title: 'Daily',
      recurrence: rule('FREQ=WEEKLY;INTERVAL=2;COUNT=3'),
    });
    const moved = {
      title: 'Moved',
      start: berlin('2026-10-31T09:00:00'),
      end: berlin('2026-10-31T10:00:00'),
    };
    await work.update(href, moved, THIRD);

    await work.update(href, { recurrence: rule('FREQ=WEEKLY;BYDAY=MO,WE;COUNT=8') });

    assert.deepEqual(
      occurrences(work.mirror, href)
        .slice(3, 6)
        .map(({ title, start }) => `${title} ${start.slice(0, 10)}`),
      ['Daily 2026-10-21', 'Moved 2026-10-26', 'Daily 2026-10-28'],
    );
    await work.mirrored();
  });

  it('a series at Microsoft keeps exceptions that a new rule still has, and loses those it has not', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Second' }, SECOND);
    await work.update(href, { title: 'Third' }, THIRD);

    await work.update(href, { recurrence: rule('FREQ=WEEKLY;INTERVAL=2;COUNT=3') });

    assert.deepEqual(
      occurrences(work.mirror, href).map(({ title, start }) => `${title} ${start}`),
      ['Weekly 2026-10-12T09:00:00', 'Third 2026-10-26T09:00:00', 'Weekly 2026-11-09T09:00:00'],
    );
    await work.mirrored();
  });

  it('a series at Microsoft keeps what is left of exceptions and deletions when it ends earlier', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Second' }, SECOND);
    await work.remove(href, THIRD);
    await work.update(href, { title: 'Fifth' }, berlin('2026-11-09T09:00:00'));

    await work.update(href, { recurrence: rule('FREQ=WEEKLY;UNTIL=20261108T225959Z') });

    assert.deepEqual(
      occurrences(work.mirror, href).map(({ title, start }) => `${title} ${start}`),
      ['Weekly 2026-10-12T09:00:00', 'Second 2026-10-19T09:00:00', 'Weekly 2026-11-02T09:00:00'],
    );
    await work.mirrored();
  });

  it('a series at Microsoft is created without the days that its rule leaves out, and once only', async (t) => {
    const work = await openMicrosoftWriting(t);
    const draft = { ...WEEKLY, recurrence: { ...rule('FREQ=WEEKLY;COUNT=4'), exdates: [SECOND] } };
    const key = 'ab'.repeat(16);

    const href = await work.create(draft, key);
    const again = await work.create(draft, key);

    assert.equal(again, href);
    assert.deepEqual(
      occurrences(work.mirror, href).map(({ start }) => start.slice(0, 10)),
      ['2026-10-12', '2026-10-26', '2026-11-02'],
    );
    await work.mirrored();
  });

  it('an occurrence may not move past its neighbour, and nothing changes', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    const before = occurrences(work.mirror, href);

    await assert.rejects(
      work.update(href, { start: berlin('2026-10-27T09:00:00'), end: berlin('2026-10-27T10:00:00') }, SECOND),
      unsupported('mode_not_supported_by_provider', 'start'),
    );

    await work.sync();
    assert.deepEqual(occurrences(work.mirror, href), before);
  });

  it('a start that its rule does not name, and a rule Outlook has not, are refused before anything is sent', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    const writes = work.sandbox.requests('events.update');

    for (const change of [
      { recurrence: rule('FREQ=WEEKLY;BYDAY=TU') },
      { recurrence: rule('FREQ=MONTHLY;BYMONTHDAY=1,12') },
    ])
      await assert.rejects(
        work.update(href, change),
        unsupported('recurrence_not_supported_by_provider', 'recurrence'),
      );

    assert.equal(work.sandbox.requests('events.update'), writes);
  });

  it('a series at Microsoft follows its start to another day, with its exceptions', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Second' }, SECOND);
    await work.remove(href, THIRD);

    await work.update(href, { start: berlin('2026-10-13T09:00:00'), end: berlin('2026-10-13T10:00:00') });

    assert.deepEqual(
      occurrences(work.mirror, href).map(({ title, start }) => `${title} ${start.slice(0, 10)}`),
      ['Weekly 2026-10-13', 'Second 2026-10-20', 'Weekly 2026-11-03', 'Weekly 2026-11-10'],
    );
    await work.mirrored();
  });

  it('an occurrence gets no recurrence and no custom values of its own', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create({ ...WEEKLY, custom: { of: 'the series' } });

    await assert.rejects(
      work.update(href, { recurrence: rule('FREQ=DAILY') }, SECOND),
      unsupported('mode_not_supported_by_provider', 'recurrence'),
    );
    await assert.rejects(
      work.update(href, { custom: { of: 'one' } }, SECOND),
      unsupported('field_not_supported_by_provider', 'custom'),
    );
    // A custom value that equals that of the series is no change.
    await work.update(href, { title: 'Own', custom: { of: 'the series' } }, SECOND);

    const exception = [...work.mirror.values()].find(({ seriesId }) => seriesId === href)?.events[0];
    assert.deepEqual([exception?.title, exception?.custom], ['Own', { of: 'the series' }]);
    await work.mirrored();
  });

  it('a series at Microsoft becomes a single event and a series again', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Second' }, SECOND);

    await work.update(href, { recurrence: null });
    assert.deepEqual(
      occurrences(work.mirror, href).map(({ start }) => start),
      ['2026-10-12T09:00:00'],
    );
    await work.mirrored();

    await work.update(href, { recurrence: rule('FREQ=DAILY;COUNT=2') });
    assert.equal(occurrences(work.mirror, href).length, 2);
    await work.mirrored();
  });

  it('a series at Microsoft becomes an all-day one, with its exceptions on their days', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    await work.update(href, { title: 'Second' }, SECOND);
    await work.remove(href, THIRD);

    await work.update(href, { start: day('2026-10-12'), end: day('2026-10-13') });

    assert.deepEqual(
      occurrences(work.mirror, href).map(({ title, start }) => `${title} ${start}`),
      ['Weekly 2026-10-12', 'Second 2026-10-19', 'Weekly 2026-11-02', 'Weekly 2026-11-09'],
    );
    await work.mirrored();
  });

  it('a deleted occurrence is reported as not found, and deleting it again succeeds', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    await work.remove(href, SECOND);

    await assert.rejects(
      work.update(href, { title: 'Nobody' }, SECOND),
      (failure) => failure instanceof ProviderError && failure.kind === 'not_found',
    );
    await work.remove(href, SECOND);

    assert.equal(occurrences(work.mirror, href).length, 4);
    await work.mirrored();
  });

  it('a change of an occurrence that somebody made an exception since is refused', async (t) => {
    const work = await openMicrosoftWriting(t);
    const href = await work.create(WEEKLY);
    const at = { dateTime: '2026-10-19T09:00:00', timeZone: 'Europe/Berlin' };
    await work.manual.changeOccurrence('ada@contoso.test', work.calendar, {
      id: href,
      original: at,
      title: 'Theirs',
    });

    for (const write of [() => work.update(href, { title: 'Ours' }, SECOND), () => work.remove(href, SECOND)])
      await assert.rejects(
        write(),
        (failure) => failure instanceof ProviderError && failure.kind === 'precondition_failed',
      );

    await work.sync();
    assert.equal(occurrences(work.mirror, href)[1]?.title, 'Theirs');
  });

  // Windows has one name for several zones with one clock; what comes back is the first of them.
  const ZONES: Readonly<Record<string, string>> = {
    'America/New_York': 'America/New_York',
    'Australia/Lord_Howe': 'Australia/Lord_Howe',
    UTC: 'UTC',
    'Pacific/Chatham': 'Pacific/Chatham',
    'Europe/Vienna': 'Europe/Berlin',
    'Asia/Kolkata': 'Asia/Calcutta',
    // Windows' name for it has the clock of Mazatlán by now.
    'America/Chihuahua': 'America/Chihuahua',
  };
  it('a series at Microsoft is written in the zone it is meant in, by the name that Windows has for it', async (t) => {
    const work = await openMicrosoftWriting(t);
    for (const [zone, readZone] of Object.entries(ZONES)) {
      const at = (time: string, name: string) => ({
        type: 'zoned' as const,
        local: `2026-10-12T${time}`,
        zone: name,
      });
      const href = await work.create({
        ...WEEKLY,
        title: zone,
        start: at('09:00:00', zone),
        end: at('10:00:00', zone),
      });

      assert.deepEqual(work.event(href).start, at('09:00:00', readZone));
      assert.equal(occurrences(work.mirror, href).length, 5);
    }
    await work.mirrored();
  });
});
