import type { Stores } from '../../src/start/open-storage.ts';
import { beginFamily } from '../../src/store/oauth/token-family-store.ts';
import { REDIRECT_URI } from './oauth-calls.ts';

const ROWS_PER_TRANSACTION = 2000;

/** Writes the records of as many approvals of `user-<number>`, and returns their codes. */
export async function seedCodes(
  { db, now }: Stores,
  clientId: string,
  { from, count, scope = 'read' }: { from: number; count: number; scope?: 'read' | 'read-write' },
): Promise<string[]> {
  const codes = Array.from({ length: count }, (_, i) => `user-${from + i}`);
  for (let at = 0; at < count; at += ROWS_PER_TRANSACTION) {
    await db.transaction(async (tx) => {
      for (const userId of codes.slice(at, at + ROWS_PER_TRANSACTION)) {
        const code = { redirectUri: REDIRECT_URI, codeChallenge: null, finishes: 0 };
        const coverageId = await beginFamily(tx, { clientId, userId, scope, ...code }, now());
        await tx.all(COVER_ALL, { coverageId, clientId, userId, scope });
      }
    });
  }
  return codes;
}

const COVER_ALL = `
  INSERT INTO grant_coverage (coverage_id, group_id, scope)
  SELECT CAST(:coverageId AS TEXT), group_id, CAST(:scope AS TEXT) FROM account_group
   WHERE client_id = :clientId AND user_id = :userId`;
