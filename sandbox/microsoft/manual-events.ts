/** Changes to events in Outlook: by the same rules as through Graph, whose refusals become rejections. */
import { formatLocal } from '../../src/lib/recurrence/civil.ts';
import { localOfInstant } from '../../src/lib/recurrence/zone.ts';
import type { DraftTime, EventDraft } from '../core/provider-sandbox.ts';
import type { Account } from './directory.ts';
import { bodyOfDraft, timeOfDraft } from './draft-body.ts';
import { CUSTOM_ZONE, instantOfTime } from './graph-time.ts';
import { eventId, parseEventId } from './item-id.ts';
import type { StoredCalendar, StoredEvent } from './mailbox.ts';
import { accountOf, calendarById } from './manual-calendars.ts';
import type { ManualChangesDeps, MicrosoftManualChanges } from './manual-changes.ts';
import { type EventInstance, instanceAt, instancesOf } from './series-instances.ts';
import { changedEvent, newEvent, writeDeps } from './write-event.ts';
import { withException, withoutOccurrence } from './write-occurrence.ts';

type ManualEvents = Pick<
  MicrosoftManualChanges,
  | 'changeOccurrence'
  | 'createEvent'
  | 'deleteEvent'
  | 'deleteOccurrence'
  | 'giveCustomZone'
  | 'instances'
  | 'invite'
  | 'responses'
  | 'forbidMeetings'
  | 'updateEvent'
>;

/** Throws an Error for a calendar that is not there. */
export function placeIn({ directory }: ManualChangesDeps, email: string, calendarId: string): ManualPlace {
  const account = accountOf(directory, email);
  return { account, calendar: calendarById(account, calendarId), key: undefined };
}

export type ManualPlace = {
  readonly account: Account;
  readonly calendar: StoredCalendar;
  readonly key: undefined;
};

/** Throws an Error for an event that is not there. */
export function eventIn(place: ManualPlace, id: string) {
  const key = parseEventId(id)?.key ?? '';
  const event = place.calendar.events.get(key);
  if (event === undefined) throw new Error(`The calendar has no event ${id}`);
  return { place: { ...place, key }, event };
}

export function manualEvents(deps: ManualChangesDeps): ManualEvents {
  const findPlace = (email: string, calendarId: string) => placeIn(deps, email, calendarId);
  const existing = (email: string, calendarId: string, id: string) =>
    eventIn(findPlace(email, calendarId), id);
  const create = (place: ManualPlace, draft: EventDraft, complete: (event: StoredEvent) => StoredEvent) => {
    const created = deps.store.write(place, (change) =>
      complete(newEvent(bodyOfDraft(draft, place.account), writeDeps(place.account, change, deps))),
    );
    return eventId(created?.key ?? '', 'immutable');
  };
  return {
    async createEvent(email, calendarId, draft) {
      return create(findPlace(email, calendarId), draft, (event) => withConference(event, draft));
    },
    async updateEvent(email, calendarId, { id, ...draft }) {
      const { place, event } = existing(email, calendarId, id);
      deps.store.write(place, (change) =>
        withConference(
          changedEvent(event, bodyOfDraft(draft, place.account), writeDeps(place.account, change, deps)),
          draft,
        ),
      );
    },
    async deleteEvent(email, calendarId, id) {
      const { place } = existing(email, calendarId, id);
      deps.store.write(place, () => undefined);
    },
    async changeOccurrence(email, calendarId, { id, original: originalStart, title, start, end }) {
      const { place, event } = existing(email, calendarId, id);
      const instance = occurrence(event, originalStart);
      const body = {
        ...(title === undefined ? {} : { subject: title }),
        ...(start === undefined ? {} : { start: timeOfDraft(start, place.account) }),
        ...(end === undefined ? {} : { end: timeOfDraft(end, place.account) }),
      };
      deps.store.write(place, (change) =>
        withException(instance, body, writeDeps(place.account, change, deps)),
      );
    },
    async deleteOccurrence(email, calendarId, { id, original: originalStart }) {
      const { place, event } = existing(email, calendarId, id);
      const instance = occurrence(event, originalStart);
      deps.store.write(place, (change) => withoutOccurrence(instance, { now: deps.now(), change }));
    },
    async giveCustomZone(email, calendarId, id) {
      const { place, event } = existing(email, calendarId, id);
      deps.store.write(place, (change) => ({ ...inCustomZone(event), change, modifiedAt: deps.now() }));
    },
    async invite(email, calendarId, { organizer, ...draft }) {
      return create(findPlace(email, calendarId), draft, (event) => invited(event, organizer));
    },
    async forbidMeetings(email) {
      accountOf(deps.directory, email).mailbox.onlineMeetings = false;
    },
    responses: (email) => accountOf(deps.directory, email).mailbox.responses,
    async instances(email, calendarId, window) {
      return instancesIn(calendarById(accountOf(deps.directory, email), calendarId), window);
    },
  };
}

/** In Outlook a link of any kind can be a meeting's, by add-ins; Graph clients can only have Teams make one. */
function withConference(event: StoredEvent, { conference }: EventDraft): StoredEvent {
  const onlineMeeting = conference === undefined ? undefined : { joinUrl: conference };
  const onlineMeetingProvider =
    conference === undefined ? ('unknown' as const) : ('teamsForBusiness' as const);
  return { ...event, content: { ...event.content, onlineMeeting, onlineMeetingProvider } };
}

/** As an invitation that nobody has answered lies in the calendar. */
function invited(
  event: StoredEvent,
  { email, name, responseRequested = true }: { email: string; name: string; responseRequested?: boolean },
): StoredEvent {
  const responseStatus = { response: 'notResponded' as const, time: '0001-01-01T00:00:00Z' };
  const organizer = { name, address: email };
  const content = {
    ...event.content,
    organizer,
    responseStatus,
    responseRequested,
    showAs: 'tentative' as const,
  };
  return { ...event, content };
}

function inCustomZone(event: StoredEvent): StoredEvent {
  const { content, recurrence } = event;
  return {
    ...event,
    content: { ...content, startZoneName: CUSTOM_ZONE, endZoneName: CUSTOM_ZONE },
    recurrence: recurrence && {
      ...recurrence,
      range: { ...recurrence.range, recurrenceTimeZone: CUSTOM_ZONE },
    },
  };
}

/** Throws an Error when the pattern has no such start, or its occurrence was deleted. */
function occurrence(event: StoredEvent, originalStart: DraftTime): EventInstance {
  const instance = instanceAt(event, originalOf(event, originalStart));
  if (instance === undefined)
    throw new Error(`The series has no occurrence at ${JSON.stringify(originalStart)}`);
  return instance;
}

function originalOf({ content }: StoredEvent, time: DraftTime): string {
  const text =
    'date' in time
      ? time.date
      : formatLocal(
          localOfInstant(content.start.zone, instantOfTime({ local: time.dateTime, zone: time.timeZone })),
        );
  return (content.isAllDay ? text.slice(0, 10) : text).replace(/[-:]/g, '');
}

function instancesIn(calendar: StoredCalendar, window: { readonly start: number; readonly end: number }) {
  return [...calendar.events.values()]
    .flatMap((event) => instancesOf(event, window))
    .map(({ event, exception, start, end }) => {
      const { subject, isAllDay } = { ...event.content, ...exception?.content };
      return { title: subject ?? '', start, end, allDay: isAllDay };
    })
    .sort((a, b) => a.start - b.start || (a.title < b.title ? -1 : 1));
}
