/** Renders events (docs/wire.md 2.5) from the JSON that the mirror stores. */
import { createHmac, hkdfSync } from 'node:crypto';
import type { InstanceMembers } from '../calendars/mirrored-event.ts';
import { formatLocal } from '../lib/recurrence/civil.ts';
import { resolveClockZone, toInstant, toOriginalStart } from '../lib/recurrence/event-instant.ts';
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

export type ListedEvent = EventPosition &
  EventContent & {
    /** The times of an instance or a master, which its content lacks. */
    readonly times?: {
      readonly start: number;
      readonly end: number;
      readonly recurringEventId?: string;
      /** If true, the event also has dates. */
      readonly allDay: boolean;
    };
    readonly recurrence?: RecurrenceObject;
  };

export type EventOwner = {
  readonly calendar: Pick<ReadableCalendar, 'calendarKey' | 'href' | 'timeZone'>;
  readonly account: Pick<MirroredAccount, 'provider' | 'accountId' | 'display' | 'scope'>;
};

export type EventText = (event: ListedEvent, of: EventOwner) => RenderedObject;

/** Returns the full renderer. `account` tells two accounts of a provider apart; `accountName` is its display name. */
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
      event.times && toInstanceMembers(event.id, event.times),
      content,
      recurrence && { recurrence },
      etag === undefined ? undefined : { etag },
      original === undefined ? { originalTruncated: true } : renderMember('original', original),
    );
  };
}

/** Returns the fields that only the content of single events has. */
function toInstanceMembers(id: string, times: ListedEvent['times'] & {}): InstanceMembers {
  const { start, end, recurringEventId, allDay } = times;
  return {
    id,
    start: instantText(start),
    end: instantText(end),
    ...(allDay && { startDate: dateText(start), endDate: dateText(end) }),
    ...(recurringEventId !== undefined && { recurringEventId }),
  };
}

/** Returns a renderer that respects the reader's scope for each account. `key` is as for busyText. */
export function textByScope(key: Buffer): EventText {
  const [busy, whole] = [busyText(key), eventText()];
  return (event, owned) => (owned.account.scope === 'free-busy' ? busy : whole)(event, owned);
}

/** Returns an event's id for scope `free-busy`: stable, and unknown to providers. `key` is as for busyText. */
export function busyIds(key: Buffer): (event: EventName) => string {
  const idKey = Buffer.from(hkdfSync('sha256', key, '', 'ids of busy blocks', 32));
  return ({ calendarKey, id }) =>
    createHmac('sha256', idKey).update(`busy|${calendarKey}|${id}`).digest('base64url').slice(0, 22);
}

/** Returns the renderer for scope `free-busy`: only times, and whether they block, under an id of busyIds. */
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

/** The rules of a series as in docs/wire.md 1.10, plus parts that a request cannot contain. Instants are UTC. */
export type RecurrenceObject = {
  /** Absent without a rule, and if only `rrules` can express it. */
  readonly frequency?: Rule['frequency'];
  readonly interval?: number;
  readonly count?: number;
  /** `YYYYMMDDTHHMMSSZ`, inclusive; for an all-day series midnight of its last date. */
  readonly until?: string;
  readonly byDay?: readonly string[];
  readonly byMonthDay?: readonly number[];
  readonly byMonth?: readonly number[];
  readonly bySetPos?: readonly number[];
  readonly byYearDay?: readonly number[];
  readonly byWeekNo?: readonly number[];
  /** Absent if weeks begin on Monday. */
  readonly weekStart?: string;
  /** Starts of the rule that are cancelled, and additional starts. */
  readonly exDates?: readonly string[];
  readonly rDates?: readonly string[];
  /** iCalendar rules, if there are several, or if the object cannot fully express the rule. */
  readonly rrules?: readonly string[];
};

/** Returns the rules as an object. `start` is the master's; floating times are in `calendarZone`. */
export function recurrenceObject(
  { rrules, rdates, exdates }: Recurrence,
  start: EventTime,
  calendarZone: string,
): RecurrenceObject {
  const [first = ''] = rrules;
  const parsed = parseRule(first);
  const rule = parsed === undefined || isExtended(parsed) ? undefined : parsed;
  const startText = (named: EventTime) =>
    instantText(toInstant(toOriginalStart(start, named, calendarZone), calendarZone));
  const isSaid = rrules.length === 0 || (rrules.length === 1 && rule !== undefined && !saysMore(rule));
  return {
    ...(rule && ruleObject(rule, start, calendarZone)),
    ...(exdates.length === 0 ? {} : { exDates: exdates.map(startText) }),
    ...(rdates.length === 0 ? {} : { rDates: rdates.map((rdate) => startText(rdate.start)) }),
    ...(isSaid ? {} : { rrules }),
  };
}

/** Returns whether the text has parts that the object lacks: times of day, and parts that could not be read. */
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

/** Returns the end of a rule. In a timed series, a date includes that whole day. */
function untilText(
  { form, local }: NonNullable<Rule['until']>,
  start: EventTime,
  calendarZone: string,
): string {
  const isDate = start.type === 'date';
  const last = form === 'date' && !isDate ? local + LAST_SECOND : local;
  const zone = form === 'utc' || isDate ? 'UTC' : resolveClockZone(start, calendarZone);
  return `${formatLocal(instantOfLocal(zone, last)).replace(/[-:]/g, '')}Z`;
}
