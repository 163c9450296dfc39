/** What calendar servers say harms nobody but their own users (docs/security.md T13): the program as it is shipped. */
import { after, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import { FEED_CASES, type HostileCase, LISTING_CASES, OBJECT_CASES, READ_CASES } from './cases.ts';
import { Stage } from './judge.ts';
import { DRIP_CASE, HOMES_CASE, largeCalendar } from './sync-cases.ts';

/** The setting makes the quota small, so that it is met soon. */
const QUOTA_MEGABYTES = 30;
/** Each on a program of its own, so that its memory is told apart. */
const PARTS: Readonly<Record<string, readonly HostileCase[]>> = {
  'what hostile calendar servers say an event is': OBJECT_CASES,
  'what they list': LISTING_CASES,
  'what is published at an address': FEED_CASES,
  'what reading it costs': READ_CASES,
  'what they do to forms, disk and background work': [
    HOMES_CASE,
    largeCalendar('a calendar of 40 MB', QUOTA_MEGABYTES),
    DRIP_CASE,
  ],
};
/** On the second database: what it has a part in. */
const SHORT = /8 events with 100,000|objects that change|40 MB|drip/;

onEachDatabase((database, _open, place) => {
  for (const [part, all] of Object.entries(PARTS)) {
    const cases = database === 'SQLite' ? all : all.filter(({ name }) => SHORT.test(name));
    if (cases.length === 0) continue;

    describe(`${part}, on ${database}`, () => {
      const stage = new Stage(async () => ({
        databaseUrl: (await place()).databaseUrl,
        env: { KALENDS_LIMIT_MEGABYTES_PER_CALENDAR: String(QUOTA_MEGABYTES) },
      }));
      after(() => stage.close());

      for (const hostile of cases) {
        it(`others do not wait for ${hostile.name}`, (t) => stage.judge(t, hostile));
      }
    });
  }
});
