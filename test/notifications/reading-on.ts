/** Reads the API as an application: all events, or all changes after a cursor. */
import { type Events, type Place, textOf } from './told-state.ts';

/** GET of a path as a user's token allows it: the text of an answer 200. */
export type Ask = (path: string) => Promise<string>;

type Event = Readonly<Record<string, unknown>>;

const WINDOW = 'start=2026-11-01T00:00:00Z&end=2027-01-01T00:00:00Z&pageSize=250';

/** All events of November and December 2026, page by page. */
export async function mirrored(ask: Ask): Promise<Events> {
  const events = new Map<string, string>();
  for (let query = WINDOW; ; ) {
    const page: { events: Event[]; nextPageToken?: string } = JSON.parse(await ask(`/events?${query}`));
    for (const event of page.events) events.set(String(event.id), textOf(event));
    if (page.nextPageToken === undefined) return events;
    query = `pageSize=250&nextPageToken=${page.nextPageToken}`;
  }
}

/** Returns what differs from `state` for a reader that continues from the place; empty if nothing does. */
export async function missedAfter(
  { calendarId, cursor, told }: Place,
  ask: Ask,
  { state, hrefOf }: { readonly state: Events; readonly hrefOf: (id: string) => string },
): Promise<string[]> {
  const read = new Map(told);
  for (const { changeType, event } of await changesAfter(ask, cursor)) {
    if (changeType === 'deleted') read.delete(String(event.id));
    else read.set(String(event.id), textOf(event));
  }
  const ids = new Set([...read.keys(), ...[...state.keys()].filter((id) => hrefOf(id) === calendarId)]);
  return [...ids]
    .filter((id) => read.get(id) !== state.get(id))
    .map((id) => `${id}: read ${read.get(id)}, mirrored ${state.get(id)}`);
}

type Change = { readonly changeType: string; readonly event: Event };

async function changesAfter(ask: Ask, cursor: string): Promise<Change[]> {
  const changes: Change[] = [];
  for (let next = cursor; ; ) {
    const page: { changes: Change[]; cursor: string; more: boolean } = JSON.parse(
      await ask(`/events/changes?cursor=${next}&pageSize=1000`),
    );
    changes.push(...page.changes);
    if (!page.more) return changes;
    next = page.cursor;
  }
}
