/** Fields of an event that the tests of event writing change one by one. */
import type { EventDraft } from '../../src/calendars/event-writing.ts';

/** The changes of one field each, by the name that the test titles use. */
export const FIELDS: Readonly<Record<string, Partial<EventDraft>>> = {
  'a title': { title: 'Another title' },
  'a description': { description: 'Line one\nLine two, with; signs' },
  'a location': { location: 'Room 5, "Zuse"' },
  'free availability': { availability: 'free' },
  'private visibility': { privacy: 'private' },
  'tentative status': { status: 'tentative' },
  'a conference URL': { conference: 'https://meet.example.com/a?b=c,d;e' },
  'custom values': {
    custom: { id: 'x-1', nested: { list: [1, 'two', null, true] }, text: 'ü "q" \\ ; , \n end' },
  },
};

export const COMPARED = [
  'title',
  'start',
  'end',
  'description',
  'location',
  'availability',
  'privacy',
  'status',
  'conference',
  'custom',
  'attendees',
];

/** Returns a field of an event by its name. */
export const fieldOf = (event: object, field: string): unknown => new Map(Object.entries(event)).get(field);

export const pick = (from: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
