/** Writes of a refresh: its row, on the same page, and no index. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { newTokenIn, type RefreshTokenId } from '../../src/oauth/refresh-token-id.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { hashOfTokenId, tokenFamilyStore } from '../../src/store/oauth/token-family-store.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { successorOf } from '../contract/grant-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';

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
      for (const first of some)
        assert.ok(await families.rotateRefreshToken(first, successorOf(first), { now: NOW }));

      assert.ok(new Set(before.values()).size > 3);
      assert.deepEqual(await pages(db), before);
    });
  });
});

/** In one transaction, which is flushed once; a redemption would leave dead rows. Returns the tokens. */
function beginMany(db: Database): Promise<RefreshTokenId[]> {
  return db.transaction(async (tx) => {
    const made = Array.from({ length: GRANTS }, (_, familyId) => newTokenIn(familyId));
    for (const [familyId, first] of made.entries())
      await tx.change(BEGIN, { familyId, tokenHash: hashOfTokenId(first), now: NOW });
    return made;
  });
}

const BEGIN = `
  INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, coverage_id, created_at, refreshed_at)
  VALUES (:familyId, :tokenHash, 'acme', 'ada', 'read', 'none', :now, :now)`;

/** The page of each grant. */
async function pages(db: Database): Promise<Map<number, number>> {
  const rows = await db.all<{ familyId: number; page: number }>(
    `SELECT family_id AS "familyId", (ctid::text::point)[0]::integer AS "page" FROM token_family`,
  );
  return new Map(rows.map(({ familyId, page }) => [familyId, page]));
}
