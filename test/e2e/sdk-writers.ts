/**
 * An event's life as each of the published clients writes it (docs/wire.md 1.8, 1.9 and 6): what it sends,
 * and what its caller must find afterwards.
 */
import type { READERS, ReadEvent } from './sdk-reading.ts';

export type Body = Readonly<Record<string, unknown>>;
export type Expected = Partial<ReadEvent>;

export type SdkWriter = {
  readonly name: keyof typeof READERS;
  readonly jsonType: string;
  /** Sends `Content-Type: application/json` with requests that have no body. */
  readonly typedDelete: boolean;
  readonly create: Body;
  readonly created: Expected;
  readonly update: Body;
  readonly updated: Expected;
  /** Query parameters of DELETE besides the event's. */
  readonly deleteExtra?: Readonly<Record<string, string>>;
};

export const JSON_TYPE = 'application/json';
const JSON_UTF8 = 'application/json; charset=utf-8';
export const NINE = { start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };
const TEN = { start: '2026-12-01T10:00:00.000Z', end: '2026-12-01T11:00:00.000Z' };
const LINK = 'https://meet.example/room';

export const WRITERS: readonly SdkWriter[] = [
  {
    name: 'Node',
    jsonType: JSON_TYPE,
    typedDelete: true,
    create: {
      ...NINE,
      title: 'Node ☕',
      description: 'As axios sends it',
      allDay: false,
      attendees: ['ben@example.com'],
      custom: { ticket: 'A-1', nested: { deep: [1, 2] } },
      conference: LINK,
      availability: 'busy',
      privacy: 'private',
      status: 'tentative',
    },
    created: {
      ...NINE,
      title: 'Node ☕',
      allDay: false,
      custom: { ticket: 'A-1', nested: { deep: [1, 2] } },
      conference: LINK,
      availability: 'busy',
      privacy: 'private',
      status: 'tentative',
    },
    update: { ...TEN, title: 'Node 2' },
    updated: { ...TEN, title: 'Node 2', description: 'As axios sends it', conference: LINK },
    // It sends every key of the caller's object.
    deleteExtra: { title: 'Node 2', attendees: '', deleteMode: '', recurringEventId: '', whatever: '7' },
  },
  {
    name: 'Python',
    jsonType: JSON_TYPE,
    typedDelete: true,
    create: {
      start: '2026-12-01T09:00:00Z',
      end: '2026-12-01T10:00:00Z',
      title: 'Python',
      attendees: ['ben@example.com'],
      conferenceData: { provider: 'zoom' },
      conference: { url: LINK, provider: 'zoom', autoGenerate: false },
    },
    created: { ...NINE, title: 'Python', conference: LINK },
    update: { location: 'Room 4' },
    updated: { ...NINE, title: 'Python', location: 'Room 4', conference: LINK },
  },
  {
    name: 'PHP',
    jsonType: JSON_TYPE,
    typedDelete: true,
    create: {
      start: '2026-12-01T09:00:00Z',
      end: '2026-12-01T10:00:00Z',
      title: 'PHP',
      attendees: [{ email: 'ben@example.com', name: 'Ben', status: 'none', organizer: false }],
      recurrence: [],
      custom: [],
      conferenceData: [],
    },
    created: { ...NINE, title: 'PHP' },
    update: { title: 'PHP 2', attendees: [], custom: [], recurrence: [] },
    updated: { ...NINE, title: 'PHP 2' },
  },
  {
    name: 'Ruby',
    jsonType: JSON_TYPE,
    typedDelete: true,
    create: {
      start: '2026-12-01T09:00',
      end: '2026-12-01T10:00',
      title: 'Ruby',
      attendees: [{ email: 'ben@example.com' }],
      description: null,
      location: null,
      recurrence: null,
      custom: null,
      conference: null,
      conferenceData: null,
      availability: null,
      privacy: null,
      status: null,
      color: null,
      allDay: null,
    },
    created: { ...NINE, title: 'Ruby', allDay: false },
    update: { title: 'Ruby 2', start: null, end: null, attendees: null, description: null, updateMode: null },
    updated: { ...NINE, title: 'Ruby 2' },
  },
  {
    name: 'Go',
    jsonType: JSON_TYPE,
    typedDelete: false,
    create: {
      start: '2026-12-01T10:00:00+01:00',
      end: '2026-12-01T11:00:00.000000000+01:00',
      title: 'Go',
      attendees: ['ben@example.com'],
      custom: { origin: 'go' },
      availability: 'free',
    },
    created: { ...NINE, title: 'Go', availability: 'free', custom: { origin: 'go' } },
    update: { description: 'Changed', custom: { origin: 'go', again: true } },
    updated: { ...NINE, title: 'Go', description: 'Changed', custom: { origin: 'go', again: true } },
  },
  {
    name: 'Java',
    jsonType: JSON_UTF8,
    typedDelete: false,
    create: {
      start: '2026-12-01T00:00:00+01:00',
      end: '2026-12-02T00:00:00+01:00',
      title: 'Java – ganztägig',
      allDay: true,
      attendees: ['ben@example.com'],
    },
    created: {
      start: '2026-12-01T00:00:00.000Z',
      end: '2026-12-02T00:00:00.000Z',
      title: 'Java – ganztägig',
      allDay: true,
    },
    update: { ...NINE, allDay: false },
    updated: { ...NINE, title: 'Java – ganztägig', allDay: false },
  },
  {
    name: '.NET',
    jsonType: JSON_UTF8,
    typedDelete: false,
    create: {
      start: '2026-12-01T09:00:00',
      end: '2026-12-01T10:00:00.0000000',
      title: '.NET',
      allDay: false,
      attendees: ['ben@example.com'],
    },
    created: { ...NINE, title: '.NET' },
    update: { title: '', start: '0001-01-01T00:00:00', end: '0001-01-01T00:00:00', location: 'Room 5' },
    updated: { ...NINE, title: '.NET', location: 'Room 5' },
  },
];

/** A rule as one client writes it, from Monday 7 December 2026 on, and the days of that month that it makes. */
type SdkRule = {
  readonly name: SdkWriter['name'];
  readonly rule: Body;
  readonly days: readonly number[];
};

export const RULES: readonly SdkRule[] = [
  { name: 'Node', rule: { frequency: 'MONTHLY', byDay: ['1MO'], count: 2 }, days: [7] },
  {
    name: 'Python',
    rule: { frequency: 'WEEKLY', interval: 1, byDay: ['MO', 'WE'], until: '20261216T090000Z' },
    days: [7, 9, 14, 16],
  },
  {
    name: 'PHP',
    rule: { frequency: 'YEARLY', byMonth: [12], byMonthDay: [7], count: 2, byDay: [] },
    days: [7],
  },
  { name: 'Ruby', rule: { frequency: 'WEEKLY', interval: null, count: 2, byDay: null }, days: [7, 14] },
  { name: 'Go', rule: { frequency: 'DAILY', interval: 2, count: 3 }, days: [7, 9, 11] },
  {
    name: 'Java',
    rule: { frequency: 'MONTHLY', interval: 1, byMonthDay: [7], count: 2 },
    days: [7],
  },
  {
    name: '.NET',
    rule: {
      frequency: 'DAILY',
      interval: 1,
      count: null,
      until: '20261209T235959Z',
      byDay: null,
      byMonth: null,
    },
    days: [7, 8, 9],
  },
];
