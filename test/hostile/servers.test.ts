/** Data from hostile calendar servers harms only their own users (docs/security.md T13), on the shipped program. */
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import {
  FEED_CASES,
  type HostileCase,
  LISTING_CASES,
  OBJECT_CASES,
  ofSoak,
  ofThisRun,
  READ_CASES,
} from './cases.ts';
import { Stage } from './judge.ts';
import { DRIP_CASE, HOMES_CASE, largeCalendar } from './sync-cases.ts';

/** The setting makes the quota small, so that it is reached soon. */
const QUOTA_MEGABYTES = 30;
const LARGE_CASE = largeCalendar('a calendar of 40 MB', QUOTA_MEGABYTES);
const POISON_CASES = [...OBJECT_CASES, ...LISTING_CASES].filter(({ name }) =>
  /^8 events with 100,000|objects that change/.test(name),
);
/** Each part runs on its own process, so that its memory is measured separately. */
const PARTS: Readonly<Record<string, readonly HostileCase[]>> = {
  'what hostile calendar servers say an event is': OBJECT_CASES,
  'what they list': LISTING_CASES,
  'what is published at an address': FEED_CASES,
  'what reading it costs': READ_CASES,
  'what they do to forms, disk and background work': [HOMES_CASE, LARGE_CASE, DRIP_CASE],
};
const PARTS_OF_POSTGRES: typeof PARTS = {
  'what hostile calendar servers do to disk and background work': [
    DRIP_CASE,
    ...[LARGE_CASE, ...POISON_CASES].map(ofSoak),
  ],
};

onEachDatabase((database, _open, place) => {
  describe(`others beside hostile calendar servers, on ${database}`, () => {
    const stage = new Stage(async () => ({
      databaseUrl: (await place()).databaseUrl,
      env: { KALENDS_LIMIT_MEGABYTES_PER_CALENDAR: String(QUOTA_MEGABYTES) },
    }));
    after(() => stage.close());

    for (const [part, all] of Object.entries(database === 'SQLite' ? PARTS : PARTS_OF_POSTGRES)) {
      describe(part, () => {
        before(() => stage.renew());

        for (const hostile of ofThisRun(all)) {
          it(`others do not wait for ${hostile.name}`, (t) => stage.judge(t, hostile));
        }
      });
    }
  });
});
