/** Renders events (docs/wire.md 2.5) from the JSON that the mirror stores. */
import { createHmac, hkdfSync } from 'node:crypto';

import type { InstanceMembers } from '../calendars/mirrored-event.ts';
import { formatLocal } from '../lib/recurrence/civil.ts';
import { instantOf, originalStartOf, zoneOf } from '../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import { isExtended, parseRule, type Rule, WEEKDAYS } from '../lib/recurrence/rule.ts';
import { instantOfLocal } from '../lib/recurrence/zone.ts';
import {
  dateText,
  instantText,
  type RenderedMembers,
  type RenderedObject,
  readMembers,
  renderMember,
  renderMembers,
  renderObject,
} from '../lib/rendered-json.ts';
import type { EventName } from './change-feed.ts';
import type { EventContent, EventPosition, MirroredAccount, ReadableCalendar } from './event-reader.ts';

/** An event of a listing. */
export type ListedEvent = EventPosition &
  EventContent & {
    /** The times of an instance or a master, whose content lacks them. */
    readonly times?: {
      readonly start: number;
      readonly end: number;
      readonly recurringEventId?: string;
      /** All-day instances have dates. */
      readonly allDay: boolean;
    };
    /** The rules of a master. */
    readonly recurrence?: RecurrenceObject;
  };

/** The calendar and the account that an event is shown with. */
export type EventOwner = {
  readonly calendar: Pick<ReadableCalendar, 'calendarKey' | 'href' | 'timeZone'>;
  readonly account: Pick<MirroredAccount, 'provider' | 'accountId' | 'display' | 'scope'>;
};

/** Writes one event of a calendar. */
export type EventText = (event: ListedEvent, of: EventOwner) => RenderedObject;

/**
 * All members of an event; `account` distinguishes two accounts of one provider, `accountName` is its name for people.
 */
export function eventText(): EventText {
  const heads = new Map<string, RenderedMembers>();
  return (event, { calendar, account }) => {
    let head = heads.get(calendar.calendarKey);
    if (head === undefined) {
      const { provider, accountId, display } = account;
      const names = { account: accountId, accountName: display };
      head = renderMembers({ provider, ...names, calendarId: calendar.href });
      heads.set(calendar.calendarKey, head);
    }
    const { content, etag, recurrence, original } = event;
    return renderObject(
      head,
      event.times && instanceOf(event.id, event.times),
      content,
      recurrence && { recurrence },
      etag === undefined ? undefined : { etag },
      original === undefined ? { originalTruncated: true } : renderMember('original', original),
    );
  };
}

/** Returns the members that the content of a single event already has. */
function instanceOf(id: string, times: ListedEvent['times'] & {}): InstanceMembers {
  const { start, end, recurringEventId, allDay } = times;
  return {
    id,
    start: instantText(start),
    end: instantText(end),
    ...(allDay && { startDate: dateText(start), endDate: dateText(end) }),
    ...(recurringEventId !== undefined && { recurringEventId }),
  };
}

/** Each event as the scope that the reader has for its account shows it. `key` is as for busyText. */
export function textByScope(key: Buffer): EventText {
  const [busy, whole] = [busyText(key), eventText()];
  return (event, owned) => (owned.account.scope === 'free-busy' ? busy : whole)(event, owned);
}

/** Names an event to scope `free-busy`: an id that no provider knows, the same each time. `key` is as for busyText. */
export function busyIds(key: Buffer): (event: EventName) => string {
  const idKey = Buffer.from(hkdfSync('sha256', key, '', 'ids of busy blocks', 32));
  return ({ calendarKey, id }) =>
    createHmac('sha256', idKey).update(`busy|${calendarKey}|${id}`).digest('base64url').slice(0, 22);
}

/**
 * Returns the renderer for scope `free-busy`: only the times and whether they block. The id is one that no provider
 * knows.
 */
export function busyText(key: Buffer): EventText {
  const idOf = busyIds(key);
  return (event, { calendar, account }) => {
    const { start, end, allDay, availability, status } = readMembers(event.content);
    return renderObject({
      provider: account.provider,
      id: idOf(event),
      calendarId: calendar.href,
      title: 'Busy',
      start: event.times === undefined ? start : instantText(event.times.start),
      end: event.times === undefined ? end : instantText(event.times.end),
      allDay,
      availability,
      status,
    });
  };
}

