/** Writes that Microsoft or Outlook does not support are refused before anything is sent: no one gets an email. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import type { EventChange, LaterHalf } from '../../../src/calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../../src/calendars/provider-error.ts';
import { berlin, day, draftOf, rule } from '../../contract/mirrored-writes.ts';
import { ADA } from './microsoft-harness.ts';
import { openMicrosoftWriting, writesOf } from './microsoft-writing.ts';

const at = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const GRACE = { email: 'grace@example.com', name: 'Grace Hopper' };
const MEETING = draftOf({
  title: 'Meeting',
  start: berlin('2026-11-16T09:00:00'),
  end: berlin('2026-11-16T10:00:00'),
  attendees: [{ ...GRACE, status: 'none' }],
});
const DAILY = rule('FREQ=DAILY;COUNT=5');
const SECOND = berlin('2026-11-17T09:00:00');
const CUSTOM_ZONE = { tzid: 'Acme', observances: [] };

/** Changes that are refused for new and for existing events. */
const FIELDS: Readonly<Record<string, EventChange>> = {
  'a colour': { color: '#ff0000' },
  'a cancellation by status': { status: 'cancelled' },
  'tentative and free at once': { status: 'tentative', availability: 'free' },
  'custom fields that are too long': { custom: { text: 'x'.repeat(32_001) } },
  'another organizer': { attendees: [{ ...GRACE, status: 'none', organizer: true }] },
  'a floating time': { start: { type: 'floating', local: '2026-11-16T09:00:00' } },
  'a zone of its own': { start: { type: 'zoned', local: '2026-11-16T09:00:00', zone: CUSTOM_ZONE } },
  'a date and a time': { end: day('2026-11-17') },
};

const RULES: readonly string[] = [
  'FREQ=HOURLY;COUNT=3',
  'FREQ=DAILY;BYMONTH=11;COUNT=3',
  'FREQ=WEEKLY;BYDAY=SU;COUNT=3',
  'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9,15;COUNT=3',
  'FREQ=MONTHLY;BYMONTHDAY=1,16;COUNT=3',
  'FREQ=MONTHLY;BYDAY=3MO,4MO;COUNT=3',
  'FREQ=YEARLY;BYWEEKNO=47;COUNT=3',
  'FREQ=YEARLY;BYYEARDAY=320;COUNT=3',
  'FREQ=DAILY;INTERVAL=1000;COUNT=3',
  'FREQ=DAILY;COUNT=1000',
];

const later = (change: EventChange): LaterHalf => ({
  key: 'ab'.repeat(16),
  at: SECOND,
  change: {
    start: berlin('2026-11-17T09:00:00'),
    end: berlin('2026-11-17T10:00:00'),
    recurrence: rule('FREQ=DAILY;COUNT=4'),
    // A change never takes away the times of an event.
    ...(change as Partial<LaterHalf['change']>),
  },
  exceptions: [],
  cancelled: [],
});

async function openRefusing(t: TestContext) {
  const work = await openMicrosoftWriting(t);
  const { manual, calendar } = work;
  const invitation = {
    title: 'Theirs',
    start: at('2026-11-16T09:00:00'),
    end: at('2026-11-16T10:00:00'),
    recurrence: { frequency: 'daily' as const, count: 5 },
    attendees: [{ email: ADA.email }],
    organizer: GRACE,
  };
  const theirs = await manual.invite(ADA.email, calendar, invitation);
  const single = await work.create(MEETING);
  const series = await work.create({ ...MEETING, recurrence: DAILY });
  const online = await work.create({ ...MEETING, autoConference: true });
  await work.sync();
  const { copyLater } = work.writing;
  assert.ok(copyLater);
  return {
    ...work,
    ...{ theirs, single, series, online },
    copy: (href: string, change: EventChange) => copyLater(calendar, work.target(href), later(change)),
  };
}

type Work = Awaited<ReturnType<typeof openRefusing>>;
type Refused = (work: Work) => Promise<unknown>;

const ofFields = Object.entries(FIELDS).flatMap(([name, change]): [string, Refused][] => [
  // A field that a draft omits is that of MEETING.
  [`${name}, created`, (work) => work.create({ ...MEETING, ...(change as Partial<typeof MEETING>) })],
  [`${name}, written to an event`, (work) => work.update(work.single, change)],
  [`${name}, written to a series`, (work) => work.update(work.series, change)],
  [`${name}, from one instance on`, (work) => work.copy(work.series, change)],
  ...(name === 'custom fields that are too long'
    ? []
    : ([[`${name}, written to an occurrence`, (work) => work.update(work.series, change, SECOND)]] as [
        string,
        Refused,
      ][])),
]);

