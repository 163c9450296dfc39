/** Requests that are slow, large, many or deep harm nobody else (docs/security.md T13): the program as it is shipped. */
import { after, describe, it } from 'node:test';
import { onEachDatabase } from '../harness/databases.ts';
import { Stage } from './judge.ts';
import { ALL_SLOW, REQUEST_CASES } from './request-cases.ts';

onEachDatabase((database, _open, place) => {
  if (database !== 'SQLite') return; // Nothing here comes to the database.

  describe('hostile requests', () => {
    const stage = new Stage(async () => ({ databaseUrl: (await place()).databaseUrl }));
    after(() => stage.close());

    // First, on a new program: what earlier cases left with the allocator would not be these clients' doing.
    it('slow clients of every kind are ended after half a minute, and others do not wait for them', (t) =>
      stage.judge(t, ALL_SLOW));

    for (const hostile of REQUEST_CASES) {
      it(`others do not wait for ${hostile.name}`, (t) => stage.judge(t, hostile));
    }
  });
});
