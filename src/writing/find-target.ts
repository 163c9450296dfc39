/** Finds the event of a request's id in the mirror: a single event, a series, or one occurrence of a series. */
import type { EventResource } from '../calendars/event.ts';
import type { WriteTarget } from '../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../calendars/provider-error.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import { PROVIDER_FACTS } from '../calendars/provider-facts.ts';
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import {
  formatInstanceId,
  parseInstanceId,
  toInstant,
  toOriginalStart,
} from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { expand } from '../lib/recurrence/expand.ts';
import { RecurrenceBudgetError, seriesBudget } from '../lib/recurrence/expand-rule.ts';
import { effectiveAmong } from './series-rules.ts';
import type { StoredEvent, StoredEvents } from './stored-events.ts';
import type { EventName } from './write-requests.ts';

/** The target of a write. `stored` is the event, or the whole series with its master first. */
export type Target =
  | { readonly kind: 'single'; readonly match: StoredEvent; readonly stored: readonly StoredEvent[] }
  | { readonly kind: 'series'; readonly match: StoredEvent; readonly stored: readonly StoredEvent[] }
  | InstanceTarget;

export type InstanceTarget = {
  readonly kind: 'instance';
  /** Undefined if the calendar has only this occurrence. */
  readonly master: StoredEvent | undefined;
  /** In the type and zone of the master's start. */
  readonly originalStart: EventTime;
  readonly override: StoredEvent | undefined;
  readonly stored: readonly StoredEvent[];
};

type Place = { readonly calendarKey: string; readonly timeZone: string };

/** Returns `undefined` without the event. Throws 400 if `recurringEventId` names another series. */
export async function findTarget(
  { eventId, recurringEventId }: EventName,
  place: Place,
  storedEvents: StoredEvents,
): Promise<Target | undefined> {
  const target = await resolveTarget(eventId, place, storedEvents);
  if (recurringEventId === undefined || recurringEventId === eventId || target === undefined) return target;
  if (target.kind === 'single') return target;
  if (target.kind === 'instance') {
    const seriesId = target.master?.eventId ?? target.override?.seriesId;
    if (seriesId === recurringEventId) return target;
  } else {
    // The caller swapped the two ids.
    const instance = await resolveTarget(recurringEventId, place, storedEvents);
    if (instance?.kind === 'instance' && instance.master?.eventId === eventId) return instance;
  }
  const message = 'recurringEventId is not the id of the series that eventId belongs to';
  throw new ApiError(ANY_CALL.invalid_request, { message, field: 'recurringEventId' });
}

async function resolveTarget(
  id: string,
  place: Place,
  storedEvents: StoredEvents,
): Promise<Target | undefined> {
  const stored = await storedEvents.findEvents(place.calendarKey, id);
  const match = stored.find(({ eventId, event }) => eventId === id && event.recurrenceId === undefined);
  if (match !== undefined) {
    const recurs = match.event.recurrence !== undefined || stored.length > 1;
    return { kind: recurs ? 'series' : 'single', match, stored };
  }
  const effective = effectiveAmong(findMaster(stored)?.event.start, stored, place.timeZone);
  const override = effective.find(({ item }) => item.eventId === id);
  if (override !== undefined)
    return toInstanceTarget(
      { stored, named: override.recurrenceId, override: override.item },
      place.timeZone,
    );
  const parsed = parseInstanceId(id);
  if (parsed === undefined) return undefined;
  const series = await storedEvents.findEvents(place.calendarKey, parsed.masterId);
  const master = findMaster(series);
  if (master === undefined) return undefined;
  const originalStart = toOriginalStart(master.event.start, parsed.originalStart, place.timeZone);
  if (formatInstanceId(parsed.masterId, originalStart, place.timeZone) !== id) return undefined;
  const instantNamed = (time: EventTime) =>
    toInstant(toOriginalStart(master.event.start, time, place.timeZone), place.timeZone);
  const instance = effectiveAmong(master.event.start, series, place.timeZone).find(
    ({ recurrenceId }) => instantNamed(recurrenceId) === toInstant(originalStart, place.timeZone),
  );
  return toInstanceTarget({ stored: series, named: originalStart, override: instance?.item }, place.timeZone);
}

const findMaster = (stored: readonly StoredEvent[]): StoredEvent | undefined =>
  stored.find(({ event }) => event.recurrenceId === undefined);

/** `named`: the original start from the id, of any type and zone. */
type StoredInstance = Pick<InstanceTarget, 'stored' | 'override'> & { readonly named: EventTime };

function toInstanceTarget(
  { stored, named, override }: StoredInstance,
  zone: string,
): InstanceTarget | undefined {
  if (override?.event.status === 'cancelled') return undefined;
  const master = findMaster(stored);
  const asNamed = master === undefined ? named : toOriginalStart(master.event.start, named, zone);
  const originalStart = override === undefined ? master && startNamed(master, asNamed, zone) : asNamed;
  return originalStart && { kind: 'instance', master, originalStart, override, stored };
}

/**
 * Returns the occurrence's start by the rules; `undefined` if they lack it or it is removed. If the clock skips the
 * start on its day, the id has the moved time, and the series the original. Throws 422 beyond the budget.
 */
function startNamed({ event }: StoredEvent, named: EventTime, zone: string): EventTime | undefined {
  const start = toInstant(named, zone);
  const series = { master: { ...event, payload: undefined }, overrides: [] };
  try {
    const { instances } = expand(series, { start, end: start + 1 }, zone, seriesBudget());
    return instances.find(({ originalStart }) => toInstant(originalStart, zone) === start)?.originalStart;
  } catch (error) {
    if (!(error instanceof RecurrenceBudgetError)) throw error;
    const message = 'The series has too many occurrences to find one of them: change or delete it as a whole';
    throw new UnsupportedByProvider('recurrence_not_supported_by_provider', message, 'eventId');
  }
}

/** Returns the event in exactly that version, for the provider's adapter. */
export function toWriteTarget(target: Target, provider: ProviderKind): WriteTarget {
  const stored = toResources(target.stored, provider);
  if (target.kind !== 'instance') {
    const { href, etag } = target.match;
    return { href, etag, stored };
  }
  const { master, override, originalStart } = target;
  const main = master ?? override;
  if (main === undefined) throw new Error('An occurrence has no series and no event of its own');
  const isApart = override !== undefined && (master === undefined || override.href !== master.href);
  return {
    href: main.href,
    etag: main.etag,
    instance: originalStart,
    ...(isApart ? { override: { href: override.href, etag: override.etag } } : {}),
    stored,
  };
}

/** Returns the resources in the mirror as a sync stored them, the master's first. */
function toResources(stored: readonly StoredEvent[], provider: ProviderKind): EventResource[] {
  return [...Map.groupBy(stored, ({ href }) => href)].flatMap(([href, members]) => {
    const [first] = members;
    if (first === undefined) return [];
    const { etag, seriesId, eventId, event, originalDigest } = first;
    const isApart = event.recurrenceId !== undefined && PROVIDER_FACTS[provider].overridesApart;
    const names =
      isApart && seriesId !== undefined
        ? { eventId: href, seriesId }
        : { eventId: wholeId(first) ?? eventId };
    const events = members.map((one) => one.event);
    const digest = originalDigest === undefined ? {} : { originalDigest };
    return [{ href, etag, ...names, events, original: JSON.parse(first.original), ...digest }];
  });
}

/** A lone occurrence's id on the wire differs from its resource's. */
const wholeId = ({ event, seriesId }: StoredEvent): string | undefined =>
  event.recurrenceId === undefined ? undefined : seriesId;