const ofRules = RULES.flatMap((text): [string, Refused][] => [
  [`${text}, created`, (work) => work.create({ ...MEETING, recurrence: rule(text) })],
  [`${text}, written`, (work) => work.update(work.series, { recurrence: rule(text) })],
  [`${text}, from one instance on`, (work) => work.copy(work.series, { recurrence: rule(text) })],
]);

const OTHERS: readonly [string, Refused][] = [
  ['a rule of one occurrence', (work) => work.update(work.series, { recurrence: DAILY }, SECOND)],
  ['custom fields of one occurrence', (work) => work.update(work.series, { custom: { a: 1 } }, SECOND)],
  [
    'a conference of one occurrence',
    (work) => work.update(work.series, { conference: 'https://a.example' }, SECOND),
  ],
  ['an online meeting taken away', (work) => work.update(work.online, { conference: null })],
  ['an answer to an event of one’s own', (work) => work.respond(work.single, 'accepted')],
  [
    'an answer to an occurrence of one’s own',
    (work) => work.respond(work.series, 'accepted', undefined, SECOND),
  ],
  ['a guest’s split', (work) => work.copy(work.theirs, {})],
  ...['title', 'description', 'location'].map((field): [string, Refused] => [
    `a guest’s ${field}`,
    (work) => work.update(work.theirs, { [field]: 'Mine' }),
  ]),
  ['a guest’s time', (work) => work.update(work.theirs, { end: berlin('2026-11-16T12:00:00') })],
  ['a guest’s time of one occurrence', (work) => work.update(work.theirs, { title: 'Mine' }, SECOND)],
  ['a guest’s list of guests', (work) => work.update(work.theirs, { attendees: [] })],
  [
    'a guest’s end of a series',
    (work) => work.update(work.theirs, { recurrence: rule('FREQ=DAILY;COUNT=2') }),
  ],
  ['a guest’s online meeting', (work) => work.update(work.theirs, { autoConference: true })],
  [
    'a calendar’s description',
    (work) => work.account.calendarWriting.change(work.calendar, { description: 'x' }),
  ],
  [
    'a calendar’s zone',
    (work) =>
      work.account.calendarWriting.create(
        { title: 'x', timeZone: 'UTC', description: undefined, color: undefined },
        'ab'.repeat(16),
      ),
  ],
  ['a calendar’s colour', (work) => work.account.calendarWriting.change(work.calendar, { color: '#123456' })],
];

describe('Refused writes at Microsoft', () => {
  it('what is refused at Microsoft has sent nothing to anybody', async (t) => {
    const work = await openRefusing(t);
    const writes = writesOf(work.sandbox);

    for (const [name, write] of [...ofFields, ...ofRules, ...OTHERS]) {
      const failure = await write(work).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.ok(failure instanceof UnsupportedByProvider, `${name}: ${failure}`);
      assert.equal(writesOf(work.sandbox), writes, name);
    }
  });

  it('an online meeting where the calendar allows none is refused before anything is sent', async (t) => {
    const work = await openRefusing(t);
    await work.manual.forbidMeetings(ADA.email);
    const online = await work.graph('GET', work.online);
    assert.equal(online.isOnlineMeeting, true);
    const writes = writesOf(work.sandbox);
    const reason = { reason: 'conference_not_supported_by_calendar' };

    await assert.rejects(work.create({ ...MEETING, autoConference: true }), reason);
    await assert.rejects(work.update(work.single, { autoConference: true }), reason);
    await assert.rejects(work.copy(work.series, { autoConference: true }), reason);

    assert.equal(writesOf(work.sandbox), writes);
  });

  it('what Exchange refuses itself has changed nothing', async (t) => {
    const work = await openRefusing(t);
    const before = JSON.stringify([...work.mirror]);
    const past = { start: berlin('2026-11-19T09:00:00'), end: berlin('2026-11-19T10:00:00') };

    await assert.rejects(work.update(work.series, past, SECOND), {
      reason: 'mode_not_supported_by_provider',
    });
    await assert.rejects(work.update(work.single, { end: berlin('2032-11-16T10:00:00') }), {
      reason: 'field_not_supported_by_provider',
    });
    await assert.rejects(work.copy(work.series, { end: berlin('2026-11-19T10:00:00') }), {
      reason: 'recurrence_not_supported_by_provider',
    });

    await work.sync();
    assert.equal(JSON.stringify([...work.mirror]), before);
  });
});
