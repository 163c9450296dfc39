/** A user whose one calendar is mirrored already, fresh for longer than the bench runs. */
import { randomUUID } from 'node:crypto';

import type { NewAccount } from '../src/calendars/account-store.ts';
import type { EventResource } from '../src/calendars/event.ts';
import { renderResource } from '../src/calendars/render-event.ts';
import type { Stores } from '../src/start/open-storage.ts';

const HOUR = 3_600_000;
const DAY_MS = 24 * HOUR;
const AT_ONCE = 50;
const WINDOW_START = Date.UTC(2026, 10, 1);

type User = { readonly clientId: string; readonly userId: string };

export const CALENDAR_HREF = 'https://dav.example/calendars/work/';
const CALENDAR = {
  href: CALENDAR_HREF,
  title: 'Work',
  timeZone: 'Europe/Vienna',
  access: 'write',
  original: { displayname: 'Work' },
} as const;

export async function seedUser(
  stores: Stores,
  { clientId, userId }: User,
  events: readonly EventResource[],
): Promise<void> {
  const { users, accounts, mirror } = stores;
  const now = Date.now();
  await users.loadOrCreateUser(clientId, userId, now);
  const { accountKey } = await accounts.linkAccount(accountOf(clientId, userId), now);
  await finishLinking(stores, { clientId, userId });
  const list = { key: accountKey, holder: 'bench' };
  await mirror.leaseList(list, now, now + DAY_MS);
  await mirror.replaceCalendars(list, [CALENDAR], now + DAY_MS);
  const [calendar] = await mirror.listCalendars(accountKey);
  if (calendar === undefined) throw new Error('The calendar was not stored');
  const lease = { key: calendar.calendarKey, holder: 'bench' };
  await mirror.leaseCalendar(lease, now, now + DAY_MS);
  const changed = events.map((event) => renderResource(event, CALENDAR.timeZone));
  await mirror.applyChanges(lease, { changed, leftOut: [], removed: [] }, now + DAY_MS);
  await mirror.finishSync(lease, 'token', now + DAY_MS);
}

/** A meeting of an hour in Room 4, every seventh hour of November 2026 on. */
export function meeting(index: number, title = `Meeting ${index}`): EventResource {
  const start = WINDOW_START + index * 7 * HOUR;
  const instant = (at: number) => ({
    type: 'zoned' as const,
    local: new Date(at).toISOString().slice(0, 19),
    zone: 'UTC',
  });
  const uid = `event-${index}@dav.example`;
  return {
    href: `${CALENDAR_HREF}${index}.ics`,
    etag: `"${title}"`,
    eventId: uid,
    original: { ics: `BEGIN:VEVENT\nUID:${uid}\nSUMMARY:${title}\nEND:VEVENT` },
    events: [
      {
        uid,
        title,
        start: instant(start),
        end: instant(start + HOUR),
        status: 'confirmed',
        availability: 'busy',
        privacy: 'public',
        location: 'Room 4',
        attendees: [{ email: 'grace@example.com', status: 'accepted' }],
      },
    ],
  };
}

/** Changes one event of each of these calendars, as one sync of it does. */
export async function changeCalendars(
  { mirror }: Stores,
  calendarKeys: readonly string[],
  event: EventResource,
): Promise<void> {
  const changed = [renderResource(event, CALENDAR.timeZone)];
  const change = async (key: string) => {
    const now = Date.now();
    const lease = { key, holder: randomUUID() };
    await mirror.leaseCalendar(lease, now, now + DAY_MS);
    await mirror.applyChanges(lease, { changed, leftOut: [], removed: [] }, now + DAY_MS);
    await mirror.finishSync(lease, 'token', now + DAY_MS);
  };
  const left = [...calendarKeys];
  while (left.length > 0) await Promise.all(left.splice(0, AT_ONCE).map(change));
}

/** Completes the connection of the user's accounts, as redeeming an authorization code does. */
export async function finishLinking({ db }: Pick<Stores, 'db'>, user: User): Promise<void> {
  await db.write(
    `UPDATE account_group SET expires_at = NULL, transaction_id = NULL
      WHERE client_id = :clientId AND user_id = :userId`,
    user,
  );
}

/**
 * The other arguments for connecting an account here: all accounts of a user are in one group, with the device of this
 * hash.
 */
export const linkedBy = (userId: string, deviceHash = 'bench') => ({
  provesOwner: true,
  transaction: { transactionId: `link ${userId}`, expiresAt: Date.now() + DAY_MS },
  device: { deviceHash, formerHash: undefined },
});

const accountOf = (clientId: string, userId: string): NewAccount => ({
  ...linkedBy(userId),
  identity: `https://dav.example/${userId}/`,
  clientId,
  userId,
  provider: 'caldav',
  accountId: `https://dav.example/${userId}/`,
  display: `${userId}@dav.example`,
  grantedScopes: [],
  calendarPermission: undefined,
  credentials: { username: userId, password: 'bench' },
});
