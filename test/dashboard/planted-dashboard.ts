/** Plants data for every page of the dashboard, for tests that look at all pages. Each text begins with one mark. */
import { APP_KINDS } from '../../src/access/provider-apps.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { columnsOf, plantUser } from '../harness/planted-user.ts';
import type { DashboardApp } from './dashboard-app.ts';

/** Statements that plant texts outside a user's own data: members, applications, sessions and logs. */
const UPDATES: readonly string[] = [
  `UPDATE application SET name = :mark, display_name = :mark WHERE client_id = 'acme'`,
  `UPDATE account SET health = 'reauth_required', health_reason = 'password_refused', granted_scopes = '[]', addresses = '[]'`,
  `UPDATE account_history SET happened = 'reauth_required', reason = 'password_refused'`,
  'UPDATE account_group SET expires_at = NULL',
  'UPDATE webhook_endpoint SET is_first = 0',
  `UPDATE webhook_message SET state = 'dead', change_type = 'updated', calendar_id = :mark, reason = :mark, replay_at = NULL, next_at = ${NOW}`,
  `UPDATE request_log SET request_id = 'r-planted', method = 'GET', route = '/calendars', status = 400, status_class = 4, network = '192.0.2.0',
     body = :refusal`,
  'UPDATE person SET name = :mark',
  'UPDATE person_session SET browser = :mark',
  `INSERT INTO person (person_id, name, login, role, created_at) VALUES ('p-planted', :mark, :login, 'developer', 1)`,
  `INSERT INTO person_application (person_id, client_id) VALUES ('p-planted', 'acme')`,
  `INSERT INTO person_session (session_hash, session_id, person_id, created_at, seen_at, proved_at, address, browser)
     VALUES ('planted', 's-planted', 'p-planted', ${NOW}, ${NOW}, ${NOW}, '192.0.2.7', :mark)`,
  `INSERT INTO invitation (token_hash, invitation_id, purpose, role, login, client_ids, created_at, expires_at)
     VALUES ('planted', 'i-planted', 'invite', 'viewer', :login, '[]', ${NOW}, ${NOW + 86_400_000})`,
  `INSERT INTO invitation (token_hash, invitation_id, purpose, role, login, client_ids, person_id, created_by, created_at, expires_at)
     SELECT 'planted ' || person_id, 'i-' || person_id, 'reset', role, :login, '[]', person_id, person_id, ${NOW}, ${NOW + 86_400_000}
       FROM person WHERE role = 'owner'`,
  `INSERT INTO admin_key (key_id, name, role, client_ids, prefix, key_hash, created_by_key, created_at)
     VALUES ('ak_planted', :mark, 'owner', '[]', 'kal_adm_plan', 'planted', :mark, ${NOW})`,
  `INSERT INTO audit_entry (number, made_at, actor_kind, actor_id, actor_name, address, action, client_id, subject,
     before_change, after_change) VALUES (900000, ${NOW}, 'person', 'p-planted', :mark, '192.0.2.7', 'application.changed',
     'acme', :mark, :json, :json)`,
  `INSERT INTO verification (client_id, status, submitted_at, verified_at, reviewer_note, display_name)
     VALUES ('acme', 'under_review', ${NOW}, ${NOW - 1}, :mark, :mark)`,
  `INSERT INTO verification_activity (client_id, number, at, actor, kind, note, fields)
     VALUES ('acme', 1, ${NOW}, :mark, 'submitted', :mark, '')`,
];

/** Columns that strangers can fill with texts of almost unlimited length. */
const LONG: readonly (readonly [table: string, column: string])[] = [
  ...(['display', 'health_message', 'list_error'] as const).map((column) => ['account', column] as const),
  ...(['title', 'description', 'sync_error'] as const).map((column) => ['calendar', column] as const),
  ...(['fault', 'reason'] as const).map((column) => ['webhook_message', column] as const),
  ['webhook_attempt', 'fault'],
  ['account_history', 'message'],
];

/**
 * Plants texts that begin with `mark` and adds `lengthen` to those that strangers can make long. A member must be
 * signed in before; the clock is then a minute after the planted data.
 */
export async function plantDashboard(
  { db, sealer, clock, stores }: DashboardApp,
  mark: string,
  lengthen = '',
): Promise<void> {
  await plantUser(db, sealer, mark);
  const values = {
    ...{ mark, login: `${mark}@planted.example`, json: JSON.stringify({ name: mark }) },
    refusal: JSON.stringify({ message: mark + lengthen }),
  };
  for (const statement of UPDATES) {
    const used = Object.entries(values).filter(([name]) => new RegExp(`:${name}\\b`).test(statement));
    await db.write(statement, Object.fromEntries(used));
  }
  for (const kind of APP_KINDS)
    await stores.providerApps.setProviderApp(
      { clientId: 'acme', kind },
      { clientId: mark, clientSecret: 'canary-secret' },
      { now: NOW, by: undefined },
    );
  const columns = await columnsOf(db);
  for (const [table, column] of lengthen === '' ? [] : LONG)
    if (columns.some((one) => one.table === table && one.column === column))
      await db.write(`UPDATE ${table} SET ${column} = ${column} || :lengthen`, { lengthen });
  clock.now = NOW + 60_000;
}
