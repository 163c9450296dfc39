/**
 * `following` on a series: a new series from one instance on, then the old one ends before it. The order and the journal
 * are what keeps it whole: nothing is taken away before its replacement is there, every step can be done again, and what
 * a crash leaves half done is finished, or undone when the series was changed meanwhile, before the next write of the
 * calendar or by a job.
 *
 *   planned ──▶ new series made, with its exceptions ──▶ created ──▶ old series trimmed ──▶ closed
 *      └──────────────────────────────┴─▶ undoing ──▶ new series deleted ──▶ closed
 */
import { randomBytes, randomUUID } from 'node:crypto';

import type { CalendarEvent, EventResource } from '../calendars/event.ts';
import type { WriteTarget, Written } from '../calendars/event-writing.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { UnsupportedByProvider } from '../calendars/unsupported.ts';
import { LEASE_MS } from '../sync/event-sync.ts';
import type { Turn } from './calendar-turn.ts';
import { wordsOf } from './event-draft.ts';
import type { EventInput } from './event-input.ts';
import { type Scope, timesOf } from './event-scope.ts';
import { changedTimes, ruleText } from './event-times.ts';
import type { Fields } from './fields.ts';
import { makeNewSeries } from './new-series.ts';
import { refuseOtherDays } from './other-days.ts';
import type { OpenSplit } from './split-journal.ts';
import { fingerprintOf, isFrom, isTrimmed, planSplit, type SplitPlan, trimmedRules } from './split-plan.ts';
import type { WriteDeps } from './write-deps.ts';

type Following = Extract<Scope, { of: 'following' }>;
type SplitDeps = Pick<WriteDeps, 'splits' | 'now' | 'atStep'>;

export type SplitRequest = {
  readonly input: EventInput;
  readonly fields: Fields;
  readonly scope: Following;
  readonly written: WriteTarget;
};

/** Answers the id of the new series. Throws 400, and what the provider failed with once nothing is half done. */
export async function splitSeries(request: SplitRequest, turn: Turn, deps: WriteDeps): Promise<string> {
  const { calendarKey } = turn.calendar;
  const plan = planOf(request, turn);
  const split: OpenSplit = {
    splitId: randomUUID(),
    calendarKey,
    step: 'planned',
    plan: JSON.stringify(plan),
  };
  await deps.splits.openSplit(split, deps.now(), deps.now() + LEASE_MS);
  await deps.atStep?.('planned');
  return runSplit(split.splitId, plan, turn, deps);
}

function planOf({ input, fields, scope, written }: SplitRequest, { calendar }: Turn): SplitPlan {
  const { master, instance } = scope;
  const calendarZone = calendar.timeZone;
  const { timeZone } = input;
  const shown = timesOf(instance, calendarZone);
  const meant = changedTimes(input, shown, { calendarZone, recurs: true }, fields);
  const usual = timesOf({ ...instance, override: undefined }, calendarZone);
  const times = meant ?? usual;
  const rule =
    input.recurrence && ruleText(input.recurrence, times.start, { calendarZone, timeZone }, fields);
  if (rule === undefined) {
    refuseOtherDays(master.event, instance.originalStart, times.start, calendarZone, fields);
  }
  fields.done();
  const series = seriesIn(written.known);
  if (series === undefined) throw new Error('A series was to be split that has no master');
  const wanted = { words: wordsOf(input), times, moved: meant !== undefined, rule };
  const key = randomBytes(16).toString('hex');
  const hrefs = written.known.map(({ href }) => href);
  const context = { seriesHref: master.href, hrefs, calendarZone, key };
  return planSplit(series, instance.originalStart, wanted, context);
}

