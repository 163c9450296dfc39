/** What a split does at the provider: the new series made whole first, then the old one trimmed. */
import type { CalendarEvent, EventResource } from '../calendars/event.ts';
import type { WriteResult, WriteTarget } from '../calendars/event-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../calendars/provider-error.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import type { Turn } from './calendar-turn.ts';
import type { Following } from './event-scope.ts';
import { type Cut, isTrimmed, trimmedRules } from './series-rules.ts';
import { fingerprintOf, isFrom, type SplitPlan, seriesIn } from './split-plan.ts';

/**
 * The resources of the new series, the master's first. It can be repeated: the provider knows the creation by its key,
 * and the same change of an exception changes nothing.
 */
export async function makeNewSeries(
  plan: SplitPlan,
  turn: Turn,
  atStep: ((step: string) => Promise<void>) | undefined,
): Promise<readonly EventResource[]> {
  const { made, cancelled } = await create(plan, turn);
  await atStep?.('new series');
  let resources = made;
  for (const instance of cancelled) {
    const remove = (target: WriteTarget) => turn.writing.delete(turn.calendar.href, target);
    resources = await onNewest({ resources, instance }, remove, turn);
  }
  for (const { instance, change } of plan.exceptions) {
    const update = (target: WriteTarget) => turn.writing.update(turn.calendar.href, target, change);
    resources = await onNewest({ resources, instance }, update, turn);
    await atStep?.('exception');
  }
  return resources;
}

/** `cancelled`: instances to delete one by one, because the provider takes no EXDATE with the rules. */
async function create(
  { draft, key, cancelled }: SplitPlan,
  { writing, calendar }: Turn,
): Promise<{ made: readonly EventResource[]; cancelled: readonly EventTime[] }> {
  try {
    return { made: (await writing.create(calendar.href, draft, key)).changed, cancelled: [] };
  } catch (reason) {
    const { recurrence } = draft;
    if (!(reason instanceof UnsupportedByProvider) || recurrence === undefined || cancelled.length === 0)
      throw reason;
    const bare = { ...draft, recurrence: { ...recurrence, exdates: [] } };
    return { made: (await writing.create(calendar.href, bare, key)).changed, cancelled };
  }
}

/** Changes one instance. A repetition may find a newer version: that is read and changed. */
async function onNewest(
  { resources, instance }: { readonly resources: readonly EventResource[]; readonly instance: EventTime },
  write: (target: WriteTarget) => Promise<WriteResult>,
  { writing, calendar }: Turn,
): Promise<readonly EventResource[]> {
  const [master] = resources;
  if (master === undefined)
    throw new ProviderError('invalid_response', 'The provider answered no event for the new series');
  const { href, etag } = master;
  try {
    return merged(resources, await write({ ...targetIn(resources, instance), href, etag }));
  } catch (reason) {
    if (!(reason instanceof ProviderError) || reason.kind !== 'precondition_failed') throw reason;
    const current = await writing.read(calendar.href, href);
    if (current === undefined) throw new ProviderError('not_found', 'The new series was deleted meanwhile');
    return merged(current, await write({ ...targetIn(current, instance), href, etag: current[0]?.etag }));
  }
}

function targetIn(
  resources: readonly EventResource[],
  instance: EventTime,
): Pick<WriteTarget, 'instance' | 'override' | 'stored'> {
  const isIt = (time: EventTime | undefined) => JSON.stringify(time) === JSON.stringify(instance);
  const apart = resources.find(
    ({ seriesId, events }) => seriesId !== undefined && events.some(({ recurrenceId }) => isIt(recurrenceId)),
  );
  return {
    instance,
    stored: resources,
    ...(apart === undefined ? {} : { override: { href: apart.href, etag: apart.etag } }),
  };
}

function merged(resources: readonly EventResource[], { changed, removed }: WriteResult): EventResource[] {
  const all = new Map(resources.map((resource) => [resource.href, resource]));
  for (const href of removed) all.delete(href);
  for (const resource of changed) all.set(resource.href, resource);
  return [...all.values()];
}

const MOST_TRIES = 3;

/** Ends the old series, unless that is done; fails as `precondition_failed` when it is not what the plan was made from. */
export async function trimSeries(plan: SplitPlan, turn: Turn): Promise<WriteResult> {
  const { seriesHref, hrefs, trimmed } = plan;
  for (let tries = 1; ; tries += 1) {
    const resources = await turn.writing.read(turn.calendar.href, seriesHref);
    const series = seriesIn(resources ?? []);
    if (resources === undefined || series === undefined) {
      throw new ProviderError('not_found', 'The series was deleted meanwhile');
    }
    if (isTrimmed(series.master, plan)) {
      // An earlier try trimmed it and ended before the mirror had it.
      const removed = hrefs.filter((href) => !hrefsOf(resources).has(href));
      return withoutLater({ before: resources, result: { changed: resources, removed } }, plan, turn);
    }
    if (fingerprintOf(series, plan) !== plan.from) {
      throw new ProviderError('precondition_failed', 'The series was changed by somebody else meanwhile');
    }
    try {
      const target = { href: seriesHref, etag: resources[0]?.etag, stored: resources };
      const result = await turn.writing.update(turn.calendar.href, target, { recurrence: trimmed });
      return await withoutLater({ before: resources, result }, plan, turn);
    } catch (reason) {
      const isStale = reason instanceof ProviderError && reason.kind === 'precondition_failed';
      if (!isStale || tries === MOST_TRIES) throw reason;
    }
  }
}

/** A deletion with `following`: ends the series before the instance, in one conditional write. */
export async function endSeriesBefore(
  { master, instance }: Following,
  { href, etag, stored }: WriteTarget,
  turn: Turn,
): Promise<void> {
  const { calendar, writing, keep } = turn;
  const cut = { at: instance.originalStart, calendarZone: calendar.timeZone };
  const recurrence = trimmedRules(master.event, cut);
  const result = await writing.update(calendar.href, { href, etag, stored }, { recurrence });
  await keep(await withoutLater({ before: stored, result }, { seriesHref: href, ...cut }, turn));
}

/** What trimming a series answered, and what there was before. */
type Trimming = { readonly before: readonly EventResource[]; readonly result: WriteResult };

/** Deletes the exceptions behind the cut that the adapter did not delete with the rules. */
async function withoutLater(
  { before, result }: Trimming,
  { seriesHref, ...cut }: Cut & { readonly seriesHref: string },
  { writing, calendar }: Turn,
): Promise<WriteResult> {
  const had = seriesIn(before);
  const isLater = (event: CalendarEvent) => had !== undefined && isFrom(event, had.master, cut);
  if (!had?.overrides.some(isLater)) return result;
  let resources = (await writing.read(calendar.href, seriesHref)) ?? result.changed;
  const later = (seriesIn(resources)?.overrides ?? []).filter(
    (event) => isLater(event) && event.status !== 'cancelled',
  );
  for (const { recurrenceId } of later) {
    const [whole] = resources;
    if (recurrenceId === undefined || whole === undefined) continue;
    const { href, etag } = whole;
    await writing.delete(calendar.href, { ...targetIn(resources, recurrenceId), href, etag });
    resources = (await writing.read(calendar.href, seriesHref)) ?? resources;
  }
  const gone = before.map(({ href }) => href).filter((href) => !hrefsOf(resources).has(href));
  return { changed: resources, removed: [...new Set([...result.removed, ...gone])] };
}

const hrefsOf = (resources: readonly EventResource[]): ReadonlySet<string> =>
  new Set(resources.map(({ href }) => href));
