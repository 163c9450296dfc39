/** The contents of the calendars of the sandbox's people: dates are counted from the Monday of the current week. */
import type { CalendarPlan, EventPlan, Week } from './calendar-plan.ts';

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';
const TOKYO = 'Asia/Tokyo';

const NEXT = 7;
const FORTNIGHT = 14;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR'] as const;

const team = [
  { email: 'theo@northwind.example', name: 'Theo Okafor' },
  { email: 'aiko.tanaka@northwind.example', name: 'Aiko Tanaka' },
];

const between =
  ({ at }: Week, zone: string) =>
  (day: number, from: string, to: string) => ({
    start: at(day, from, zone),
    end: at(day, to, zone),
  });

function jobEvents(week: Week): EventPlan[] {
  const { at, day } = week;
  const time = between(week, BERLIN);
  const overseas = between(week, NEW_YORK);
  return [
    {
      ...time(-7, '09:30', '09:45'),
      title: 'Stand-up',
      conference: 'https://meet.example/northwind-standup',
      attendees: team,
      recurrence: { frequency: 'weekly', weekdays: WEEKDAYS, until: day(8 * NEXT).date },
      exceptions: [
        // The whole team is away that Thursday; the Monday after it begins late.
        { originalStart: at(NEXT + 3, '09:30', BERLIN) },
        { originalStart: at(FORTNIGHT, '09:30', BERLIN), change: time(FORTNIGHT, '11:00', '11:15') },
      ],
    },
    {
      ...overseas(-6, '10:00', '11:00'),
      title: 'Product review with New York',
      location: 'Room Elbe, and by video',
      description: 'Demo first, numbers second. Notes are in the wiki.',
      attendees: team,
      recurrence: { frequency: 'weekly', interval: 2, weekdays: ['TU'], count: 8 },
      exceptions: [
        {
          originalStart: at(8, '10:00', NEW_YORK),
          change: { title: 'Product review: the year in numbers', ...overseas(9, '13:00', '14:30') },
        },
      ],
    },
    {
      ...between(week, TOKYO)(3, '17:00', '17:45'),
      title: 'Hand-over with Tokyo',
      attendees: team,
      recurrence: { frequency: 'weekly', weekdays: ['TH'], count: 6 },
    },
    { ...time(1, '14:00', '15:30'), title: 'Interview: backend engineer', privacy: 'private' },
    { ...time(NEXT + 4, '12:00', '13:00'), title: 'Lunch with Aiko', location: 'Kantine am Hafen' },
    { ...time(NEXT + 2, '10:00', '12:00'), title: 'Budget for next year', attendees: team },
    { title: 'Office closed', start: day(FORTNIGHT + 4), end: day(FORTNIGHT + 5), availability: 'free' },
  ];
}

function freelanceEvents(week: Week): EventPlan[] {
  const { at, day } = week;
  const time = between(week, BERLIN);
  return [
    {
      ...time(-5, '16:00', '17:00'),
      title: 'Client call: Brightside Studio',
      description: 'Logo, second round.',
      recurrence: { frequency: 'weekly', weekdays: ['WE'], count: 8 },
      exceptions: [
        { originalStart: at(2, '16:00', BERLIN), change: time(3, '08:30', '09:30') },
        { originalStart: at(NEXT + 2, '16:00', BERLIN) },
      ],
    },
    { ...time(0, '19:00', '20:30'), title: 'Pottery class', location: 'Werkstatt Nord' },
    { ...time(5, '22:00', '23:30'), title: 'Telescope night' },
    { title: 'Invoice day', start: day(NEXT + 4), end: day(NEXT + 5), availability: 'free' },
    { ...time(NEXT + 1, '11:00', '11:30'), title: 'Dentist', location: 'Dr. Weber', privacy: 'private' },
  ];
}

