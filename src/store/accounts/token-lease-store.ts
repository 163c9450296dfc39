/** TokenLeaseStore in SQL; held to test/contract/token-lease-store.contract.ts on both databases. */
import type { TokenLeaseStore } from '../../access/token-lease-store.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { Database } from '../drivers/database.ts';
import { scheduleJob } from '../jobs/job-rows.ts';
import { credentialSealer } from './account-rows.ts';

type CredentialsRow = {
  credentials: string;
  version: number;
  failures: number;
  failedAt: number | undefined;
  failure: string | undefined;
};

const NOBODY = 'renewal_holder = NULL, renewal_until = NULL';
export const NO_FAILURE = 'renewal_failures = 0, renewal_failure = NULL, renewal_failed_at = NULL';

export function tokenLeaseStore(db: Database, sealer: Sealer, jobScheduled = () => {}): TokenLeaseStore {
  const { seal, open } = credentialSealer(sealer);
  return {
    async findCredentials(accountKey) {
      const row = await db.get<CredentialsRow>(
        `SELECT credentials, credentials_version AS version, renewal_failures AS failures,
                renewal_failed_at AS failed_at, renewal_failure AS failure
           FROM account WHERE account_key = :accountKey`,
        { accountKey },
      );
      if (row === undefined) return undefined;
      return {
        ...row,
        credentials: open(accountKey, row.credentials),
        failure: row.failure === undefined ? undefined : JSON.parse(row.failure),
      };
    },

    async leaseTokens({ accountKey, version, holder, failures }, now, until) {
      const leased = await db.change(
        `UPDATE account SET renewal_holder = :holder, renewal_until = :until
          WHERE account_key = :accountKey AND (renewal_holder IS NULL OR renewal_until <= :now)
            AND credentials_version = :version AND renewal_failures = :failures`,
        { accountKey, version, holder, failures, now, until },
      );
      return leased > 0;
    },

    async storeRenewed({ accountKey, version }, credentials, now) {
      const sealed = seal(accountKey, credentials);
      const stored = await db.transaction(async (tx) => {
        const row = await tx.get<{ health: string }>(
          `UPDATE account SET credentials = :sealed, credentials_version = credentials_version + 1,
                  ${NOBODY}, ${NO_FAILURE}
            WHERE account_key = :accountKey AND credentials_version = :version
           RETURNING health`,
          { accountKey, version, sealed },
        );
        // Reads skip such an account, so a sync has to find out that it works again.
        if (row?.health === 'reauth_required')
          await scheduleJob(tx, { kind: 'sync-account', key: accountKey }, now);
        return row;
      });
      if (stored?.health === 'reauth_required') jobScheduled();
      return stored !== undefined;
    },

    async failRenewal({ accountKey, version, holder }, failure, now) {
      const updated = await db.change(
        `UPDATE account SET renewal_failures = renewal_failures + 1, renewal_failure = :failure,
                renewal_failed_at = :now, ${NOBODY}
          WHERE account_key = :accountKey AND credentials_version = :version AND renewal_holder = :holder`,
        { accountKey, version, holder, failure: JSON.stringify(failure), now },
      );
      return updated > 0;
    },
  };
}
