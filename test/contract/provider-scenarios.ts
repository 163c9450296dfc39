/**
 * Scenarios: changes that people make at their providers and what an application then reads. The result is the same at
 * all providers, except for DIFFERENCES and a scenario's own `differs`.
 */
import type { EventDraft } from '../../sandbox/core/provider-sandbox.ts';
import {
  at,
  dayInstances,
  days,
  from,
  instances,
  type Scenario,
  timed,
  wholeDays,
  windowOf,
} from './provider-scenario.ts';

const PARIS = 'Europe/Paris';
const weeklyInParis: EventDraft = {
  title: 'Stand-up',
  ...from('2026-10-12', '09:00', '09:30', PARIS),
  recurrence: { frequency: 'weekly', count: 5 },
};
const LONG = 'Ein längerer Text; mit Semikolon, Komma und \\ Rückstrich. '.repeat(40).trim();

export const SCENARIOS: readonly Scenario[] = [
  {
    rule: 'a timed event is shown at its instant, whatever zone it was made in',
    async *play({ create }) {
      await create({ title: 'Paris', ...from('2026-11-16', '09:00', '10:00', PARIS) });
      await create({ title: 'New York', ...from('2026-11-16', '09:00', '10:30', 'America/New_York') });
      await create({ title: 'Kolkata', ...from('2026-11-16', '09:00', '09:15', 'Asia/Kolkata') });
      await create({ title: 'Kathmandu', ...from('2026-11-17', '09:00', '10:00', 'Asia/Kathmandu') });
      await create({ title: 'UTC', ...from('2026-11-18', '23:30', '23:59', 'UTC') });
      await create({
        title: 'A flight',
        start: at('2026-11-20 22:00', PARIS),
        end: at('2026-11-21 06:00', 'America/New_York'),
      });
      yield [
        timed('Kolkata', '2026-11-16 03:30', '2026-11-16 03:45'),
        timed('Paris', '2026-11-16 08:00', '2026-11-16 09:00'),
        timed('New York', '2026-11-16 14:00', '2026-11-16 15:30'),
        timed('Kathmandu', '2026-11-17 03:15', '2026-11-17 04:15'),
        timed('UTC', '2026-11-18 23:30', '2026-11-18 23:59'),
        timed('A flight', '2026-11-20 21:00', '2026-11-21 11:00'),
      ];
    },
  },
  {
    rule: 'all-day events are shown from midnight UTC, their end exclusive, also over a change of the clocks',
    async *play({ create }) {
      await create({ title: 'Holiday', ...days('2026-11-15', '2026-11-16') });
      await create({ title: 'Trip', ...days('2026-10-24', '2026-10-27') });
      yield [wholeDays('Trip', '2026-10-24', '2026-10-27'), wholeDays('Holiday', '2026-11-15', '2026-11-16')];
    },
  },
  {
    rule: 'a weekly series is shown with a moved and a deleted occurrence over a change of the clocks',
    async *play({ create, changeOccurrence, deleteOccurrence, remove }) {
      const id = await create(weeklyInParis);
      yield instances(
        'Stand-up',
        30,
        ...['2026-10-12 07:00', '2026-10-19 07:00', '2026-10-26 08:00', '2026-11-02 08:00'],
        '2026-11-09 08:00',
      );
      await changeOccurrence(id, at('2026-10-26 09:00', PARIS), {
        title: 'Stand-up, moved',
        ...from('2026-10-27', '11:00', '12:00', PARIS),
      });
      await deleteOccurrence(id, at('2026-10-19 09:00', PARIS));
      const moved = instances('Stand-up, moved', 60, '2026-10-27 10:00');
      const [first, ...rest] = instances(
        'Stand-up',
        30,
        '2026-10-12 07:00',
        '2026-11-02 08:00',
        '2026-11-09 08:00',
      );
      yield [...(first ? [first] : []), ...moved, ...rest];
      await remove(id);
      yield [];
    },
  },
  {
    rule: 'an occurrence that was first moved, then deleted, is shown no more',
    async *play({ create, changeOccurrence, deleteOccurrence }) {
      const id = await create({ ...weeklyInParis, recurrence: { frequency: 'weekly', count: 2 } });
      const second = at('2026-10-19 09:00', PARIS);
      await changeOccurrence(id, second, from('2026-10-20', '15:00', '16:00', PARIS));
      yield [
        ...instances('Stand-up', 30, '2026-10-12 07:00'),
        ...instances('Stand-up', 60, '2026-10-20 13:00'),
      ];
      await deleteOccurrence(id, second);
      yield instances('Stand-up', 30, '2026-10-12 07:00');
    },
  },
  {
    rule: 'a series whose rule and times changed is shown, and one that became a single event',
    async *play({ create, update, remove }) {
      const id = await create(weeklyInParis);
      yield instances(
        'Stand-up',
        30,
        ...['2026-10-12 07:00', '2026-10-19 07:00', '2026-10-26 08:00', '2026-11-02 08:00'],
        '2026-11-09 08:00',
      );
      await update(id, {
        title: 'Every other day',
        ...from('2026-12-01', '18:00', '19:00', 'America/New_York'),
        recurrence: { frequency: 'daily', interval: 2, count: 3 },
      });
      yield instances('Every other day', 60, '2026-12-01 23:00', '2026-12-03 23:00', '2026-12-05 23:00');
      await update(id, { title: 'Once', ...from('2026-12-01', '18:00', '19:00', 'America/New_York') });
      yield [timed('Once', '2026-12-01 23:00', '2026-12-02 00:00')];
      await remove(id);
      yield [];
    },
  },
  {
    rule: 'a moved occurrence is shown where it is, after the text of its series changed',
    async *play({ create, update, changeOccurrence, deleteOccurrence }) {
      const three = { ...weeklyInParis, recurrence: { frequency: 'weekly', count: 3 } } as const;
      const id = await create(three);
      await changeOccurrence(id, at('2026-10-19 09:00', PARIS), {
        title: 'Moved',
        ...from('2026-10-20', '15:00', '16:00', PARIS),
      });
      await deleteOccurrence(id, at('2026-10-26 09:00', PARIS));
      await update(id, { ...three, title: 'Renamed' });
      yield [...instances('Renamed', 30, '2026-10-12 07:00'), ...instances('Moved', 60, '2026-10-20 13:00')];
    },
  },
  {
    rule: 'a series whose rule changed is shown with the exceptions that its provider keeps',
    differs: {
      of: ['google'],
      because: 'Google keeps the exceptions that still fit; the others drop them all',
    },
    async *play({ create, update, changeOccurrence, differs }) {
      const id = await create(weeklyInParis);
      const moved = { title: 'Moved', ...from('2026-10-27', '15:00', '16:00', PARIS) };
      await changeOccurrence(id, at('2026-10-26 09:00', PARIS), moved);
      await update(id, { ...weeklyInParis, recurrence: { frequency: 'weekly', interval: 2, count: 3 } });
      yield [
        ...instances('Stand-up', 30, '2026-10-12 07:00'),
        ...(differs
          ? instances('Moved', 60, '2026-10-27 14:00')
          : instances('Stand-up', 30, '2026-10-26 08:00')),
        ...instances('Stand-up', 30, '2026-11-09 08:00'),
      ];
    },
  },
  {
    rule: 'a series is shown up to its last day, that day included',
    async *play({ create }) {
      await create({
        title: 'Twice a week',
        ...from('2026-11-02', '20:00', '21:00', 'America/Los_Angeles'),
        recurrence: { frequency: 'weekly', weekdays: ['MO', 'TH'], until: '2026-11-12' },
      });
      await create({
        title: 'Watering',
        ...days('2026-11-03', '2026-11-04'),
        recurrence: { frequency: 'daily', interval: 3, until: '2026-11-09' },
      });
      yield [
        ...dayInstances('Watering', '2026-11-03'),
        ...instances('Twice a week', 60, '2026-11-03 04:00'),
        ...dayInstances('Watering', '2026-11-06'),
        ...instances('Twice a week', 60, '2026-11-06 04:00'),
        ...dayInstances('Watering', '2026-11-09'),
        ...instances('Twice a week', 60, '2026-11-10 04:00', '2026-11-13 04:00'),
      ];
    },
  },
  {
    rule: 'monthly and yearly series are shown',
    window: windowOf('2026-09-01', '2028-09-01'),
    async *play({ create }) {
      await create({
        title: 'Rent',
        ...from('2027-01-15', '08:00', '08:30', PARIS),
        recurrence: { frequency: 'monthly', interval: 2, count: 4 },
      });
      await create({
        title: 'Anniversary',
        ...days('2026-12-24', '2026-12-25'),
        recurrence: { frequency: 'yearly', count: 2 },
      });
      yield [
        ...dayInstances('Anniversary', '2026-12-24'),
        ...instances(
          'Rent',
          30,
          '2027-01-15 07:00',
          '2027-03-15 07:00',
          '2027-05-15 06:00',
          '2027-07-15 06:00',
        ),
        ...dayInstances('Anniversary', '2027-12-24'),
      ];
    },
  },
  {
    rule: 'a series without an end is shown as far as the window reaches',
    window: windowOf('2027-06-01', '2027-06-15'),
    async *play({ create }) {
      await create({ ...weeklyInParis, title: 'For ever', recurrence: { frequency: 'weekly' } });
      yield instances('For ever', 30, '2027-06-07 07:00', '2027-06-14 07:00');
    },
  },
  {
    rule: 'text is shown as it was written: long, over lines, with emoji, beyond the basic plane',
    async *play({ create, update }) {
      const times = from('2026-11-16', '09:00', '10:00', PARIS);
      const title = 'Fête 🎉 von Zoë & Jürgen <b>„名古屋“ 𝔘𝔫𝔦</b>; "quoted"';
      const id = await create({
        title,
        description: LONG,
        location: 'Öffi-Café, 2. Stock; links 🚪',
        ...times,
      });
      const read = ['2026-11-16 08:00', '2026-11-16 09:00'] as const;
      yield [timed(title, ...read, { description: LONG, location: 'Öffi-Café, 2. Stock; links 🚪' })];
      await update(id, { title: '👩‍👩‍👧‍👦', description: 'One\nTwo\n\nThree 𝒳', ...times });
      yield [timed('👩‍👩‍👧‍👦', ...read, { description: 'One\nTwo\n\nThree 𝒳' })];
      await update(id, { title: '', ...times });
      yield [timed('', ...read)];
    },
  },
  {
    rule: 'a backslash is shown as one, whatever letter follows',
    needs: 'backslashes before an n',
    async *play({ create }) {
      const title = String.raw`C:\new\table, \\server; \N`;
      await create({ title, ...from('2026-11-16', '09:00', '10:00', PARIS) });
      yield [timed(title, '2026-11-16 08:00', '2026-11-16 09:00')];
    },
  },
  {
    rule: 'the guests are shown',
    async *play({ create }) {
      await create({
        title: 'Review',
        ...from('2026-11-16', '09:00', '10:00', PARIS),
        attendees: [{ email: 'bob@example.com', name: 'Bob "B" Bemer' }, { email: 'eve@example.com' }],
      });
      const attendees = [
        { email: 'bob@example.com', name: 'Bob "B" Bemer', status: 'none' },
        { email: 'eve@example.com', status: 'none' },
      ];
      yield [timed('Review', '2026-11-16 08:00', '2026-11-16 09:00', { attendees })];
    },
  },
  {
    rule: 'an event shows what keeps free, what is private, and where a meeting is held',
    async *play({ create }) {
      const times = from('2026-11-16', '09:00', '10:00', PARIS);
      const read = ['2026-11-16 08:00', '2026-11-16 09:00'] as const;
      await create({ title: 'A free', ...times, availability: 'free' });
      await create({ title: 'B private', ...times, privacy: 'private' });
      await create({ title: 'C online', ...times, conference: 'https://meet.example.com/abc-defg' });
      yield [
        timed('A free', ...read, { availability: 'free' }),
        timed('B private', ...read, { privacy: 'private' }),
        timed('C online', ...read, { conference: 'https://meet.example.com/abc-defg' }),
      ];
    },
  },
  {
    rule: 'an event that was moved out of the window is shown no more, and again when it comes back',
    window: windowOf('2026-11-01', '2026-12-01'),
    async *play({ create, update }) {
      const id = await create({ title: 'Dentist', ...from('2026-11-20', '09:00', '10:00', PARIS) });
      const read = timed('Dentist', '2026-11-20 08:00', '2026-11-20 09:00');
      yield [read];
      await update(id, { title: 'Dentist', ...from('2027-02-20', '09:00', '10:00', PARIS) });
      yield [];
      await update(id, { title: 'Dentist', ...from('2026-11-20', '09:00', '10:00', PARIS) });
      yield [read];
    },
  },
  {
    rule: 'an occurrence that was moved into the window from far outside is shown',
    window: windowOf('2026-12-20', '2027-01-01'),
    async *play({ create, changeOccurrence }) {
      const id = await create({ ...weeklyInParis, recurrence: { frequency: 'weekly', count: 3 } });
      await changeOccurrence(id, at('2026-10-26 09:00', PARIS), from('2026-12-24', '11:00', '12:00', PARIS));
      yield instances('Stand-up', 60, '2026-12-24 10:00');
    },
  },
  {
    rule: 'a local time that does not exist is shown an hour later, and the first of two that come twice',
    async *play({ create }) {
      await create({
        title: 'Night',
        ...from('2027-03-27', '02:30', '02:45', PARIS),
        recurrence: { frequency: 'daily', count: 3 },
      });
      await create({ title: 'Twice', ...from('2026-10-25', '02:30', '02:45', PARIS) });
      yield [
        timed('Twice', '2026-10-25 00:30', '2026-10-25 00:45'),
        ...instances('Night', 15, '2027-03-27 01:30', '2027-03-28 01:30', '2027-03-29 00:30'),
      ];
    },
  },
  {
    rule: 'an event that was deleted while the sync token was forgotten is not shown',
    needs: 'forgetting sync tokens',
    async *play({ create, remove, forgetSyncTokens, deleteOccurrence }) {
      const gone = await create({ title: 'Gone', ...days('2026-11-16', '2026-11-17') });
      const series = await create({ ...weeklyInParis, recurrence: { frequency: 'weekly', count: 2 } });
      await create({ title: 'Kept', ...days('2026-11-18', '2026-11-19') });
      const remaining = wholeDays('Kept', '2026-11-18', '2026-11-19');
      yield [
        ...instances('Stand-up', 30, '2026-10-12 07:00', '2026-10-19 07:00'),
        wholeDays('Gone', '2026-11-16', '2026-11-17'),
        remaining,
      ];
      await remove(gone);
      await deleteOccurrence(series, at('2026-10-12 09:00', PARIS));
      await forgetSyncTokens();
      yield [...instances('Stand-up', 30, '2026-10-19 07:00'), remaining];
      await remove(series);
      yield [remaining];
    },
  },
];
