/** Lists unhealthy accounts in SQL; held to its contract in test/contract on both databases. */
import { HEALTH_REASONS, type HealthReason } from '../../calendars/health-reason.ts';
import type { UnhealthyAccount, UnhealthyAccounts } from '../../user-data/unhealthy-accounts.ts';
import type { Database, Values } from '../drivers/database.ts';
import { HEALTH_COLUMNS, type HealthRow, toAccountHealth, UNFINISHED } from './account-rows.ts';

const REASONS = Object.keys(HEALTH_REASONS) as HealthReason[]; // Its keys are the literal ones.

/** Conditions for all applications and for one, each as in its index. The indexes have no healthy accounts. */
const AILING = `FROM account AS a
  WHERE a.health <> 'active' AND a.group_id NOT IN (${UNFINISHED})`;
const OF_ALL = `${AILING} AND a.health_reason || '' = :reason`;
const OF_ONE = `${AILING} AND a.client_id = :clientId AND a.health_reason = :reason`;
const count = (of: string) => `
  SELECT COUNT(*) AS count FROM (SELECT a.account_key ${of} LIMIT :most) AS counted`;
const COLUMNS = `a.account_key, a.account_id, a.client_id, a.user_id, a.provider, a.display, ${HEALTH_COLUMNS}`;
const list = (of: string) => `
  SELECT ${COLUMNS} ${of} AND (a.health_since, a.account_key) < (:since, :accountKey)
   ORDER BY a.health_since DESC, a.account_key DESC LIMIT :limit`;
const oldest = (of: string) => `
  SELECT ${COLUMNS} ${of} ORDER BY a.health_since, a.account_key LIMIT 1`;
const [OLDEST_OF_ALL, OLDEST_OF_ONE] = [oldest(OF_ALL), oldest(OF_ONE)];
const [COUNT_ALL, COUNT_ONE, LIST_ALL, LIST_ONE] = [count(OF_ALL), count(OF_ONE), list(OF_ALL), list(OF_ONE)];

type Row = HealthRow & Omit<UnhealthyAccount, 'health'>;

export function unhealthyAccounts(db: Database): UnhealthyAccounts {
  /** Reads each application by its own index. */
  const forEach = async <T>(
    clientIds: readonly string[] | undefined,
    [ofAll, ofOne]: readonly [string, string],
    values: Values,
  ): Promise<T[]> => {
    if (clientIds === undefined) return db.all<T>(ofAll, values);
    const ids = [...new Set(clientIds)];
    return (await Promise.all(ids.map((clientId) => db.all<T>(ofOne, { ...values, clientId })))).flat();
  };

  return {
    async countAiling(clientIds, most) {
      const counts = await Promise.all(
        REASONS.map(async (reason) => {
          const values = { reason, most };
          const rows = await forEach<{ count: number }>(clientIds, [COUNT_ALL, COUNT_ONE], values);
          const sum = rows.reduce((before, row) => before + row.count, 0);
          return [reason, Math.min(sum, most)] as const;
        }),
      );
      return new Map(counts.filter(([, one]) => one > 0));
    },

    async listAiling({ clientIds, reason }, { after, limit }) {
      const { since, accountKey } = after ?? { since: Number.MAX_SAFE_INTEGER, accountKey: '' };
      const values = { reason, since, accountKey, limit };
      const rows = await forEach<Row>(clientIds, [LIST_ALL, LIST_ONE], values);
      return rows.toSorted(newestFirst).slice(0, limit).map(toAilingAccount);
    },

    async findOldest({ clientIds, reason }) {
      const rows = await forEach<Row>(clientIds, [OLDEST_OF_ALL, OLDEST_OF_ONE], { reason });
      const row = rows.toSorted(newestFirst).at(-1);
      return row && toAilingAccount(row);
    },
  };
}

const newestFirst = (one: Row, other: Row): number =>
  other.healthSince - one.healthSince || (one.accountKey < other.accountKey ? 1 : -1);

function toAilingAccount(row: Row): UnhealthyAccount {
  const { accountKey, accountId, clientId, userId, provider, display } = row;
  const account = { accountKey, accountId, clientId, userId, provider, display };
  return { ...account, health: toAccountHealth(row) };
}
