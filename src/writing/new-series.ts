/** The first step of a split: the new series, with its exceptions, whole before anything is taken from the old one. */
import type { EventResource } from '../calendars/event.ts';
import type { WriteTarget, Written } from '../calendars/event-writing.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { UnsupportedByProvider } from '../calendars/unsupported.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import type { Turn } from './calendar-turn.ts';
import type { SplitPlan } from './split-plan.ts';

/**
 * The resources of the new series, the master's first. Done again, it leaves the same: the creation is known by its key,
 * and an exception is changed to what it is already.
 */
export async function makeNewSeries(
  plan: SplitPlan,
  turn: Turn,
  atStep: ((step: string) => Promise<void>) | undefined,
): Promise<readonly EventResource[]> {
  const { made, left } = await create(plan, turn);
  await atStep?.('new series');
  let resources = made;
  for (const instance of left) {
    resources = await onNewest(resources, instance, turn, (target) =>
      turn.writing.delete(turn.calendar.href, target),
    );
  }
  for (const { instance, change } of plan.exceptions) {
    resources = await onNewest(resources, instance, turn, (target) =>
      turn.writing.update(turn.calendar.href, target, change),
    );
    await atStep?.('exception');
  }
  return resources;
}

/** `left`: what does not take place and could not be said with the rules, where a provider takes rules alone. */
async function create(
  { draft, key, cancelled }: SplitPlan,
  { writing, calendar }: Turn,
): Promise<{ made: readonly EventResource[]; left: readonly EventTime[] }> {
  try {
    return { made: (await writing.create(calendar.href, draft, key)).changed, left: [] };
  } catch (reason) {
    const { recurrence } = draft;
    if (!(reason instanceof UnsupportedByProvider) || recurrence === undefined || cancelled.length === 0)
      throw reason;
    const bare = { ...draft, recurrence: { ...recurrence, exdates: [] } };
    return { made: (await writing.create(calendar.href, bare, key)).changed, left: cancelled };
  }
}

/** One change of one instance, on the version that is there: only a repetition finds another than its own. */
async function onNewest(
  resources: readonly EventResource[],
  instance: EventTime,
  { writing, calendar }: Turn,
  write: (target: WriteTarget) => Promise<Written>,
): Promise<readonly EventResource[]> {
  const [master] = resources;
  if (master === undefined)
    throw new ProviderError('invalid_response', 'The provider answered no event for the new series');
  try {
    return merged(
      resources,
      await write({ ...targetIn(resources, instance), href: master.href, etag: master.etag }),
    );
  } catch (reason) {
    if (!(reason instanceof ProviderError) || reason.kind !== 'precondition_failed') throw reason;
    const current = await writing.read(calendar.href, master.href);
    if (current === undefined) throw new ProviderError('not_found', 'The new series was deleted meanwhile');
    const newest = { href: master.href, etag: current[0]?.etag };
    return merged(current, await write({ ...targetIn(current, instance), ...newest }));
  }
}

function targetIn(
  known: readonly EventResource[],
  instance: EventTime,
): Pick<WriteTarget, 'instance' | 'override' | 'known'> {
  const isIt = (time: EventTime | undefined) => JSON.stringify(time) === JSON.stringify(instance);
  const apart = known.find(
    ({ seriesId, events }) => seriesId !== undefined && events.some(({ recurrenceId }) => isIt(recurrenceId)),
  );
  return {
    instance,
    known,
    ...(apart === undefined ? {} : { override: { href: apart.href, etag: apart.etag } }),
  };
}

function merged(resources: readonly EventResource[], { changed, removed }: Written): EventResource[] {
  const all = new Map(resources.map((resource) => [resource.href, resource]));
  for (const href of removed) all.delete(href);
  for (const resource of changed) all.set(resource.href, resource);
  return [...all.values()];
}
