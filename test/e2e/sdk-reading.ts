/**
 * How the published clients read an event (docs/wire.md 2.5 and 6), each with its own strictness: a value that one of
 * them would refuse, replace by the current time or drop silently fails here.
 */
import assert from 'node:assert/strict';

type Members = Readonly<Record<string, unknown>>;

type SdkReader = {
  /** The place of the event in the response to a create or an update. */
  readonly reads: 'root' | 'event';
  /** The dates that its parser accepts. */
  readonly date: RegExp;
  /** Whether a value outside the documented ones fails its parser. */
  readonly closedEnums: boolean;
};

const DAY = String.raw`\d{4}-\d\d-\d\d`;
const TIME = String.raw`\d\d:\d\d:\d\d`;
const ZONE = String.raw`(?:Z|[+-]\d\d:\d\d)`;
/** RFC 3339 §5.6. */
const RFC_3339 = new RegExp(`^${DAY}T${TIME}(?:\\.\\d{1,9})?${ZONE}$`);
/** `fromisoformat` before Python 3.11, and PHP's formats: three fraction digits, six, or none. */
const THREE_OR_SIX = new RegExp(`^${DAY}T${TIME}(?:\\.\\d{3}(?:\\d{3})?)?${ZONE}$`);

export const READERS = {
  Node: { reads: 'root', date: RFC_3339, closedEnums: false },
  Python: { reads: 'event', date: THREE_OR_SIX, closedEnums: false },
  PHP: { reads: 'event', date: THREE_OR_SIX, closedEnums: false },
  Ruby: { reads: 'root', date: RFC_3339, closedEnums: false },
  Go: { reads: 'root', date: RFC_3339, closedEnums: false },
  Java: { reads: 'root', date: RFC_3339, closedEnums: true },
  '.NET': { reads: 'root', date: RFC_3339, closedEnums: true },
} as const satisfies Record<string, SdkReader>;

/** An event as a client returns it to its caller. */
export type ReadEvent = {
  readonly id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly allDay: boolean;
  readonly recurringEventId?: string;
  readonly description?: string;
  readonly location?: string;
  readonly conference?: string;
  readonly attendees?: readonly { readonly email: string; readonly status: string }[];
  readonly custom?: Members;
  readonly [more: string]: unknown;
};

const CLOSED: Readonly<Record<string, readonly string[]>> = {
  provider: ['google', 'microsoft', 'apple', 'caldav'],
  availability: ['busy', 'free'],
  privacy: ['public', 'private', 'confidential'],
  status: ['confirmed', 'tentative', 'cancelled'],
};
const ATTENDEE_STATUSES = ['accepted', 'declined', 'tentative', 'none'];
const TEXTS = ['description', 'location', 'color', 'conference', 'link', 'recurringEventId'];

/** Reads the response to a create or an update. */
export function readWriteAnswer(reader: SdkReader, body: Members): ReadEvent {
  assert.equal(body.success, true);
  const nested = readEvent(reader, body.event);
  // Both places have the same event, so a client may read either.
  const { success: _, event: __, ...root } = body;
  assert.deepEqual(root, body.event);
  return reader.reads === 'event' ? nested : readEvent(reader, root);
}

/** Reads the response to GET /events. */
export function readList(reader: SdkReader, body: Members): ReadEvent[] {
  assert.ok(Array.isArray(body.events), 'events is a list');
  assert.ok(Number.isInteger(body.pageSize), 'pageSize is a whole number');
  assert.ok(!('nextPageToken' in body) || typeof body.nextPageToken === 'string');
  return body.events.map((event: unknown) => readEvent(reader, event));
}

/** Reads one event; throws if the client's parser would fail. */
export function readEvent({ date, closedEnums }: SdkReader, value: unknown): ReadEvent {
  const event = membersOf(value, 'event');
  for (const name of ['provider', 'id', 'calendarId', 'title'])
    assert.equal(typeof event[name], 'string', name);
  for (const name of ['start', 'end']) assert.match(String(event[name]), date, name);
  if (event.lastModified !== undefined) assert.match(String(event.lastModified), date, 'lastModified');
  assert.equal(typeof event.allDay, 'boolean', 'allDay');
  for (const name of TEXTS) assert.ok(['undefined', 'string'].includes(typeof event[name]), name);
  for (const name of ['custom', 'conferenceData', 'original']) {
    if (event[name] !== undefined) membersOf(event[name], name);
  }
  for (const [name, allowed] of Object.entries(CLOSED)) {
    if (closedEnums && event[name] !== undefined) assert.ok(allowed.includes(String(event[name])), name);
  }
  if (event.attendees !== undefined) readAttendees(event.attendees);
  // Every member of the type was checked above.
  return event as ReadEvent;
}

function readAttendees(value: unknown): void {
  assert.ok(Array.isArray(value), 'attendees is a list');
  for (const one of value) {
    const { email, status, organizer } = membersOf(one, 'attendee');
    assert.equal(typeof email, 'string', 'email of an attendee');
    assert.ok(ATTENDEE_STATUSES.includes(String(status)), 'status of an attendee');
    assert.ok(['undefined', 'boolean'].includes(typeof organizer), 'organizer of an attendee');
  }
}

/** A JSON object: `[]` where one belongs fails Go and .NET. */
function membersOf(value: unknown, name: string): Members {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `${name} is an object`);
  return value as Members; // It is an object that is neither null nor a list.
}
