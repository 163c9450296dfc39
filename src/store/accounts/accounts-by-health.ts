/** Lists accounts by health in SQL; held to its contract in test/contract on both databases. */
import { HEALTH_REASONS, type HealthReason } from '../../calendars/health-reason.ts';
import { byBytes } from '../../lib/compared-text.ts';
import { lowerCase } from '../../lib/lower-case.ts';
import type {
  AccountsByHealth,
  AccountWithHealth,
  UnhealthyFilter,
} from '../../user-data/accounts-by-health.ts';
import type { Database, Dialect, Values } from '../drivers/database.ts';
import { HEALTH_COLUMNS, type HealthRow, toAccountHealth, UNFINISHED } from './account-rows.ts';

const REASONS = Object.keys(HEALTH_REASONS) as HealthReason[]; // Its keys are the literal ones.
/** A reason's value in `ownApp`: without a provider app of the application, with one, both, or the reason is not read. */
const [ANY, NONE] = [2, -1];
/** Accounts with a reason. The indexes, which have no healthy accounts, begin with the reason. */
const unhealthyAccounts = (number: number): string => `FROM account AS a
  WHERE :ownApp${number} > ${NONE} AND a.health <> 'active' AND a.group_id NOT IN (${UNFINISHED})
    AND (:state = '' OR a.health = :state) AND (:provider = '' OR a.provider = :provider)
    AND (:ownApp${number} = ${ANY} OR CASE WHEN EXISTS (SELECT 1 FROM provider_app AS p
      WHERE p.client_id = a.client_id AND p.provider = a.provider) THEN 1 ELSE 0 END = :ownApp${number})`;

/** Statements for all applications and for one. */
type Texts = readonly [ofAll: string, ofOne: string];
/** Returns the union of what `select` reads of each reason, for all applications and for one. */
const ofReasons = (select: (of: string, reason: string) => string): Texts => {
  const union = (ofReason: (reason: string) => string) =>
    REASONS.map((reason, number) =>
      select(`${unhealthyAccounts(number)} AND ${ofReason(reason)}`, reason),
    ).join(' UNION ALL ');
  return [
    union((reason) => `a.health_reason || '' = '${reason}'`),
    union((reason) => `a.client_id = :clientId AND a.health_reason = '${reason}'`),
  ];
};
const COUNT = ofReasons(
  (of, reason) => `
  SELECT '${reason}' AS reason, COUNT(*) AS count FROM (SELECT a.account_key ${of} LIMIT :most) AS counted`,
);
const COLUMNS = `a.account_key, a.account_id, a.client_id, a.user_id, a.provider, a.display, ${HEALTH_COLUMNS}`;
/** Each reason is read in order by its index, and the union is merged. */
const inOrder = (direction: 'ASC' | 'DESC', after = ''): Texts => {
  const order = `ORDER BY health_since ${direction}, account_key ${direction} LIMIT :limit`;
  const [ofAll, ofOne] = ofReasons(
    (of) => `SELECT * FROM (SELECT ${COLUMNS} ${of} ${after} ${order}) AS listed`,
  );
  return [`SELECT * FROM (${ofAll}) AS merged ${order}`, `SELECT * FROM (${ofOne}) AS merged ${order}`];
};
const LIST = inOrder('DESC', 'AND (a.health_since, a.account_key) < (:since, :accountKey)');
const OLDEST = inOrder('ASC');

/** Returns the values of a filter in the statements. */
function filterValues({ state, provider, reason: only, reasons }: UnhealthyFilter): Values {
  const ownApps = REASONS.map((reason, number) => {
    const selected = reasons === undefined ? { reason } : reasons.find((one) => one.reason === reason);
    const isRead = selected !== undefined && (only === undefined || only === reason);
    return [`ownApp${number}`, isRead ? Number(selected.hasOwnApp ?? ANY) : NONE];
  });
  return { state: state ?? '', provider: provider ?? '', ...Object.fromEntries(ownApps) };
}

/** Returns the statements of connected accounts by address, each with the index of the search for addresses. */
function connectedTexts({ byBytes: bytes }: Dialect, isWorking: boolean): Texts {
  const text = (of: string, address: string) => `
    SELECT ${COLUMNS} FROM account AS a
     WHERE ${of} ${address} >= LOWER(CAST(:display AS TEXT) ${bytes})
       AND (${address}, a.account_key) > (LOWER(CAST(:display AS TEXT) ${bytes}), :accountKey)
       AND a.group_id NOT IN (${UNFINISHED}) ${isWorking ? "AND a.health = 'active'" : ''}
     ORDER BY ${address}, a.account_key LIMIT :limit`;
  const address = `LOWER(a.display ${bytes})`;
  return [text('', `${address} || ''`), text('a.client_id = :clientId AND', address)];
}

type Row = HealthRow & Omit<AccountWithHealth, 'health'>;

export function accountsByHealth(db: Database): AccountsByHealth {
  const [CONNECTED, WORKING] = [connectedTexts(db.dialect, false), connectedTexts(db.dialect, true)];
  /** Reads each application by its own index. */
  const readClients = async <T>(
    clientIds: readonly string[] | undefined,
    [ofAll, ofOne]: Texts,
    values: Values,
  ): Promise<T[]> => {
    if (clientIds === undefined) return db.all<T>(ofAll, values);
    const ids = [...new Set(clientIds)];
    return (await Promise.all(ids.map((clientId) => db.all<T>(ofOne, { ...values, clientId })))).flat();
  };
  return {
    async countUnhealthy(filter, most) {
      const values = { ...filterValues(filter), most };
      const counts = await readClients<{ reason: HealthReason; count: number }>(
        filter.clientIds,
        COUNT,
        values,
      );
      const sums = REASONS.map((reason) => {
        const ofReason = counts.filter((row) => row.reason === reason);
        return [
          reason,
          Math.min(
            ofReason.reduce((sum, row) => sum + row.count, 0),
            most,
          ),
        ] as const;
      });
      return new Map(sums.filter(([, sum]) => sum > 0));
    },

    async listUnhealthy(filter, { after, limit }) {
      const { since, accountKey } = after ?? { since: Number.MAX_SAFE_INTEGER, accountKey: '' };
      const values = { ...filterValues(filter), since, accountKey, limit };
      const rows = await readClients<Row>(filter.clientIds, LIST, values);
      return rows.toSorted(newestFirst).slice(0, limit).map(toAccount);
    },

    async findOldest(filter) {
      const rows = await readClients<Row>(filter.clientIds, OLDEST, { ...filterValues(filter), limit: 1 });
      const row = rows.toSorted(newestFirst).at(-1);
      return row && toAccount(row);
    },

    async listConnected({ clientIds, isWorking }, { after, limit }) {
      const { display = '', accountKey = '' } = after ?? {};
      const values = { display, accountKey, limit };
      const rows = await readClients<Row>(clientIds, isWorking ? WORKING : CONNECTED, values);
      return rows.toSorted(byAddress).slice(0, limit).map(toAccount);
    },
  };
}

const byAddress = (one: Row, other: Row): number =>
  byBytes(lowerCase(one.display), lowerCase(other.display)) || byBytes(one.accountKey, other.accountKey);

const newestFirst = (one: Row, other: Row): number =>
  other.healthSince - one.healthSince || (one.accountKey < other.accountKey ? 1 : -1);

function toAccount(row: Row): AccountWithHealth {
  const { accountKey, accountId, clientId, userId, provider, display } = row;
  const account = { accountKey, accountId, clientId, userId, provider, display };
  return { ...account, health: toAccountHealth(row) };
}
