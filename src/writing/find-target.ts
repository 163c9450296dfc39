/** What an event id of a request names in the mirror: a single event, a series, or one instance of a series. */
import type { EventResource } from '../calendars/event.ts';
import type { WriteTarget } from '../calendars/event-writing.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import { ApiError } from '../http/api-error.ts';
import { instantOf, originalStartOf } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { expand } from '../lib/recurrence/expand.ts';
import { instanceIdOf, parseInstanceId } from '../lib/recurrence/instance-id.ts';
import { recurrenceBudget } from '../lib/recurrence/recurrence-budget.ts';
import type { StoredEvent, StoredEvents } from './stored-events.ts';

export type EventName = {
  readonly eventId: string;
  /** The master's id, where a caller says which series it means. */
  readonly recurringEventId: string | undefined;
};

/** `known` is the event, or the whole series with its master first. */
export type Target =
  | { readonly kind: 'single'; readonly own: StoredEvent; readonly known: readonly StoredEvent[] }
  | { readonly kind: 'series'; readonly own: StoredEvent; readonly known: readonly StoredEvent[] }
  | InstanceTarget;

export type InstanceTarget = {
  readonly kind: 'instance';
  /** Absent where the calendar has nothing but this instance of its series. */
  readonly master: StoredEvent | undefined;
  /** In the type and zone of the master's start. */
  readonly originalStart: EventTime;
  readonly override: StoredEvent | undefined;
  readonly known: readonly StoredEvent[];
};

type Place = { readonly calendarKey: string; readonly timeZone: string };

/**
 * `undefined` when the mirror has no such event, or its instance does not take place. Throws 400 when
 * `recurringEventId` names another series than the event's.
 */
export async function findTarget(
  { eventId, recurringEventId }: EventName,
  place: Place,
  storedEvents: StoredEvents,
): Promise<Target | undefined> {
  const named = await targetOf(eventId, place, storedEvents);
  if (recurringEventId === undefined || recurringEventId === eventId || named === undefined) return named;
  if (named.kind === 'single') return named;
  if (named.kind === 'instance') {
    const seriesId = named.master?.eventId ?? named.override?.seriesId;
    if (seriesId === recurringEventId) return named;
  } else {
    // The two ids the other way round.
    const instance = await targetOf(recurringEventId, place, storedEvents);
    if (instance?.kind === 'instance' && instance.master?.eventId === eventId) return instance;
  }
  const message = 'recurringEventId is not the id of the series that eventId belongs to';
  throw new ApiError(400, 'invalid_request', { message, details: { recurringEventId: [message] } });
}

async function targetOf(id: string, place: Place, storedEvents: StoredEvents): Promise<Target | undefined> {
  const known = await storedEvents.findEvents(place.calendarKey, id);
  const own = known.find(({ eventId, event }) => eventId === id && event.recurrenceId === undefined);
  if (own !== undefined) {
    const recurs = own.event.recurrence !== undefined || known.length > 1;
    return { kind: recurs ? 'series' : 'single', own, known };
  }
  const apart = known.find(({ eventId, event }) => eventId === id && event.recurrenceId !== undefined);
  if (apart?.event.recurrenceId !== undefined) {
    return instanceOf(known, apart.event.recurrenceId, apart, place.timeZone);
  }
  const parsed = parseInstanceId(id);
  if (parsed === undefined) return undefined;
  const series = await storedEvents.findEvents(place.calendarKey, parsed.masterId);
  const master = masterOf(series);
  if (master === undefined) return undefined;
  const originalStart = originalStartOf(master.event.start, parsed.originalStart, place.timeZone);
  if (instanceIdOf(parsed.masterId, originalStart, place.timeZone) !== id) return undefined;
  const override = series.find(({ event }) =>
    isAt(event.recurrenceId, originalStart, master, place.timeZone),
  );
  return instanceOf(series, originalStart, override, place.timeZone);
}

const masterOf = (known: readonly StoredEvent[]): StoredEvent | undefined =>
  known.find(({ event }) => event.recurrenceId === undefined);

function isAt(
  recurrenceId: EventTime | undefined,
  originalStart: EventTime,
  master: StoredEvent,
  zone: string,
): boolean {
  if (recurrenceId === undefined) return false;
  const named = originalStartOf(master.event.start, recurrenceId, zone);
  return instantOf(named, zone) === instantOf(originalStart, zone);
}

function instanceOf(
  known: readonly StoredEvent[],
  named: EventTime,
  override: StoredEvent | undefined,
  zone: string,
): InstanceTarget | undefined {
  if (override?.event.status === 'cancelled') return undefined;
  const master = masterOf(known);
  const originalStart = master === undefined ? named : originalStartOf(master.event.start, named, zone);
  if (override === undefined && (master === undefined || !takesPlace(master, originalStart, zone)))
    return undefined;
  return { kind: 'instance', master, originalStart, override, known };
}

/** Whether the rules name it, and nothing takes it away. */
function takesPlace({ event }: StoredEvent, originalStart: EventTime, zone: string): boolean {
  const start = instantOf(originalStart, zone);
  const series = { master: { ...event, payload: undefined }, overrides: [] };
  const { instances } = expand(series, { start, end: start + 1 }, zone, recurrenceBudget());
  return instances.some((instance) => instantOf(instance.originalStart, zone) === start);
}

/** The event as the provider's adapter is to find it, of that very version. */
export function writeTargetOf(target: Target, provider: ProviderKind): WriteTarget {
  const known = resourcesOf(target.known, provider);
  if (target.kind !== 'instance') {
    const { href, etag } = target.own;
    return { href, etag, known };
  }
  const { master, override, originalStart } = target;
  const own = master ?? override;
  if (own === undefined)
    throw new Error('An instance was found without a series and without an event of its own');
  const isApart = override !== undefined && (master === undefined || override.href !== master.href);
  return {
    href: own.href,
    etag: own.etag,
    instance: originalStart,
    ...(isApart ? { override: { href: override.href, etag: override.etag } } : {}),
    known,
  };
}

/** What the mirror holds, as a sync brought it; the master's resource first. */
export function resourcesOf(known: readonly StoredEvent[], provider: ProviderKind): EventResource[] {
  return [...Map.groupBy(known, ({ href }) => href)].flatMap(([href, members]) => {
    const [first] = members;
    if (first === undefined) return [];
    const { etag, seriesId, eventId, event } = first;
    // Only with these two is an override a resource of its own, which its href names.
    const isApart = event.recurrenceId !== undefined && (provider === 'google' || provider === 'microsoft');
    const names =
      isApart && seriesId !== undefined
        ? { eventId: href, seriesId }
        : { eventId: wholeId(first) ?? eventId };
    return [
      { href, etag, ...names, events: members.map((one) => one.event), original: JSON.parse(first.original) },
    ];
  });
}

/** Of an instance known alone, its id on the wire is not its resource's. */
const wholeId = ({ event, seriesId }: StoredEvent): string | undefined =>
  event.recurrenceId === undefined ? undefined : seriesId;
