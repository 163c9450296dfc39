/** Attacks with a hostile calendar server: each case links an account there and reads its data. */
import { read } from '../e2e/flow.ts';
import { scale } from '../harness/rounds.ts';
import type { FeedName } from '../servers/evil-feeds.ts';
import type { ShapeName } from '../servers/evil-shapes.ts';
import { type Arena, linkEvil, linkEvilFeed, outcome } from './arena.ts';

export type HostileCase = {
  readonly name: string;
  /** Runs only in `npm run soak`, because another case or another test covers the same weakness in every run. */
  readonly isOfSoak?: boolean;
  /** Attacks, and returns what the attacker saw: statuses, sizes. */
  run(arena: Arena): Promise<string>;
};

const MONTH = 'start=2026-01-01T00:00:00Z&end=2026-02-01T00:00:00Z';
const YEAR = 'start=2026-01-01T00:00:00Z&end=2027-01-01T00:00:00Z';
const CENTURIES = 'start=1900-01-01T00:00:00Z&end=2099-01-01T00:00:00Z';

const isSoak = scale() > 1;

/** Returns the cases of this run. */
export const ofThisRun = (cases: readonly HostileCase[]): readonly HostileCase[] =>
  cases.filter(({ isOfSoak = false }) => isSoak || !isOfSoak);

/** Reads that compute instances, busy times and changes in different ways; the first includes the wait for the sync. */
const READS_OF_EACH_KIND = [
  `/events?${YEAR}&pageSize=1000`,
  `/free-busy?${MONTH}`,
  '/events/changes?initial=true',
];
/** Every way to read. */
const READS = isSoak
  ? [
      ...READS_OF_EACH_KIND,
      `/events?${MONTH}`,
      `/events?${MONTH}&singleEvents=false`,
      `/events?${MONTH}&q=rules`,
      '/calendars',
    ]
  : READS_OF_EACH_KIND;

async function readAll(arena: Arena, token: string, paths: readonly string[]): Promise<string> {
  const seen: string[] = [];
  for (const path of paths) seen.push(await readOnce(arena, token, path));
  return seen.join(', ');
}

async function readOnce({ application }: Arena, token: string, path: string): Promise<string> {
  const { status, bytes, text } = await outcome(read(application, path, token));
  const codes = text.matchAll(/"(?:code|reason)":"(\w+)"/g);
  const said = [...new Set([...codes].map(([, code]) => code))];
  const size = bytes > 1e6 ? `${Math.round(bytes / 1e6)} MB` : '';
  return [status, ...said, size].filter((part) => part !== '').join(' ');
}

const linked = (shape: ShapeName, paths = READS): HostileCase => ({
  name: shape,
  run: async (arena) => readAll(arena, await linkEvil(arena, shape), paths),
});

/** Links an account, waits for the first sync, and sends the reads at once. */
const readAtOnce = (
  name: string,
  shape: ShapeName,
  [path, count]: readonly [string, number],
): HostileCase => ({
  name,
  async run(arena) {
    const token = await linkEvil(arena, shape);
    await readAll(arena, token, [`/events?${MONTH}&singleEvents=false`]);
    const seen = await Promise.all(Array.from({ length: count }, () => readOnce(arena, token, path)));
    return [...Map.groupBy(seen, (text) => text)].map(([text, all]) => `${all.length} × ${text}`).join(', ');
  },
});

/** Returns the same case for `npm run soak` only. */
export const ofSoak = (hostile: HostileCase): HostileCase => ({ ...hostile, isOfSoak: true });

/** Cases of one account: everything in a server's data that takes long to process. */
export const OBJECT_CASES: readonly HostileCase[] = [
  linked('one event with 400 rules'),
  ofSoak(linked('one event with 8,000 rules')),
  linked('one event with 120,000 rules'),
  linked('a line of parameters without ='),
  linked('EXDATE lists in a zone of 200 observances'),
  // Killed at it, and read to its end, in restart.test.ts.
  ofSoak(linked('8 events with 100,000 EXDATEs')),
  linked('an event with 100,000 RDATEs'),
  linked('6,000 overrides of all that follows'),
  linked('190 time zones'),
  linked('an event of 9 MB'),
];

export const LISTING_CASES: readonly HostileCase[] = [
  linked('a listing of 120,000 responses'),
  ofSoak(linked('a listing of 40,000 objects')),
  linked('a listing of 30,000 responses with 30 attributes'),
  linked('an answer of 200 MB of blanks, packed'),
  // Each read waits five seconds for a sync that starts again.
  linked('objects that change with every look', READS.slice(0, isSoak ? 2 : 1)),
  linked('8 daily events since the year 2'),
];

const linkedFeed = (name: FeedName): HostileCase => ({
  name: `${name}, by an address`,
  run: async (arena) => readAll(arena, await linkEvilFeed(arena, name), READS),
});

export const FEED_CASES: readonly HostileCase[] = [
  linkedFeed('9 MB of events that begin and do not end'),
  linkedFeed('3,000 events in 190 zones'),
  linkedFeed('5 MB of one event, many times'),
];

export const SERVER_CASES: readonly HostileCase[] = [...OBJECT_CASES, ...LISTING_CASES, ...FEED_CASES];

/** Forty are more than the queue of waiting reads. */
const READS_AT_ONCE = isSoak ? 40 : 6;

/** Data that is expensive to read. */
export const READ_CASES: readonly HostileCase[] = [
  readAtOnce(
    `${READS_AT_ONCE} reads at once of two hundred years of 4 × 20 rules`,
    '4 events with 20 rules',
    [`/events?${CENTURIES}&pageSize=1000`, READS_AT_ONCE],
  ),
  readAtOnce(
    `${READS_AT_ONCE} reads at once of the busy times of events since the year 2`,
    '8 daily events since the year 2',
    [`/free-busy?${YEAR}`, READS_AT_ONCE],
  ),
  readAtOnce('10 reads at once of a daily original of 2 MB', 'a daily event with an original of 2 MB', [
    `/events?${YEAR}&pageSize=1000`,
    10,
  ]),
  readAtOnce('10 reads at once of a daily description of 2 MB', 'a daily event with a description of 2 MB', [
    `/events?${YEAR}&pageSize=1000`,
    10,
  ]),
];
