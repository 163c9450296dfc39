/** The work whose cost must not grow with the tables, on the stores as the program has them. */
import { hash, randomUUID } from 'node:crypto';

import { renderResource } from '../../src/calendars/render-event.ts';
import { jobClasses } from '../../src/jobs/job-kinds.ts';
import { newTokenIn, type RefreshTokenId } from '../../src/oauth/refresh-token-id.ts';
import type { Stores } from '../../src/start/open-storage.ts';
import { meeting } from '../mirror-seed.ts';
import { CLIENT_ID, EVENTS_OF_USER, type Filling, keyOf, USERS_PER_CALENDAR } from './fill-growth.ts';

export const WORKS = ['refresh', 'Bearer', 'listing', 'sync', 'job taking'] as const;
export type WorkName = (typeof WORKS)[number];

export type Work = {
  /** Does one piece of the work; different rows each time. */
  readonly once: () => Promise<void>;
  /** Runs before each measurement and completes what the previous work left over. */
  readonly before?: () => Promise<void>;
};

/**
 * The number of a table's rows in use, evenly spread: more than one measurement uses, so that memory serves none of
 * them.
 */
const IN_USE = 8_000;
/** The number of calendars in use: those that have events at the size that others are compared with. */
const CALENDARS_IN_USE = 1_000;
const HOUR_MS = 3_600_000;
const WINDOW = { start: Date.UTC(2026, 10, 1), end: Date.UTC(2026, 11, 1) };

/** Only the work on token families where nothing else is filled. */
export async function worksOn(stores: Stores, filling: Filling): Promise<Map<WorkName, Work>> {
  const refresh = await refreshing(stores, filling);
  const works = new Map<WorkName, Work>([
    ['refresh', refresh],
    ['Bearer', checking(stores, filling, refresh)],
  ]);
  if (filling.rows === 0) return works;
  return works
    .set('listing', listing(stores, filling))
    .set('sync', syncing(stores, filling))
    .set('job taking', taking(stores));
}

/** Returns at most `most` of `count` numbers, evenly spread, in an order in which neighbors lie apart. */
function spread(count: number, most = IN_USE): number[] {
  const inUse = Math.min(count, most);
  return Array.from({ length: inUse }, (_, i) => Math.floor((((i * 997) % inUse) * count) / inUse));
}

function inTurn<T>(items: readonly T[]): () => T {
  let at = 0;
  return () => {
    const item = items[at++ % items.length];
    if (item === undefined) throw new Error('There is nothing to work on');
    return item;
  };
}

type FamilyToken = { current: RefreshTokenId; readonly familyId: number };

/** Gives `most` families a current token, evenly spread and in an order in which neighbors lie apart. */
export async function giveTokens({ db }: Stores, families: number, most?: number): Promise<FamilyToken[]> {
  const tokens = spread(families, most).map((n) => ({ current: newTokenIn(n + 1), familyId: n + 1 }));
  await db.transaction(async (tx) => {
    for (const { current, familyId } of tokens)
      await tx.all('UPDATE token_family SET token_hash = :hash WHERE family_id = :familyId', {
        hash: hash('sha256', current),
        familyId,
      });
  });
  return tokens;
}

async function refreshing(stores: Stores, filling: Filling): Promise<Work> {
  const { families } = stores;
  const tokens = await giveTokens(stores, filling.families);
  const next = inTurn(tokens);
  const once = async () => {
    const token = next();
    const successor = newTokenIn(token.familyId);
    const grant = await families.rotateRefreshToken(token.current, successor, { now: Date.now() });
    if (grant === undefined) throw new Error('A refresh token was refused');
    token.current = successor;
  };
  return { once };
}

/** Each once after a refresh, which empties the memory of what was read. */
function checking({ families }: Stores, filling: Filling, refresh: Work): Work {
  const inUse = spread(filling.families);
  const next = inTurn(inUse);
  const once = async () => {
    if ((await families.findLivingGrant(next() + 1)) === undefined) throw new Error('A grant was not found');
  };
  const before = async () => {
    // On PostgreSQL the first reader of a page removes what refreshes left there.
    for (const _ of inUse) await once();
    await refresh.once();
  };
  return { once, before };
}

/** The user whose calendar has the events with this number. */
const readers = ({ rows }: Filling): number[] =>
  spread(rows / EVENTS_OF_USER, CALENDARS_IN_USE).map((n) => n * USERS_PER_CALENDAR);

function listing({ events }: Stores, filling: Filling): Work {
  const next = inTurn(readers(filling));
  const once = async () => {
    const n = next();
    const reader = {
      clientId: CLIENT_ID,
      userId: keyOf('user', n),
      scope: 'read',
      coverageId: keyOf('coverage', n),
    } as const;
    const accounts = await events.accountsOf(reader);
    const keys = accounts.flatMap(({ calendars }) => calendars.map(({ calendarKey }) => calendarKey));
    const singles = await events.singleEvents(keys, {
      window: WINDOW,
      after: undefined,
      limit: EVENTS_OF_USER,
    });
    await events.seriesIn(keys, { window: WINDOW });
    if (singles.length < EVENTS_OF_USER) throw new Error(`A listing has ${singles.length} events`);
  };
  return { once };
}

/** One changed event of a calendar, from the lease to the new sync token. */
function syncing({ mirror }: Stores, filling: Filling): Work {
  const inUse = readers(filling);
  const next = inTurn(inUse);
  const changed = [0, 1].map((turn) => [renderResource(meeting(7, `Meeting ${turn}`), 'Europe/Vienna')]);
  let at = 0;
  const once = async () => {
    const now = Date.now();
    const lease = { key: keyOf('calendar', next()), holder: randomUUID() };
    // Far ahead of whatever lease the copied calendar had.
    const later = now + 1_000 * HOUR_MS + at;
    if ((await mirror.leaseCalendar(lease, later, later + HOUR_MS)) === undefined)
      throw new Error('A calendar is leased already');
    const resources = changed[Math.floor(at++ / inUse.length) % changed.length] ?? [];
    await mirror.applyChanges(lease, { changed: resources, leftOut: [], removed: [] }, now);
    await mirror.finishSync(lease, 'token', now);
  };
  return { once };
}

/** A look for as many jobs as an instance works at once, each given back as a sync does that is due again. */
function taking({ jobs }: Stores): Work {
  const [ofSyncs] = jobClasses(48);
  if (ofSyncs === undefined) throw new Error('There are classes of jobs');
  const { kinds, most } = ofSyncs;
  const once = async () => {
    const now = Date.now();
    const holder = randomUUID();
    const terms = {
      holder,
      kinds,
      limit: 1,
      now,
      leaseUntil: now + HOUR_MS,
      most,
      running: [],
      abandoned: [],
    };
    const taken = await jobs.take(terms);
    if (taken.jobs.length === 0) throw new Error('No job was due');
    for (const job of taken.jobs) await jobs.putOff(job, holder, now - 1);
  };
  return { once };
}