/**
 * The rules of a series: docs/wire.md 1.10's object, and beside it what calendars say that the object of a
 * request cannot. Instants are UTC, as everywhere on the wire.
 */
export type RecurrenceObject = {
  /** Absent without a rule, and if only `rrules` can state it. */
  readonly frequency?: Rule['frequency'];
  readonly interval?: number;
  readonly count?: number;
  /** `YYYYMMDDTHHMMSSZ`, inclusive; of an all-day series at midnight of its last date. */
  readonly until?: string;
  readonly byDay?: readonly string[];
  readonly byMonthDay?: readonly number[];
  readonly byMonth?: readonly number[];
  readonly bySetPos?: readonly number[];
  readonly byYearDay?: readonly number[];
  readonly byWeekNo?: readonly number[];
  /** Absent when weeks begin on Monday. */
  readonly weekStart?: string;
  /** Starts that the rule names and that do not take place, and further ones it does not name. */
  readonly exDates?: readonly string[];
  readonly rDates?: readonly string[];
  /** The rules in iCalendar's form, if there are several, or if the rule cannot be followed or not fully expressed. */
  readonly rrules?: readonly string[];
};

/** `start` is the master's; floating times are read in `calendarZone`. */
export function recurrenceObject(
  { rrules, rdates, exdates }: Recurrence,
  start: EventTime,
  calendarZone: string,
): RecurrenceObject {
  const [first = ''] = rrules;
  const parsed = parseRule(first);
  const rule = parsed === undefined || isExtended(parsed) ? undefined : parsed;
  const startText = (named: EventTime) =>
    instantText(instantOf(originalStartOf(start, named, calendarZone), calendarZone));
  const isSaid = rrules.length === 0 || (rrules.length === 1 && rule !== undefined && !saysMore(rule));
  return {
    ...(rule && ruleObject(rule, start, calendarZone)),
    ...(exdates.length === 0 ? {} : { exDates: exdates.map(startText) }),
    ...(rdates.length === 0 ? {} : { rDates: rdates.map((rdate) => startText(rdate.start)) }),
    ...(isSaid ? {} : { rrules }),
  };
}

/** Whether its text says what the object cannot: times of day, and parts that could not be read. */
const saysMore = ({ byHour, byMinute, bySecond, leftOut }: Rule): boolean =>
  byHour.length + byMinute.length + bySecond.length + leftOut.length > 0;

function ruleObject(rule: Rule, start: EventTime, calendarZone: string): RecurrenceObject {
  const { frequency, interval, count, byMonthDay, byMonth, bySetPos, byYearDay, byWeekNo, weekStart } = rule;
  const list = <K extends string, V>(name: K, values: readonly V[]) =>
    values.length === 0 ? {} : { [name]: values };
  const byDay = rule.byDay.map(({ ordinal, weekday }) => `${ordinal || ''}${WEEKDAYS[weekday]}`);
  const until = rule.until && untilText(rule.until, start, calendarZone);
  return {
    frequency,
    interval,
    ...(count === undefined ? {} : { count }),
    ...(until === undefined ? {} : { until }),
    ...list('byDay', byDay),
    ...list('byMonthDay', byMonthDay),
    ...list('byMonth', byMonth),
    ...list('bySetPos', bySetPos),
    ...list('byYearDay', byYearDay),
    ...list('byWeekNo', byWeekNo),
    ...(weekStart === 0 ? {} : { weekStart: WEEKDAYS[weekStart] ?? 'MO' }),
  };
}

const LAST_SECOND = 86_399_000;

/** A date on a timed series lets that whole day in. */
function untilText(
  { form, local }: NonNullable<Rule['until']>,
  start: EventTime,
  calendarZone: string,
): string {
  const isDate = start.type === 'date';
  const last = form === 'date' && !isDate ? local + LAST_SECOND : local;
  const zone = form === 'utc' || isDate ? 'UTC' : zoneOf(start, calendarZone);
  return `${formatLocal(instantOfLocal(zone, last)).replace(/[-:]/g, '')}Z`;
}
