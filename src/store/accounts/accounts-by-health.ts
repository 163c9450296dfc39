/** Lists accounts by health in SQL; held to its contract in test/contract on both databases. */
import { HEALTH_REASONS, type HealthReason } from '../../calendars/health-reason.ts';
import { byBytes } from '../../lib/compared-text.ts';
import { lowerCase } from '../../lib/lower-case.ts';
import type {
  AccountsByHealth,
  AccountWithHealth,
  UnhealthyFilter,
} from '../../user-data/accounts-by-health.ts';
import type { ReasonFilter } from '../../user-data/responsible-party.ts';
import type { Database, Dialect, Values } from '../drivers/database.ts';
import { HEALTH_COLUMNS, type HealthRow, toAccountHealth, UNFINISHED } from './account-rows.ts';

const REASONS = Object.keys(HEALTH_REASONS) as HealthReason[]; // Its keys are the literal ones.
const EVERY_REASON: readonly ReasonFilter[] = REASONS.map((reason) => ({ reason }));

/** With or without a provider app of the application. */
const ANY = 2;
/** Conditions for all applications and for one, each as in its index. The indexes have no healthy accounts. */
const AILING = `FROM account AS a
  WHERE a.health <> 'active' AND a.group_id NOT IN (${UNFINISHED})
    AND (:state = '' OR a.health = :state) AND (:provider = '' OR a.provider = :provider)
    AND (:ownApp = ${ANY} OR CASE WHEN EXISTS (SELECT 1 FROM provider_app AS p
      WHERE p.client_id = a.client_id AND p.provider = a.provider) THEN 1 ELSE 0 END = :ownApp)`;
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
/** Statements for all applications and for one. */
type Texts = readonly [ofAll: string, ofOne: string];
const COUNT: Texts = [count(OF_ALL), count(OF_ONE)];
const LIST: Texts = [list(OF_ALL), list(OF_ONE)];
const OLDEST: Texts = [oldest(OF_ALL), oldest(OF_ONE)];

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
  /** Reads each reason by itself, as the indexes have them. */
  const readReasons = async <T>(filter: UnhealthyFilter, texts: Texts, values: Values): Promise<T[]> => {
    const { clientIds, state = '', provider = '', reason: only, reasons = EVERY_REASON } = filter;
    const selected = reasons.filter(({ reason }) => only === undefined || reason === only);
    const reads = selected.map(({ reason, hasOwnApp }) => {
      const ownApp = hasOwnApp === undefined ? ANY : Number(hasOwnApp);
      return readClients<T>(clientIds, texts, { ...values, reason, state, provider, ownApp });
    });
    return (await Promise.all(reads)).flat();
  };

  return {
    async countUnhealthy(filter, most) {
      const counts = await Promise.all(
        REASONS.map(async (reason) => {
          const rows = await readReasons<{ count: number }>({ ...filter, reason }, COUNT, { most });
          const sum = rows.reduce((before, row) => before + row.count, 0);
          return [reason, Math.min(sum, most)] as const;
        }),
      );
      return new Map(counts.filter(([, one]) => one > 0));
    },

    async listUnhealthy(filter, { after, limit }) {
      const { since, accountKey } = after ?? { since: Number.MAX_SAFE_INTEGER, accountKey: '' };
      const rows = await readReasons<Row>(filter, LIST, { since, accountKey, limit });
      return rows.toSorted(newestFirst).slice(0, limit).map(toAccount);
    },

    async findOldest(filter) {
      const row = (await readReasons<Row>(filter, OLDEST, {})).toSorted(newestFirst).at(-1);
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
