/** GET /calendars: the calendars of all connected accounts, grouped by provider (docs/wire.md 2.4). */
import { setImmediate as turn } from 'node:timers/promises';
import {
  asciiJson,
  type RenderedObject,
  renderList,
  renderMember,
  renderObject,
} from '../lib/rendered-json.ts';
import type { Grant } from '../oauth/grant.ts';
import type { EventReader } from './event-reader.ts';
import { FRESH_MS, type FreshnessDeps, freshAccounts, type Owned, type ReadProblem } from './freshness.ts';

/** The total bytes of provider objects in a response. Objects beyond it, and too large ones, are omitted. */
const MOST_ORIGINALS = 2_000_000;
/** The number of provider objects, each up to 64 kB, that are read at once. */
const AT_ONCE = 20;

export type ListCalendarsDeps = FreshnessDeps & { readonly events: Pick<EventReader, 'calendarOriginals'> };

/** Returns the JSON array and the accounts that failed to sync. Throws 403 and 503 like freshAccounts. */
export async function listCalendars(
  grant: Grant,
  deps: ListCalendarsDeps,
): Promise<{ body: string; problems: readonly ReadProblem[] }> {
  const request = {
    reader: grant,
    needs: 'read',
    listAge: FRESH_MS,
    eventAge: undefined,
    choice: undefined,
  } as const;
  const { accounts, problems } = await freshAccounts(request, deps);
  const owned = accounts.flatMap((account) => account.calendars.map((calendar) => ({ calendar, account })));
  const texts: RenderedObject[] = [];
  for (let size = 0; texts.length < owned.length; await turn()) {
    const some = owned.slice(texts.length, texts.length + AT_ONCE);
    const keys = size < MOST_ORIGINALS ? some.map(({ calendar }) => calendar.calendarKey) : [];
    const originals = await deps.events.calendarOriginals(keys);
    for (const entry of some) {
      const text = calendarText(entry, originals.get(entry.calendar.calendarKey));
      size += text.length;
      texts.push(text);
    }
  }
  return { body: renderList(texts), problems };
}

/** Renders a calendar, with `original` unless it is too large. */
export function calendarText(
  { calendar, account: { provider, accountId, display } }: Owned,
  original: RenderedObject | undefined,
): RenderedObject {
  const { href: id, title, timeZone, color, description, primary, access } = calendar;
  const names = { provider, account: accountId, accountName: display, id, title };
  const fields = { ...names, timeZone, color, description, primary, access };
  return renderObject(
    fields,
    original === undefined ? { originalTruncated: true } : renderMember('original', original),
  );
}

const LONGEST_MESSAGE = 200;

/** Returns problems as a header value: JSON in ASCII. */
export const problemsHeader = (problems: readonly ReadProblem[]): string =>
  asciiJson(problems.map((problem) => ({ ...problem, message: problem.message.slice(0, LONGEST_MESSAGE) })));
