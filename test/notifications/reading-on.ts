/** What a reader of the API finds: everything, or all that came after a cursor. */
import assert from 'node:assert/strict';

import { type CalendarServer, get } from '../harness/calendar-server.ts';
import { type Events, type Place, textOf } from './told-state.ts';

type Event = Readonly<Record<string, unknown>>;

const WINDOW = 'start=2026-11-01T00:00:00Z&end=2026-12-01T00:00:00Z&pageSize=250';

/** All events of November 2026, page by page. */
export async function mirrored(server: CalendarServer, token: string): Promise<Events> {
  const events = new Map<string, string>();
  for (let query = WINDOW; ; ) {
    const answer = await get(server, `/events?${query}`, token);
    assert.equal(answer.statusCode, 200, answer.body);
    const page = answer.json<{ events: Event[]; nextPageToken?: string }>();
    for (const event of page.events) events.set(String(event.id), textOf(event));
    if (page.nextPageToken === undefined) return events;
    query = `pageSize=250&pageToken=${page.nextPageToken}`;
  }
}

/** What a reader that knows what was told up to the place does not end with; empty where nothing is missing. */
export async function missedAfter(
  { calendarId, cursor, told }: Place,
  reader: { readonly server: CalendarServer; readonly token: string },
  { state, hrefOf }: { readonly state: Events; readonly hrefOf: (id: string) => string },
): Promise<string[]> {
  const read = new Map(told);
  for (const { changeType, event } of await changesAfter(reader, cursor)) {
    if (changeType === 'deleted') read.delete(String(event.id));
    else read.set(String(event.id), textOf(event));
  }
  const ids = new Set([...read.keys(), ...[...state.keys()].filter((id) => hrefOf(id) === calendarId)]);
  return [...ids]
    .filter((id) => read.get(id) !== state.get(id))
    .map((id) => `${id}: read ${read.get(id)}, mirrored ${state.get(id)}`);
}

type Change = { readonly changeType: string; readonly event: Event };

async function changesAfter(
  { server, token }: { readonly server: CalendarServer; readonly token: string },
  cursor: string,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (let next = cursor; ; ) {
    const answer = await get(server, `/events/changes?cursor=${next}&pageSize=1000`, token);
    assert.equal(answer.statusCode, 200, answer.body);
    const page = answer.json<{ changes: Change[]; cursor: string; more: boolean }>();
    changes.push(...page.changes);
    if (!page.more) return changes;
    next = page.cursor;
  }
}