/** Does what is still to be done. Safe to call again at any point. */
async function runSplit(splitId: string, plan: SplitPlan, turn: Turn, deps: SplitDeps): Promise<string> {
  let made: readonly EventResource[] = [];
  try {
    made = await makeNewSeries(plan, turn, deps.atStep);
  } catch (reason) {
    if (reason instanceof UnsupportedByProvider || isRefusal(reason)) await undo(splitId, plan, turn, deps);
    throw reason;
  }
  const [first] = made;
  if (first === undefined)
    throw new ProviderError('invalid_response', 'The provider answered no event for the new series');
  const known: SplitPlan = { ...plan, newHref: first.href };
  await deps.splits.noteStep(splitId, 'created', JSON.stringify(known));
  await deps.atStep?.('created');

  const old = await trimOrUndo(splitId, known, turn, deps);
  await deps.atStep?.('trimmed');
  await turn.keep({ changed: [...old.changed, ...made], removed: old.removed });
  await deps.atStep?.('kept');
  await deps.splits.closeSplit(splitId);
  return first.eventId;
}

/** The provider said no, rather than nothing at all. */
const isRefusal = (reason: unknown): boolean =>
  reason instanceof ProviderError && reason.kind !== 'unavailable' && reason.kind !== 'invalid_response';

/** Trims the old series. What was changed meanwhile so that the plan no longer fits undoes the split. */
async function trimOrUndo(splitId: string, plan: SplitPlan, turn: Turn, deps: SplitDeps): Promise<Written> {
  try {
    return await trim(plan, turn);
  } catch (reason) {
    // Whether it was trimmed is not known: the journal stays, and who finishes it looks.
    if (reason instanceof ProviderError && !isRefusal(reason)) throw reason;
    if (reason instanceof ProviderError || reason instanceof UnsupportedByProvider) {
      await undo(splitId, plan, turn, deps);
    }
    throw reason;
  }
}

const MOST_TRIES = 3;

async function trim(plan: SplitPlan, turn: Turn): Promise<Written> {
  const { seriesHref, hrefs, at, calendarZone, trimmed } = plan;
  for (let tries = 1; ; tries += 1) {
    const resources = await turn.writing.read(turn.calendar.href, seriesHref);
    const series = seriesIn(resources ?? []);
    if (resources === undefined || series === undefined) {
      throw new ProviderError('not_found', 'The series was deleted meanwhile');
    }
    if (isTrimmed(series.master, at, calendarZone)) {
      // By a try that ended before it was kept: what went then is in the mirror still.
      const there = new Set(resources.map(({ href }) => href));
      const removed = hrefs.filter((href) => !there.has(href));
      return withoutLater(resources, { changed: resources, removed }, plan, turn);
    }
    if (fingerprintOf(series, at, calendarZone) !== plan.from) {
      throw new ProviderError('precondition_failed', 'The series was changed by somebody else meanwhile');
    }
    try {
      const target = { href: seriesHref, etag: resources[0]?.etag, known: resources };
      const written = await turn.writing.update(turn.calendar.href, target, { recurrence: trimmed });
      return await withoutLater(resources, written, plan, turn);
    } catch (reason) {
      const isStale = reason instanceof ProviderError && reason.kind === 'precondition_failed';
      if (!isStale || tries === MOST_TRIES) throw reason;
    }
  }
}

/** Ends the series before the instance: `following` of a deletion, one conditional write. */
export async function endSeriesBefore(
  { master, instance }: Following,
  target: WriteTarget,
  turn: Turn,
): Promise<void> {
  const { calendar, writing, keep } = turn;
  const { href, etag, known } = target;
  const at = instance.originalStart;
  const calendarZone = calendar.timeZone;
  const trimmed = trimmedRules(master.event, at, calendarZone);
  const written = await writing.update(calendar.href, { href, etag, known }, { recurrence: trimmed });
  await keep(await withoutLater(known, written, { seriesHref: href, at, calendarZone }, turn));
}

/**
 * Of a series that was trimmed, the exceptions from there on: an adapter drops them with the rules, and what it left is
 * deleted one by one.
 */
