/** Writes of a refresh: its row, on the same page, and no index. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { NewFamily } from '../../src/oauth/token-family-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { beginFamily, tokenFamilyStore } from '../../src/store/oauth/token-family-store.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { successorOf } from '../contract/grant-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';

const ada = { clientId: 'acme', userId: 'ada', scope: 'read', coverageId: 'none' } as const;
/** Some pages of grants. */
const GRANTS = 300;
/** One in 30 grants is refreshed: a few on each page. */
const REFRESHED = 30;

const INDEXES = {
  sqlite: `SELECT sql AS "text" FROM sqlite_master WHERE tbl_name = 'token_family' AND sql LIKE 'CREATE INDEX%'`,
  postgres: `SELECT indexdef AS "text" FROM pg_indexes WHERE tablename = 'token_family' AND schemaname = 'public'`,
};

onEachDatabase((database, open) => {
  describe(`a refresh on ${database}`, () => {
    it('changes nothing that an index has', async () => {
      const db = await open();

      const indexes = await db.all<{ text: string }>(INDEXES[db.dialect.engine]);

      assert.ok(indexes.length >= 3);
      for (const { text } of indexes) assert.doesNotMatch(text, /token_hash|refreshed_at/);
    });

    if (database !== 'PostgreSQL') return;

    it('leaves its row on its page, so that no index is written, however many were begun at once', async () => {
      const db = await open();
      // Dead rows that an earlier test left on a page would make room too.
      await db.write('TRUNCATE token_family');
      const families = tokenFamilyStore(db);
      const made = await beginMany(db);
      const before = await pages(db);

      const some = made.filter((_, index) => index % REFRESHED === 0);
      for (const { first } of some)
        assert.ok(await families.rotateRefreshToken(first, successorOf(first), NOW));

      assert.ok(new Set(before.values()).size > 3);
      assert.deepEqual(await pages(db), before);
    });
  });
});

/** In one transaction, which is flushed once. */
function beginMany(db: Database): Promise<NewFamily[]> {
  return db.transaction(async (tx) => {
    const made: NewFamily[] = [];
    while (made.length < GRANTS) made.push(await beginFamily(tx, ada, NOW));
    return made;
  });
}

/** The page of each grant. */
async function pages(db: Database): Promise<Map<number, number>> {
  const rows = await db.all<{ familyId: number; page: number }>(
    `SELECT family_id AS "familyId", (ctid::text::point)[0]::integer AS "page" FROM token_family`,
  );
  return new Map(rows.map(({ familyId, page }) => [familyId, page]));
}
