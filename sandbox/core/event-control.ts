/** /control/events: the events in the accounts, and changes to them as people make them in their provider's app. */
import { type Input, oneOf, parsedText, required, text, wholeNumber } from '../../src/http/fields.ts';
import { parseLocal } from '../../src/lib/recurrence/civil.ts';
import { ianaZone } from '../../src/lib/recurrence/zone.ts';
import { invalid, PERSON } from './control.schema.ts';
import type { ControlDeps } from './control-deps.ts';
import { movedBy, readInstant } from './draft-time.ts';
import { KIND_NAMES, type SandboxKind } from './faults.ts';
import type { DraftTime, ListedEvent } from './provider-sandbox.ts';

const TIME = 'must be a date such as 2026-11-28, or a local time such as 2026-11-28T09:00:00';
const time = () =>
  parsedText((value) => (parseLocal(value) === undefined ? undefined : value), { problem: TIME });
const MOST_MINUTES = 366 * 1440;

export const EVENT_BODY = {
  ...PERSON,
  action: required(oneOf(['create', 'update', 'move', 'delete'])),
  calendar: text({}),
  event: text({}),
  title: text({}),
  start: time(),
  end: time(),
  timeZone: parsedText(ianaZone, { problem: 'must be a time zone such as Europe/Berlin' }),
  minutes: wholeNumber({ min: -MOST_MINUTES, max: MOST_MINUTES }),
};
type EventBody = Input<typeof EVENT_BODY>;

type Providers = Pick<ControlDeps, 'providers'>;
type Person = { readonly provider: SandboxKind; readonly user: string };
type Place = { readonly calendar: string; readonly event: string };

/** Returns a person's provider and calendars. Throws ApiError if there is no such person. */
export function findPerson({ provider: kind, user }: Person, { providers = [] }: Providers) {
  const provider = providers.find((one) => one.kind === kind);
  const calendars = provider?.manual.calendars(user);
  if (provider === undefined || calendars === undefined)
    throw invalid('user', `user has no account at ${KIND_NAMES[kind]}`);
  return { manual: provider.manual, calendars };
}

export function listEvents(person: Person, deps: Providers) {
  const { manual, calendars } = findPerson(person, deps);
  return calendars.flatMap((calendar) =>
    manual.events(person.user, calendar).map(({ id, title, start, end }) => ({
      ...{ calendar, event: id, title, start: renderTime(start), end: renderTime(end) },
      ...('timeZone' in start && { timeZone: start.timeZone }),
    })),
  );
}

const renderTime = (one: DraftTime): string => ('date' in one ? one.date : one.dateTime);

/** Makes one change and returns where the event is or was. Throws ApiError for an invalid request. */
export async function changeEvent(body: EventBody, deps: Providers): Promise<Place> {
  const { user, action } = body;
  const { manual, calendars } = findPerson(body, deps);
  const calendar = body.calendar ?? calendars[0];
  if (calendar === undefined || !calendars.includes(calendar))
    throw invalid('calendar', 'calendar is not a calendar of this user; GET /control/events lists them');
  if (action === 'create')
    return { calendar, event: await manual.createEvent(user, calendar, createdDraft(body)) };
  const event = manual.events(user, calendar).find(({ id }) => id === body.event);
  if (event === undefined)
    throw invalid('event', 'event is not an event of this calendar; GET /control/events lists them');
  const { id } = event;
  if (action === 'delete') await manual.deleteEvent(user, calendar, id);
  else {
    const change = action === 'move' ? movedTimes(event, body.minutes) : changedFields(event, body);
    manual.changeEvent(user, calendar, { ...change, id });
  }
  return { calendar, event: id };
}

function createdDraft({ title, start, end, timeZone = 'UTC' }: EventBody) {
  if (title === undefined) throw invalid('title', 'title is missing');
  if (start === undefined) throw invalid('start', 'start is missing');
  if (end === undefined) throw invalid('end', 'end is missing');
  return { title, ...inOrder(toTime(start, timeZone), toTime(end, timeZone)) };
}

/** A time without `timeZone` is in the zone of the event. */
function changedFields(event: ListedEvent, { title, start, end, timeZone }: EventBody) {
  const eventZone = 'timeZone' in event.start ? event.start.timeZone : 'UTC';
  const zone = timeZone ?? eventZone;
  if (title === undefined && start === undefined && end === undefined)
    throw invalid('title', 'title, start or end is missing: at least one of them changes');
  const times = inOrder(
    start === undefined ? event.start : toTime(start, zone),
    end === undefined ? event.end : toTime(end, zone),
  );
  return { ...(title !== undefined && { title }), ...((start ?? end) !== undefined && times) };
}

const DAY_MINUTES = 1440;

function movedTimes({ start, end }: ListedEvent, minutes: number | undefined) {
  if (minutes === undefined || minutes === 0)
    throw invalid('minutes', 'minutes is missing: a whole number, negative for an earlier time');
  if ('date' in start && minutes % DAY_MINUTES !== 0)
    throw invalid('minutes', `minutes must be whole days for an all-day event, such as ${DAY_MINUTES}`);
  return { start: movedBy(start, minutes), end: movedBy(end, minutes) };
}

const toTime = (value: string, timeZone: string): DraftTime =>
  value.includes('T') ? { dateTime: value, timeZone } : { date: value };

function inOrder(start: DraftTime, end: DraftTime) {
  if ('date' in start !== 'date' in end)
    throw invalid('end', 'start and end must be both dates or both times');
  if (readInstant(end) <= readInstant(start)) throw invalid('end', 'end must be after start');
  return { start, end };
}
