/** The steps of a split at the provider: creating the new series, then ending the old one. */
import type { CalendarEvent, EventResource } from '../calendars/event.ts';
import type { CopiedHalf, WriteResult, WriteTarget } from '../calendars/event-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../calendars/provider-error.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import type { Turn } from './calendar-turn.ts';
import type { Following } from './event-scope.ts';
import { type Cut, isTrimmed, trimmedRules } from './series-rules.ts';
import { fingerprintSeries, isFrom, type SplitPlan, seriesIn } from './split-plan.ts';

/** A split of the journal, and the present old series. */
export type Split = { readonly splitId: string; readonly plan: SplitPlan; readonly target: WriteTarget };

/**
 * Copies `target` into the new series and returns its resources, the master's first; empty if it was deleted. It can be
 * repeated: the provider knows the new series by its key, and an existing one is read.
 */
export async function makeNewSeries(
  { plan, target }: Split,
  turn: Turn,
  atStep: ((step: string) => Promise<void>) | undefined,
): Promise<Pick<CopiedHalf, 'changed' | 'invitations'>> {
  const { writing, calendar } = turn;
  const { key, at, later, newHref, invitations } = plan;
  if (newHref !== undefined)
    return { changed: (await writing.read(calendar.href, newHref)) ?? [], invitations };
  if (later === undefined) throw new Error('The plan of a split does not name its event');
  const copied = await writing.copyLater(calendar.href, target, { ...later, key, at });
  await atStep?.('new series');
  return copied;
}

/** Returns the new series' resources at the provider, complete or not; `undefined` if it does not exist. */
export async function findNewSeries(
  plan: SplitPlan,
  turn: Turn,
): Promise<readonly EventResource[] | undefined> {
  const { writing, calendar } = turn;
  if (plan.newHref !== undefined) return writing.read(calendar.href, plan.newHref);
  return writing.findCreated(calendar.href, plan.key);
}

export type OldSeries =
  | { readonly is: 'gone' }
  | {
      readonly is: /** As the plan found it. */
        | 'as planned'
        /** Ended before the cut, after the new series was stored in the journal. */
        | 'ended'
        | 'changed';
      readonly target: WriteTarget;
    };

/** Reads the old series from the provider. */
export async function lookAtOld(plan: SplitPlan, { writing, calendar }: Turn): Promise<OldSeries> {
  const stored = (await writing.read(calendar.href, plan.seriesHref)) ?? [];
  const series = seriesIn(stored);
  if (series === undefined) return { is: 'gone' };
  const target = { href: plan.seriesHref, etag: stored[0]?.etag, stored };
  if (plan.newHref !== undefined && isTrimmed(series.master, plan)) return { is: 'ended', target };
  return { is: fingerprintSeries(series, plan) === plan.from ? 'as planned' : 'changed', target };
}

const MOST_TRIES = 3;

/** Ends the old series unless it has ended. Throws `precondition_failed` if it differs from the plan. */
export async function trimSeries(plan: SplitPlan, turn: Turn): Promise<WriteResult> {
  const { seriesHref, hrefs, trimmed } = plan;
  for (let tries = 1; ; tries += 1) {
    const resources = await turn.writing.read(turn.calendar.href, seriesHref);
    const series = seriesIn(resources ?? []);
    if (resources === undefined || series === undefined) {
      throw new ProviderError('not_found', 'The series was deleted in the meantime');
    }
    if (isTrimmed(series.master, plan)) {
      // An earlier attempt trimmed it, but ended before it stored that in the mirror.
      const removed = hrefs.filter((href) => !collectHrefs(resources).has(href));
      return withoutLater({ before: resources, result: { changed: resources, removed } }, plan, turn);
    }
    if (fingerprintSeries(series, plan) !== plan.from) {
      throw new ProviderError('precondition_failed', 'The series was changed elsewhere in the meantime');
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

/** Deletes with `following`: ends the series before the occurrence, in one conditional write. */
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

/** The result of trimming a series, and its previous resources. */
type Trimming = { readonly before: readonly EventResource[]; readonly result: WriteResult };

/** Deletes exceptions after the cut that the adapter did not delete with the rules. Tries all before it fails. */
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
  let refusal: UnsupportedByProvider | undefined;
  for (const { recurrenceId } of later) {
    const [whole] = resources;
    if (recurrenceId === undefined || whole === undefined) continue;
    const { href, etag } = whole;
    try {
      await writing.delete(calendar.href, { ...targetIn(resources, recurrenceId), href, etag });
    } catch (reason) {
      if (!(reason instanceof UnsupportedByProvider)) throw reason;
      refusal = reason;
    }
    resources = (await writing.read(calendar.href, seriesHref)) ?? resources;
  }
  if (refusal !== undefined) throw refusal;
  const deleted = before.map(({ href }) => href).filter((href) => !collectHrefs(resources).has(href));
  return { changed: resources, removed: [...new Set([...result.removed, ...deleted])] };
}

const collectHrefs = (resources: readonly EventResource[]): ReadonlySet<string> =>
  new Set(resources.map(({ href }) => href));

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
