/** AlertStore in SQL; held to test/contract/alert-store.contract.ts on both databases. */
import { randomUUID } from 'node:crypto';
import type {
  Alert,
  AlertChannelName,
  AlertCondition,
  AlertEvent,
  AlertKind,
  AlertRecipient,
  AlertStore,
  UnhealthyCount,
} from '../system/alert-store.ts';
import type { Database, Statements } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';

// The WHERE clause is the guard: the loser of a race finds the winner's time.
const CLAIM_RUN = `
  INSERT INTO setting (name, value) VALUES (:name, :value)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value
   WHERE CAST(setting.value AS BIGINT) < CAST(:before AS BIGINT)`;
const COUNT_UNHEALTHY = `
  SELECT client_id, health_reason AS reason, COUNT(*) AS count FROM account
   WHERE health <> 'active' AND health_reason IS NOT NULL GROUP BY client_id, health_reason`;
const COUNT_ACCOUNTS = 'SELECT COUNT(*) AS count FROM account WHERE client_id = :clientId';

const CURRENT = `
  SELECT alert_id, kind, subject, opened_at, missed FROM alert WHERE kind = :kind AND resolved_at IS NULL`;
const NOTICE = `
  INSERT INTO alert (alert_id, kind, subject, client_id, severity, summary, action, url, noticed_at)
  VALUES (:alertId, :kind, :subject, :clientId, :severity, :summary, :action, :url, :now)
  ON CONFLICT (kind, subject) WHERE resolved_at IS NULL DO NOTHING`;
const OPEN = `
  UPDATE alert SET opened_at = :now, severity = :severity, summary = :summary, action = :action, url = :url
   WHERE alert_id = :alertId AND opened_at IS NULL`;
const FOUND_AGAIN = 'UPDATE alert SET missed = 0 WHERE alert_id = :alertId AND missed > 0';
const FORGET = 'DELETE FROM alert WHERE alert_id = :alertId AND opened_at IS NULL';
const MISS = 'UPDATE alert SET missed = 1 WHERE alert_id = :alertId AND missed = 0';
const RESOLVE = `
  UPDATE alert SET resolved_at = :now WHERE alert_id = :alertId AND resolved_at IS NULL AND missed > 0`;
const ADD_NOTICE = `
  INSERT INTO alert_notice (alert_id, event, channel, recipient, created_at)
  VALUES (:alertId, :event, :channel, :recipient, :now)`;

const DEVELOPERS = `
  FROM person p JOIN person_application pa ON pa.person_id = p.person_id
 WHERE p.role = 'developer' AND p.address_confirmed_at IS NOT NULL AND p.alert_mails = 1`;
const ADD_DEVELOPER_NOTICES = `
  INSERT INTO alert_notice (alert_id, event, channel, recipient, created_at)
  SELECT a.alert_id, CAST(:event AS TEXT), 'mail', d.login, CAST(:now AS BIGINT)
    FROM alert a JOIN (SELECT pa.client_id, p.login ${DEVELOPERS}) AS d ON d.client_id = a.client_id
   WHERE a.alert_id = :alertId
  ON CONFLICT DO NOTHING`;

const UNSENT = 'channel = :channel AND recipient = :recipient AND sent_at IS NULL AND failed_at IS NULL';
const HAS_UNSENT = `SELECT 1 AS one FROM alert_notice WHERE ${UNSENT} LIMIT 1`;
const CLAIM_RECIPIENT = `
  INSERT INTO alert_recipient (channel, recipient, next_at) VALUES (:channel, :recipient, :nextAt)
  ON CONFLICT (channel, recipient) DO UPDATE SET next_at = excluded.next_at
   WHERE alert_recipient.next_at <= :now`;
const ALERT = `a.alert_id, a.kind, a.subject, a.client_id, a.severity, a.summary, a.action, a.url, a.opened_at, a.resolved_at`;
const LIST_UNSENT = `
  SELECT ${ALERT}, n.event FROM alert_notice AS n JOIN alert AS a ON a.alert_id = n.alert_id
   WHERE n.channel = :channel AND n.recipient = :recipient AND n.sent_at IS NULL AND n.failed_at IS NULL
   ORDER BY n.created_at, n.alert_id, n.event LIMIT :limit`;
const ofDevelopers = ({ dialect }: Database): string =>
  `channel = 'mail' AND sent_at IS NULL AND failed_at IS NULL AND NOT (recipient ${dialect.oneOf('configured')})`;
const deleteUnentitled = (db: Database): string => `
  DELETE FROM alert_notice
   WHERE ${ofDevelopers(db)}
     AND NOT EXISTS (SELECT 1 ${DEVELOPERS} AND p.login = alert_notice.recipient
           AND pa.client_id = (SELECT a.client_id FROM alert a WHERE a.alert_id = alert_notice.alert_id))`;
const listDevelopers = (db: Database): string => `
  SELECT recipient FROM alert_notice WHERE ${ofDevelopers(db)}
   GROUP BY recipient ORDER BY MIN(created_at), recipient LIMIT :limit`;
const SETTLE = `
  UPDATE alert_notice SET sent_at = :now WHERE alert_id = :alertId AND event = :event AND ${UNSENT}`;
const GIVE_UP = `
  UPDATE alert_notice SET failed_at = :now
   WHERE sent_at IS NULL AND failed_at IS NULL AND created_at < :before RETURNING channel`;
