/** What calendar servers say harms nobody but their own users (docs/security.md T13): the program as it is shipped. */
import { after, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import { type HostileCase, READ_CASES, SERVER_CASES } from './cases.ts';
import { Stage } from './judge.ts';
import { DRIP_CASE, HOMES_CASE, largeCalendar } from './sync-cases.ts';

/** The setting makes the quota small, so that it is met soon. */
const QUOTA_MEGABYTES = 30;
const ALL = [
  ...SERVER_CASES,
  ...READ_CASES,
  HOMES_CASE,
  largeCalendar('a calendar of 40 MB', QUOTA_MEGABYTES),
  DRIP_CASE,
];
/** On the second database: what it has a part in. */
const SHORT = /8 events with 100,000|objects that change|40 MB|drip/;

onEachDatabase((database, _open, place) => {
  const cases: readonly HostileCase[] =
    database === 'SQLite' ? ALL : ALL.filter(({ name }) => SHORT.test(name));

  describe(`hostile calendar servers on ${database}`, () => {
    const stage = new Stage(async () => ({
      databaseUrl: (await place()).databaseUrl,
      env: { KALENDS_LIMIT_MEGABYTES_PER_CALENDAR: String(QUOTA_MEGABYTES) },
    }));
    after(() => stage.close());

    for (const hostile of cases) {
      it(`others do not wait for ${hostile.name}`, (t) => stage.judge(t, hostile));
    }
  });
});
