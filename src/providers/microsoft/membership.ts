/**
 * Checks whether an event is in a calendar. Ids survive a move to another calendar or to Deleted Items, and a read by
 * id finds the event at any calendar's address. So only a listing of the calendar proves it.
 */
import { VERSIONS_PER_PAGE } from './event-queries.ts';
import { type GraphItem, isSeries } from './event-resource.ts';
import type { Source } from './read-events.ts';

export type Version = { readonly changeKey: string | undefined; readonly series: boolean };

/** Lists the versions of all single events and masters, by id. */
export async function listVersions(source: Source): Promise<ReadonlyMap<string, Version>> {
  const versions = new Map<string, Version>();
  for await (const page of listVersionPages(source))
    for (const [id, version] of page) versions.set(id, version);
  return versions;
}

/** Returns the `ids` that a listing contains. Reads it only as far as the last of them. */
export async function findListed(source: Source, ids: Iterable<string>): Promise<ReadonlySet<string>> {
  const missing = new Set(ids);
  const listed = new Set<string>();
  if (missing.size === 0) return listed;
  for await (const page of listVersionPages(source)) {
    for (const [id] of page) if (missing.delete(id)) listed.add(id);
    if (missing.size === 0) break;
  }
  return listed;
}

/** Returns whether one of two listings has the event. One may miss it, since pages shift while they are read. */
export async function isInCalendar(source: Source, id: string): Promise<boolean> {
  for (let listings = 0; listings < 2; listings += 1)
    if ((await findListed(source, [id])).size > 0) return true;
  return false;
}

async function* listVersionPages({
  graph,
  url,
}: Source): AsyncGenerator<readonly (readonly [id: string, version: Version])[]> {
  const request = {
    operation: 'events.list',
    url: `${url}/events?$select=id,changeKey,type&$top=${VERSIONS_PER_PAGE}`,
  };
  for await (const { value } of graph.list<GraphItem>(request))
    yield value.flatMap((item) =>
      !item.id || item.type === 'occurrence' || item.type === 'exception'
        ? []
        : [[item.id, { changeKey: item.changeKey ?? undefined, series: isSeries(item) }] as const],
    );
}
