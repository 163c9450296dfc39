/** EndedAccessStore in SQL; held to test/contract/ended-access-store.contract.ts on both databases. */
import { randomUUID } from 'node:crypto';
import type { EndedAccess, EndedAccessStore } from '../../access/ended-access-store.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { Database } from '../drivers/database.ts';
import { scheduleJob } from '../jobs/job-rows.ts';
import { credentialSealer } from './account-rows.ts';

type AccessRow = Omit<EndedAccess, 'credentials'> & { readonly credentials: string };

export function endedAccessStore(db: Database, sealer: Sealer, jobScheduled = () => {}): EndedAccessStore {
  const { seal, open } = credentialSealer(sealer);
  return {
    async addEndedAccess({ clientId, provider, accountId, identity, credentials }, now) {
      const accountKey = randomUUID();
      const sealed = seal(accountKey, credentials);
      await db.transaction(async (tx) => {
        const added = await tx.change(
          `INSERT INTO ended_access (account_key, client_id, provider, account_id, identity, credentials, ended_at)
           SELECT CAST(:accountKey AS TEXT), client_id, CAST(:provider AS TEXT), CAST(:accountId AS TEXT),
                  CAST(:identity AS TEXT), CAST(:sealed AS TEXT), CAST(:now AS BIGINT)
             FROM application WHERE client_id = :clientId`,
          { accountKey, clientId, provider, accountId, identity: identity ?? null, sealed, now },
        );
        if (added > 0) await scheduleJob(tx, { kind: 'end-access', key: accountKey }, now);
      });
      jobScheduled();
    },

    async findEndedAccess(accountKey) {
      const row = await db.get<AccessRow>(
        `SELECT account_key, client_id, provider, account_id, identity, credentials, ended_at
           FROM ended_access WHERE account_key = :accountKey`,
        { accountKey },
      );
      return row && { ...row, credentials: open(accountKey, row.credentials) };
    },

    async credentialsOfSameAccount({ provider, accountId, identity }) {
      const rows = await db.all<{ accountKey: string; credentials: string }>(
        `SELECT account_key, credentials FROM account
          WHERE provider = :provider
            AND (account_id = :accountId OR identity = CAST(:identity AS TEXT))
            AND NOT EXISTS (SELECT 1 FROM account_group AS g WHERE g.group_id = account.group_id AND g.expires_at = 0)`,
        { provider, accountId, identity: identity ?? null },
      );
      return rows.map((row) => open(row.accountKey, row.credentials));
    },

    async deleteEndedAccess(accountKey) {
      await db.change('DELETE FROM ended_access WHERE account_key = :accountKey', { accountKey });
    },
  };
}
