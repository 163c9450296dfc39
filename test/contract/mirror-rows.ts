/** Calendars and events as adapters hand them to the mirror. */

import type { ProviderCalendar } from '../../src/calendars/calendar.ts';
import type { CalendarEvent, EventResource, LeftOutResource } from '../../src/calendars/event.ts';
import type { MirroredChanges } from '../../src/calendars/mirrored-event.ts';
import { renderResource } from '../../src/calendars/render-event.ts';
import type { Grant } from '../../src/oauth/grant.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import type { Stores } from '../../src/store/open-stores.ts';
import type { MirrorStore, SyncLease } from '../../src/sync/mirror-store.ts';
import { grantAll, NOW, newAccount, openWithUsers } from './calendar-rows.ts';

export const LATER = NOW + 60_000;

export function calendar(href: string, change: Partial<ProviderCalendar> = {}): ProviderCalendar {
  return {
    href,
    title: `Calendar ${href}`,
    timeZone: 'Europe/Paris',
    access: 'write',
    original: { href },
    ...change,
  };
}

/** One hour from `local` in `zone`. */
export function event(local: string, change: Partial<CalendarEvent> = {}): CalendarEvent {
  const zone = 'Europe/Paris';
  const end = Temporal.PlainDateTime.from(local).add({ hours: 1 }).toString({ smallestUnit: 'second' });
  return {
    uid: 'uid',
    title: 'Meeting',
    start: { type: 'zoned', local, zone },
    end: { type: 'zoned', local: end, zone },
    status: 'confirmed',
    availability: 'busy',
    privacy: 'public',
    attendees: [],
    ...change,
  };
}

export function resource(name: string, ...events: CalendarEvent[]): EventResource {
  return { href: `/${name}.ics`, etag: `"${name}"`, eventId: name, events, original: { name } };
}

type Change = {
  readonly changed?: readonly EventResource[];
  readonly leftOut?: readonly LeftOutResource[];
  readonly removed?: readonly string[];
};

/** Returns the changes of a sync, rendered for a calendar in Paris or another zone. */
export const changes = (
  { changed = [], leftOut = [], removed = [] }: Change,
  calendarZone = 'Europe/Paris',
): MirroredChanges => ({
  changed: changed.map((one) => renderResource(one, calendarZone)),
  leftOut,
  removed,
});

export const changesTo = (...resources: EventResource[]) => changes({ changed: resources });

export const removalOf = (...hrefs: string[]) => changes({ removed: hrefs });

export type FilledMirror = Stores & {
  db: Database;
  accountKey: string;
  /** The grant covers the account with its full scope. */
  grant: Grant;
  /** The key of the first calendar. */
  calendarKey: string;
  calendarKeys: readonly string[];
};

/** Creates Ada's account with these calendars, never synced. */
export async function mirrorWith(db: Database, ...calendars: ProviderCalendar[]): Promise<FilledMirror> {
  const stores = await openWithUsers(async () => db);
  const { accountKey } = await stores.accounts.linkAccount(newAccount(), NOW);
  const grant = await grantAll(db);
  const calendarKeys = await listed(stores, accountKey, calendars);
  return { ...stores, accountKey, grant, calendarKeys, calendarKey: calendarKeys[0] ?? '' };
}

/** Makes these the calendars of the account and returns their keys without those left out. */
export async function listed(
  { mirror }: Pick<Stores, 'mirror'>,
  accountKey: string,
  calendars: readonly ProviderCalendar[],
): Promise<string[]> {
  const lease = { key: accountKey, holder: 'setup' };
  await mirror.leaseList(lease, NOW, LATER);
  await mirror.replaceCalendars(lease, calendars, NOW);
  return (await mirror.listCalendars(accountKey)).map(({ calendarKey }) => calendarKey);
}

/** Takes and returns the lease of a calendar. */
export async function leased(mirror: MirrorStore, key: string, holder = 'run'): Promise<SyncLease> {
  const lease = { key, holder };
  if (!(await mirror.leaseCalendar(lease, NOW, LATER))) throw new Error('The lease was held');
  return lease;
}

/** Puts resources into a calendar as one complete sync. */
export async function fill(mirror: MirrorStore, key: string, ...resources: EventResource[]): Promise<void> {
  const lease = await leased(mirror, key);
  const { timeZone } = (await mirror.findCalendar(key)) ?? {};
  await mirror.applyChanges(lease, changes({ changed: resources }, timeZone), LATER);
  await mirror.finishSync(lease, 'token', NOW);
}
