/** A user with a canary in every text column, derived from the schema, so that remaining data is found by its name. */
import { userSubject } from '../../src/audit/user-subject.ts';
import type { Sealer } from '../../src/lib/sealing.ts';
import type { Database, Value } from '../../src/store/drivers/database.ts';
import { answerContext, messageContext } from '../../src/store/webhooks/webhook-sealing.ts';
import { NOW } from '../contract/calendar-rows.ts';

export type Column = { readonly table: string; readonly column: string; readonly isText: boolean };

const COLUMNS = {
  sqlite: `SELECT m.name AS "table", p.name AS "column", p.type AS "type"
             FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS p
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, p.cid`,
  postgres: `SELECT table_name AS "table", column_name AS "column", UPPER(data_type) AS "type"
               FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
} as const;

/** Returns every column of the schema. */
export async function columnsOf(db: Database): Promise<Column[]> {
  const rows = await db.all<{ table: string; column: string; type: string }>(COLUMNS[db.dialect.engine]);
  return rows.map(({ table, column, type }) => ({ table, column, isText: type === 'TEXT' }));
}

/** The tables with a user's data, each before those that refer to it. */
export const PLANTED_TABLES: readonly string[] = [
  ...['application_user', 'authorization_request', 'pushed_request', 'sign_in', 'token_family'],
  ...['account_group', 'group_device', 'grant_coverage', 'account', 'account_history', 'request_circuit'],
  ...['calendar', 'event'],
  ...['event_change', 'user_note', 'idempotency', 'split_journal', 'provider_watch', 'webhook_subscription'],
  ...['webhook_stream', 'webhook_message', 'webhook_attempt', 'job', 'request_log'],
];

/** Values that a CHECK accepts, by table and column or by column. */
const WORDS: Readonly<Record<string, string>> = {
  'account.health': 'active',
  'account_history.happened': 'connected',
  'authorization_request.display': 'page',
  'authorization_request.status': 'open',
  'authorization_request.theme': 'dark',
  'calendar.access': 'read',
  'event.shape': 'short',
  'job.kind': 'sync-account',
  'provider_watch.state': 'live',
  'split_journal.step': 'planned',
  'user_note.kind': 'calendars',
  'webhook_message.shows': 'events',
  'webhook_message.state': 'delivered',
  provider: 'google',
  scope: 'read',
};
/** Columns that have the same value in several tables. */
const SHARED = ['account_key', 'calendar_key', 'group_id', 'transaction_id', 'coverage_id', 'message_id'];
const FLAGS =
  /^(finishes|pushed|public_client|disconnected|sent_ahead|proves_owner|only_chosen|calendar_permission|is_primary|left_out|deleted|created_own|ended|initial)$/;

export type PlantedUser = {
  readonly clientId: string;
  readonly userId: string;
  /** The prefix of each of the user's texts. */
  readonly mark: string;
};

/** Returns the user's text in a column; `undefined` if the column has none of the user's texts. */
export function plantedText({ table, column, isText }: Column, { mark }: PlantedUser): string | undefined {
  if (!isText || ['client_id', 'endpoint_id', 'user_hash'].includes(column)) return undefined;
  if ((WORDS[`${table}.${column}`] ?? WORDS[column]) !== undefined) return undefined;
  if (column === 'user_id') return `${mark}-user`;
  if (table === 'job' && column === 'key') return `${mark}-account_key`;
  if (column === 'spent_for') return `${mark}-transaction_id`;
  return SHARED.includes(column) ? `${mark}-${column}` : `${mark}-${table}-${column}`;
}

/** Creates the application `acme` with an endpoint, unless they exist, and the user. */
export async function plantUser(db: Database, sealer: Sealer, mark: string): Promise<PlantedUser> {
  const user = { clientId: 'acme', userId: `${mark}-user`, mark };
  await db.write(
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
     VALUES ('acme', 'Acme', 'https://acme.example/cb', :now, :now) ON CONFLICT (client_id) DO NOTHING`,
    { now: NOW },
  );
  await db.write(
    `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at)
     VALUES ('we', 'acme', 'https://acme.example/h', 'acme.example', 1, :now) ON CONFLICT (endpoint_id) DO NOTHING`,
    { now: NOW },
  );
  const columns = Map.groupBy(await columnsOf(db), ({ table }) => table);
  for (const table of PLANTED_TABLES) {
    // The database computes the slice of a job.
    const all = (columns.get(table) ?? []).filter(({ column }) => column !== 'slice');
    const names = all.map(({ column }) => column);
    const values = Object.fromEntries(all.map((one) => [one.column, planted(one, user, sealer)]));
    const insert = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `:${name}`).join(', ')})`;
    await db.write(insert, values);
    // A pending code and a grant are rows of one table.
    if (table === 'token_family')
      await db.write(insert, { ...values, family_id: -numberOf(user), token_hash: '' });
  }
  return user;
}

function planted(one: Column, user: PlantedUser, sealer: Sealer): Value {
  const { table, column, isText } = one;
  if (!isText) return FLAGS.test(column) ? 1 : /_(at|since|until)$|^at$/.test(column) ? NOW : numberOf(user);
  if (column === 'client_id') return user.clientId;
  if (column === 'endpoint_id') return 'we';
  if (column === 'user_hash') return hashOf(user);
  const text = plantedText(one, user) ?? WORDS[`${table}.${column}`] ?? WORDS[column] ?? '';
  const messageId = `${user.mark}-message_id`;
  if (table === 'event' && column === 'content') return JSON.stringify({ title: text }).slice(1, -1);
  if (table === 'webhook_message' && column === 'body') return sealer.seal(text, messageContext(messageId));
  if (table === 'webhook_attempt' && column === 'answer') return sealer.seal(text, answerContext(messageId));
  return text;
}

/** Returns the user's name in the logs. */
export const hashOf = ({ userId, mark }: PlantedUser): string =>
  userSubject(`${mark}-application_user-audit_key`, userId);

/** Returns a number that differs between users, since some of the columns are keys. */
const numberOf = ({ mark }: PlantedUser): number => Buffer.from(mark).reduce((sum, byte) => sum + byte, 0);