async function withoutLater(
  before: readonly EventResource[],
  written: Written,
  { seriesHref, at, calendarZone }: Pick<SplitPlan, 'seriesHref' | 'at' | 'calendarZone'>,
  turn: Turn,
): Promise<Written> {
  const had = seriesIn(before);
  const isLater = (event: CalendarEvent) => had !== undefined && isFrom(event, had.master, at, calendarZone);
  if (had === undefined || !had.overrides.some(isLater)) return written;
  let resources = (await turn.writing.read(turn.calendar.href, seriesHref)) ?? written.changed;
  const left = (seriesIn(resources)?.overrides ?? []).filter(
    (event) => isLater(event) && event.status !== 'cancelled',
  );
  for (const { recurrenceId } of left) {
    const [whole] = resources;
    if (recurrenceId === undefined || whole === undefined) continue;
    const own = resources.find(
      ({ seriesId, events }) =>
        seriesId !== undefined && events.some((event) => event.recurrenceId === recurrenceId),
    );
    const target = { href: whole.href, etag: whole.etag, instance: recurrenceId, known: resources };
    await turn.writing.delete(turn.calendar.href, {
      ...target,
      ...(own === undefined ? {} : { override: { href: own.href, etag: own.etag } }),
    });
    resources = (await turn.writing.read(turn.calendar.href, seriesHref)) ?? resources;
  }
  const there = new Set(resources.map(({ href }) => href));
  const gone = before.map(({ href }) => href).filter((href) => !there.has(href));
  return { changed: resources, removed: [...new Set([...written.removed, ...gone])] };
}

/** Takes the new series back. The old one was not touched. */
async function undo(splitId: string, plan: SplitPlan, turn: Turn, deps: SplitDeps): Promise<void> {
  await deps.splits.noteStep(splitId, 'undoing', JSON.stringify(plan));
  await deps.atStep?.('undoing');
  const { calendar, writing, keep } = turn;
  // A create by the same key answers the series that a lost answer may have left, and makes one to delete if none did.
  const href = plan.newHref ?? (await createdHref(plan, turn));
  const resources = href === undefined ? undefined : await writing.read(calendar.href, href);
  if (href !== undefined && resources !== undefined) {
    const gone = await writing.delete(calendar.href, { href, etag: resources[0]?.etag, known: resources });
    await keep({ changed: [], removed: [...new Set([href, ...gone.removed])] });
  }
  await deps.splits.closeSplit(splitId);
}

/** `undefined` when the provider refuses to make it: then it did not make it before either. */
async function createdHref(
  { draft, key }: SplitPlan,
  { writing, calendar }: Turn,
): Promise<string | undefined> {
  try {
    return (await writing.create(calendar.href, draft, key)).changed[0]?.href;
  } catch (reason) {
    if (reason instanceof UnsupportedByProvider || isRefusal(reason)) return undefined;
    throw reason;
  }
}

/** Finishes or undoes what is half done in the calendar. Throws what the provider failed with. */
export async function finishOpenSplits(turn: Turn, deps: SplitDeps): Promise<void> {
  for (const split of await deps.splits.openSplits(turn.calendar.calendarKey)) {
    // Written by splitSeries in this shape.
    const plan: SplitPlan = JSON.parse(split.plan);
    if (split.step === 'undoing' || !(await stillFits(plan, turn))) {
      await undo(split.splitId, plan, turn, deps);
      continue;
    }
    try {
      await runSplit(split.splitId, plan, turn, deps);
    } catch (reason) {
      // It was undone for that: the calendar is whole, and whoever asked for the split is long gone.
      if (!(reason instanceof UnsupportedByProvider) && !isRefusal(reason)) throw reason;
    }
  }
}

/** Whether the old series is as the plan found it, or trimmed as it wanted. */
async function stillFits(
  { seriesHref, at, from, calendarZone }: SplitPlan,
  { writing, calendar }: Turn,
): Promise<boolean> {
  const series = seriesIn((await writing.read(calendar.href, seriesHref)) ?? []);
  if (series === undefined) return false;
  return isTrimmed(series.master, at, calendarZone) || fingerprintOf(series, at, calendarZone) === from;
}

function seriesIn(resources: readonly EventResource[]) {
  const events = resources.flatMap((resource) => resource.events);
  const master = events.find(({ recurrenceId }) => recurrenceId === undefined);
  return master && { master, overrides: events.filter(({ recurrenceId }) => recurrenceId !== undefined) };
}