function familyEvents(week: Week): EventPlan[] {
  const { at, day } = week;
  const time = between(week, BERLIN);
  return [
    {
      ...time(-4, '17:00', '18:00'),
      title: 'Swimming lesson, Ida',
      location: 'Hallenbad West',
      recurrence: { frequency: 'weekly', weekdays: ['TH'], until: day(7 * NEXT).date },
      exceptions: [
        {
          originalStart: at(3, '17:00', BERLIN),
          change: { title: 'Swimming badge, Ida', ...time(3, '16:00', '18:00') },
        },
        { originalStart: at(NEXT + 3, '17:00', BERLIN) },
      ],
    },
    {
      title: 'Grandma Elsa’s birthday',
      start: day(5),
      end: day(6),
      availability: 'free',
      recurrence: { frequency: 'yearly' },
    },
    { ...time(6, '12:30', '15:00'), title: 'Sunday lunch at Elsa’s', location: 'Lindenallee 4' },
    {
      ...time(1, '07:15', '07:30'),
      title: 'Put the bins out',
      availability: 'free',
      recurrence: { frequency: 'weekly', interval: 2, weekdays: ['TU'] },
    },
    { title: 'School holidays', start: day(3 * NEXT), end: day(5 * NEXT), availability: 'free' },
  ];
}

function travelEvents(week: Week): EventPlan[] {
  const { at, day } = week;
  return [
    {
      title: 'Lisbon 🇵🇹',
      description: 'Flat in Alfama; keys from the neighbour.',
      start: day(NEXT + 4),
      end: day(FORTNIGHT + 1),
    },
    {
      title: 'Flight to Lisbon',
      location: 'BER, gate A12',
      start: at(NEXT + 4, '07:05', BERLIN),
      end: at(NEXT + 4, '09:50', 'Europe/Lisbon'),
    },
    {
      title: 'Flight home',
      start: at(FORTNIGHT, '18:40', 'Europe/Lisbon'),
      end: at(FORTNIGHT, '23:10', BERLIN),
    },
  ];
}

function choirEvents(week: Week): EventPlan[] {
  const { at, day } = week;
  const time = between(week, BERLIN);
  return [
    {
      ...time(-6, '19:30', '21:30'),
      title: 'Choir practice',
      location: 'St. Nikolai, hall',
      recurrence: { frequency: 'weekly', weekdays: ['TU'], count: 10 },
      exceptions: [
        { originalStart: at(1, '19:30', BERLIN), change: time(2, '19:30', '21:30') },
        { originalStart: at(FORTNIGHT + 1, '19:30', BERLIN) },
      ],
    },
    { ...time(NEXT + 5, '10:00', '17:00'), title: 'Rehearsal day', location: 'St. Nikolai' },
    { ...time(FORTNIGHT + 6, '18:00', '20:00'), title: 'Concert', description: 'Black, no sequins.' },
    {
      title: 'Ticket office opens',
      start: day(4),
      end: day(5),
      availability: 'free',
      recurrence: { frequency: 'monthly', count: 3 },
    },
  ];
}

function holidayEvents({ day }: Week): EventPlan[] {
  return [
    { title: 'Market in the old town', start: day(5), end: day(7), availability: 'free' },
    { title: 'Long night of museums', start: day(NEXT + 5), end: day(NEXT + 6), availability: 'free' },
  ];
}

function writingEvents(week: Week): EventPlan[] {
  const time = between(week, NEW_YORK);
  return [
    {
      ...time(-7, '06:30', '08:00'),
      title: 'Writing',
      privacy: 'private',
      recurrence: { frequency: 'daily', count: 40 },
      exceptions: [
        { originalStart: week.at(5, '06:30', NEW_YORK) },
        { originalStart: week.at(6, '06:30', NEW_YORK), change: time(6, '09:00', '10:00') },
      ],
    },
    {
      ...time(2, '12:00', '13:00'),
      title: 'Agent: chapter nine',
      conference: 'https://meet.example/chapter-9',
    },
  ];
}

/** The calendars; the same one may exist at several providers. */
export const CALENDARS = {
  job: { title: 'Northwind', color: '#0f6cbd', timeZone: BERLIN, events: jobEvents },
  freelance: { title: 'Freelance', color: '#0b8043', timeZone: BERLIN, events: freelanceEvents },
  family: { title: 'Family', color: '#ff9500', timeZone: BERLIN, events: familyEvents },
  travel: { title: 'Travel', color: '#af52de', timeZone: BERLIN, events: travelEvents },
  choir: { title: 'Choir', color: '#c2185b', timeZone: BERLIN, events: choirEvents },
  holidays: {
    title: 'Around town',
    color: '#5f6368',
    timeZone: BERLIN,
    readOnly: true,
    events: holidayEvents,
  },
  writing: { title: 'Writing', color: '#8e24aa', timeZone: NEW_YORK, events: writingEvents },
} as const satisfies Record<string, CalendarPlan>;
