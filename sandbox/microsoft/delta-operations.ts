/** `/calendarView/delta`: the first call has the window, and every other one follows a link unchanged. */
import { hasEffect } from '../core/faults.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { contextOf } from './calendar-operations.ts';
import { type DeltaEntry, type DeltaPage, syncStateNotFound } from './delta-tokens.ts';
import { readWindow } from './event-operations.ts';
import { type EventResource, eventResource, instanceResource, occurrenceStub } from './event-shape.ts';
import { type GraphCall, type GraphDeps, jsonAnswer } from './graph-request.ts';
import { eventId, occurrenceId } from './item-id.ts';
import { calendarOf } from './mailbox-store.ts';
import { allowOnly, selected, withFaults } from './page.ts';

/** The page size if the client sends no `odata.maxpagesize`. No source confirms it. */
const DEFAULT_SIZE = 50;
const LARGEST_SIZE = 1000;

export function answerDelta(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  const { searchParams } = call.request.url;
  // $select, $filter, $expand, $orderby and $search are refused.
  allowOnly(searchParams, ['$skiptoken', '$deltatoken']);
  const { entries, next } = requestedPage(call, deps);
  const link = new URL(call.request.url.pathname, call.view.origin);
  link.searchParams.set(next.parameter, next.token);
  const name = next.parameter === '$skiptoken' ? '@odata.nextLink' : '@odata.deltaLink';
  const body = {
    '@odata.context': contextOf(call, 'Collection(event)'),
    [name]: link.href,
    value: withFaults(filterReported(entries, call), call.effects).map((entry) => resourceOf(entry, call)),
  };
  return jsonAnswer(body, call);
}

function requestedPage(
  { request, account, parts, prefer, effects }: GraphCall,
  { deltas }: GraphDeps,
): DeltaPage {
  const { searchParams } = request.url;
  const size = Math.min(prefer.maxPageSize ?? DEFAULT_SIZE, LARGEST_SIZE);
  const token = searchParams.get('$skiptoken') ?? searchParams.get('$deltatoken');
  if (token !== null) {
    if (hasEffect(effects, 'token_forgotten')) throw syncStateNotFound();
    return deltas.follow({ account, size }, token, (id) => calendarOf(account, id));
  }
  const calendar = calendarOf(account, parts.calendarId);
  return deltas.begin({ account, size }, calendar, readWindow(searchParams));
}

const filterReported = (entries: readonly DeltaEntry[], { effects }: GraphCall): readonly DeltaEntry[] =>
  hasEffect(effects, 'deletions_untold') ? entries.filter(({ kind }) => kind !== 'removed') : entries;

/** There is no `$select` here. */
const byDefault = (event: EventResource): Partial<EventResource> => selected(event, new URLSearchParams());

type Removed = {
  readonly '@removed': { readonly reason: 'deleted' };
  readonly id: string;
  readonly '@odata.type': string;
};

function resourceOf(entry: DeltaEntry, { view }: GraphCall): EventResource | Removed {
  switch (entry.kind) {
    case 'event':
      return { '@odata.type': '#microsoft.graph.event', ...byDefault(eventResource(entry.event, view)) };
    case 'exception':
      return {
        '@odata.type': '#microsoft.graph.event',
        ...byDefault(instanceResource(entry.instance, view)),
      };
    case 'occurrence':
      return occurrenceStub(entry.instance, view);
    case 'removed': {
      const { key, original } = entry;
      const id =
        original === undefined ? eventId(key, view.idForm) : occurrenceId(key, original, view.idForm);
      return { '@odata.type': '#microsoft.graph.event', id, '@removed': { reason: 'deleted' } };
    }
  }
}
