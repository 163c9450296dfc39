/** A mirror in memory, kept as the real one is: from the parts an adapter yields. */
import assert from 'node:assert/strict';

import type { CalendarAccount } from '../../src/calendars/calendar-provider.ts';
import type { EventResource } from '../../src/calendars/event.ts';

/** The resources that a mirror holds after the parts were applied in order. */
export type Mirror = Map<string, EventResource>;

/** Applies one sync to a mirror and answers the next token. */
export async function sync(
  account: CalendarAccount,
  calendar: string,
  mirror: Mirror,
  token?: string,
): Promise<{ next: string; changed: string[]; removed: string[]; parts: number }> {
  const changed: string[] = [];
  const removed: string[] = [];
  let next: string | undefined;
  let parts = 0;
  const storedVersions = async () => new Map([...mirror].map(([href, { etag }]) => [href, etag]));
  const fresh: Mirror = new Map();
  let complete = false;
  for await (const part of account.changesSince(calendar, token, storedVersions)) {
    parts += 1;
    complete ||= part.complete;
    for (const resource of part.changed) {
      changed.push(resource.href);
      (part.complete ? fresh : mirror).set(resource.href, resource);
    }
    for (const { href, etag } of part.leftOut ?? []) {
      const resource = { href, etag, eventId: href, events: [], original: {} };
      (part.complete ? fresh : mirror).set(href, resource);
    }
    for (const href of part.unchanged ?? []) {
      const resource = mirror.get(href);
      assert.ok(resource, `Unchanged is only what the mirror has: ${href}`);
      if (part.complete) fresh.set(href, resource);
    }
    for (const href of part.removed) if (mirror.delete(href)) removed.push(href);
    next = part.next ?? next;
  }
  if (complete) {
    for (const href of mirror.keys()) if (!fresh.has(href)) removed.push(href);
    mirror.clear();
    for (const [href, resource] of fresh) mirror.set(href, resource);
  }
  assert.ok(next !== undefined, 'The last part has the next token');
  return { next, changed, removed, parts };
}

/** The titles of all events, sorted. */
export const titles = (mirror: Mirror): string[] =>
  [...mirror.values()].flatMap(({ events }) => events.map(({ title }) => title)).sort();
