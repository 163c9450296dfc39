/** How the databases find an opaque code among many grants: by its index, since anybody can present one. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Database, Values } from '../../src/store/drivers/database.ts';
import { wrappedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { authorizationCodeStore } from '../../src/store/oauth/authorization-code-store.ts';
import { onEachDatabase } from '../harness/databases.ts';

const FILL = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
  INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, coverage_id, created_at, refreshed_at,
    ended_at, redirect_uri, approved_at, code_hash)
  SELECT i, '', 'acme', 'ada', 'read', CAST(i AS TEXT), 1, 1, 1, 'https://a.example/cb', 1,
         CASE WHEN i % 2 = 0 THEN 'hash ' || CAST(i AS TEXT) END
    FROM n RETURNING family_id`;

onEachDatabase((database, open) => {
  it(`on ${database}, an index finds an opaque code among 20,000 of one user`, async () => {
    const db = await open();
    await db.write(FILL);
    await db.transaction((tx) => tx.all('ANALYZE'));
    const plans: string[] = [];
    const explain = db.dialect.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const note = async (sql: string, values?: Values) => {
      const rows = await db.all<Record<string, unknown>>(`${explain} ${sql}`, values);
      plans.push(rows.map((row) => String(row['QUERY PLAN'] ?? row.detail)).join('\n'));
    };
    const explaining: Pick<Database, 'get' | 'write'> = {
      async get<Row>(sql: string, values?: Values) {
        await note(sql, values);
        return db.get<Row>(sql, values);
      },
      async write<Row>(sql: string, values?: Values) {
        await note(sql, values);
        return db.write<Row>(sql, values);
      },
    };
    const codes = authorizationCodeStore(wrappedDatabase(db, explaining));
    const presented = {
      clientId: 'acme',
      code: 'x',
      codeHash: 'hash 4712',
      redirectUri: 'x',
      approvedSince: 0,
    };

    await codes.redeemCode({ ...presented, codeChallenge: undefined }, 2);
    assert.ok(await codes.findOpaqueCode('hash 4712'));
    await codes.endRedeemedGrant({ clientId: 'acme', codeHash: 'hash 4712', redeemedSince: 0 }, 2);

    // A wrong redirect URI is looked for twice.
    assert.equal(plans.length, 4);
    for (const plan of plans) assert.match(plan, /token_family_code_hash/);
  });
});