const LIST = `
  SELECT ${ALERT} FROM alert AS a WHERE a.opened_at IS NOT NULL
   ORDER BY CASE WHEN a.resolved_at IS NULL THEN 0 ELSE 1 END, a.opened_at DESC, a.alert_id LIMIT :limit`;
const DELETE_OLD = `
  DELETE FROM alert WHERE alert_id IN (SELECT alert_id FROM alert WHERE resolved_at < :before LIMIT :limit)`;

type CurrentRow = {
  readonly alertId: string;
  readonly subject: string;
  readonly openedAt: number | undefined;
  readonly missed: number;
};
type Terms = Parameters<AlertStore['applyEvaluation']>[1];

export function alertStore(db: Database): AlertStore {
  return {
    claimRun: async (name, { now, before }) =>
      (await db.change(CLAIM_RUN, { name: `${name}_run_at`, value: String(now), before: String(before) })) >
      0,

    countUnhealthy: () => db.all<UnhealthyCount>(COUNT_UNHEALTHY),

    countAccounts: async (clientId) =>
      (await db.get<{ count: number }>(COUNT_ACCOUNTS, { clientId }))?.count ?? 0,

    applyEvaluation: (conditions, terms) =>
      db.transaction(async (tx) => {
        for (const kind of terms.kinds) {
          const matches = new Map(
            conditions.filter((one) => one.kind === kind).map((one) => [one.subject, one]),
          );
          await applyKind(tx, { kind, matches }, terms);
        }
      }),

    claimNotices: (recipient, { limit, ...times }) =>
      db.transaction(async (tx) => {
        if ((await tx.get(HAS_UNSENT, { ...recipient })) === undefined) return [];
        if ((await tx.change(CLAIM_RECIPIENT, { ...recipient, ...times })) === 0) return [];
        const rows = await tx.all<Alert & { readonly event: AlertEvent }>(LIST_UNSENT, {
          ...recipient,
          limit,
        });
        return rows.map(({ event, ...alert }) => ({ event, alert }));
      }),

    async pendingDevelopers(configured, limit) {
      await db.change(deleteUnentitled(db), { configured });
      const rows = await db.all<{ recipient: string }>(listDevelopers(db), { configured, limit });
      return rows.map(({ recipient }) => recipient);
    },

    settleNotices: (recipient, notices, now) =>
      db.transaction(async (tx) => {
        for (const { alert, event } of notices)
          await tx.change(SETTLE, { ...recipient, alertId: alert.alertId, event, now });
      }),

    async giveUpNotices(before, now) {
      const rows = await db.write<{ channel: AlertChannelName }>(GIVE_UP, { before, now });
      const byChannel = Map.groupBy(rows, ({ channel }) => channel);
      return new Map([...byChannel].map(([channel, { length }]) => [channel, length]));
    },

    listAlerts: (limit) => db.all<Alert>(LIST, { limit }),

    deleteOldAlerts: (before) => deleteInParts(db, DELETE_OLD, { before }),
  };
}

type Matches = { readonly kind: AlertKind; readonly matches: ReadonlyMap<string, AlertCondition> };

async function applyKind(tx: Statements, { kind, matches }: Matches, terms: Terms): Promise<void> {
  const { now } = terms;
  const rows = await tx.all<CurrentRow>(CURRENT, { kind });
  const current = new Set(rows.map(({ subject }) => subject));
  for (const [subject, { clientId, url, ...condition }] of matches) {
    if (current.has(subject)) continue;
    const alertId = randomUUID();
    await tx.change(NOTICE, { ...condition, alertId, clientId: clientId ?? null, url: url ?? null, now });
  }
  for (const row of rows) {
    if (terms.partial?.includes(kind) && !matches.has(row.subject)) continue;
    const change = await advance(tx, row, { condition: matches.get(row.subject), now });
    if (change !== undefined) await addNotices(tx, { alertId: row.alertId, event: change }, terms);
  }
}

/** Moves an alert one step. Returns the event if this call, and no concurrent one, opened or resolved it. */
async function advance(
  tx: Statements,
  { alertId, openedAt, missed }: CurrentRow,
  { condition, now }: { readonly condition: AlertCondition | undefined; readonly now: number },
): Promise<AlertEvent | undefined> {
  if (condition !== undefined && openedAt === undefined) {
    const { severity, summary, action, url = null } = condition;
    return (await tx.change(OPEN, { alertId, now, severity, summary, action, url })) > 0
      ? 'opened'
      : undefined;
  }
  if (condition !== undefined) await tx.change(FOUND_AGAIN, { alertId });
  else if (openedAt === undefined) await tx.change(FORGET, { alertId });
  else if (missed === 0) await tx.change(MISS, { alertId });
  else return (await tx.change(RESOLVE, { alertId, now })) > 0 ? 'resolved' : undefined;
  return undefined;
}

async function addNotices(
  tx: Statements,
  notice: { readonly alertId: string; readonly event: AlertEvent },
  { recipients, mailsDevelopers = false, now }: Terms,
): Promise<void> {
  for (const recipient of recipients as readonly AlertRecipient[])
    await tx.change(ADD_NOTICE, { ...notice, ...recipient, now });
  if (mailsDevelopers) await tx.change(ADD_DEVELOPER_NOTICES, { ...notice, now });
}
