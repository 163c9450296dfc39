/**
 * The exported data about a user, table by table. test/store/user-records.test.ts lists every column of the schema that
 * a user's data can reach, and why a column is left out.
 */

import { HAS_CODE } from '../accounts/account-groups.ts';

export type RecordKind = {
  readonly name: string;
  readonly table: string;
  /** Selects the user's rows by `:clientId` and `:userId`, those of logs by `:subject`, events by `:calendarKey`. */
  readonly rows: string;
  /** The columns for sorting and paging. Together they are unique. */
  readonly key: readonly string[];
  readonly columns: string;
  readonly json?: readonly string[];
  /** Columns that hold 0 or 1. */
  readonly flags?: readonly string[];
  readonly sealed?: 'body' | 'answer';
  /** The kind is read once for each calendar of the user. */
  readonly byCalendar?: true;
  /** The number of rows that are in memory at a time, if rows can be large. */
  readonly pageSize?: number;
};

const OF_USER = 'client_id = :clientId AND user_id = :userId';
const OF_GROUPS = `group_id IN (SELECT group_id FROM account_group WHERE ${OF_USER})`;
const OF_ACCOUNTS = `account_key IN (SELECT account_key FROM account WHERE ${OF_USER})`;
const OF_REQUESTS = `IN (SELECT transaction_id FROM authorization_request WHERE ${OF_USER})`;
const OF_MESSAGES = `message_id IN (SELECT message_id FROM webhook_message WHERE ${OF_USER})`;
/** Also selects entries of others that name the user, such as a resend of the user's deliveries. */
const NAMES_USER = `client_id = :clientId
  AND (subject = :subject OR before_change LIKE '%"' || :subject || '"%' OR after_change LIKE '%"' || :subject || '"%')`;

const LARGE = 50;

/** The calendars of a user. Events are read one calendar at a time, so that an index has their order. */
export const CALENDARS = `SELECT calendar_key FROM calendar WHERE ${OF_ACCOUNTS} ORDER BY calendar_key`;

const CONNECTING: readonly RecordKind[] = [
  {
    name: 'users',
    table: 'application_user',
    rows: OF_USER,
    key: ['user_id'],
    columns: 'user_id, created_at, last_seen_at, changed_at, feed_seq, feed_pruned, feed_read_at',
  },
  {
    name: 'authorization_requests',
    table: 'authorization_request',
    rows: OF_USER,
    key: ['transaction_id'],
    columns: `
      transaction_id, redirect_uri, scope, state, language, theme, display, providers, query, status,
      pushed, public_client, user_name, login_hint, allowed_at, disconnected, sent_ahead, reconnects, resource,
      created_at`,
    flags: ['pushed', 'public_client', 'disconnected', 'sent_ahead'],
  },
  {
    name: 'pushed_requests',
    table: 'pushed_request',
    rows: `spent_for ${OF_REQUESTS}`,
    key: ['uri_hash'],
    columns: 'query, created_at, spent_for',
  },
  {
    name: 'sign_ins',
    table: 'sign_in',
    rows: `transaction_id ${OF_REQUESTS}`,
    key: ['transaction_id', 'provider'],
    columns: 'transaction_id, provider, outcome',
  },
  {
    name: 'codes',
    table: 'token_family',
    rows: `${OF_USER} AND ${HAS_CODE}`,
    key: ['family_id'],
    columns: 'coverage_id AS approval_id, redirect_uri, scope, resource, finishes, approved_at, withdrawn_at',
    flags: ['finishes'],
  },
  {
    name: 'grants',
    table: 'token_family',
    rows: `${OF_USER} AND token_hash <> ''`,
    key: ['family_id'],
    columns: 'family_id, coverage_id, scope, created_at, refreshed_at, ended_at',
  },
  {
    name: 'groups',
    table: 'account_group',
    rows: OF_USER,
    key: ['group_id'],
    columns: `
      group_id, transaction_id, created_at, approved_at, expires_at, told_group, (SELECT COUNT(*) FROM
      group_device AS d WHERE d.group_id = account_group.group_id) AS known_browsers`,
  },
  {
    name: 'coverage',
    table: 'grant_coverage',
    rows: OF_GROUPS,
    key: ['coverage_id', 'group_id'],
    columns: 'coverage_id, group_id, scope',
  },
];

const CALENDAR_DATA: readonly RecordKind[] = [
  {
    name: 'accounts',
    table: 'account',
    rows: OF_USER,
    key: ['account_key'],
    // Shows whether credentials exist, but never the credentials.
    columns: `
      account_key, group_id, provider, account_id, key_in_group, identity, proves_owner, display,
      addresses, addresses_read_at, granted_scopes, calendar_permission, health, health_reason,
      health_message, health_since, sync_state_at, linked_at, times_linked, listed_at, list_error,
      list_failed_at, renewal_failures, renewal_failure, renewal_failed_at, only_chosen, unfinished_syncs,
      CASE WHEN credentials = '' THEN 0 ELSE 1 END AS credentials_are_kept`,
    json: ['addresses', 'granted_scopes'],
    flags: ['proves_owner', 'only_chosen', 'calendar_permission', 'credentials_are_kept'],
  },
  {
    name: 'account_history',
    table: 'account_history',
    rows: OF_ACCOUNTS,
    key: ['account_key', 'number'],
    columns: 'account_key, number, happened, reason, message, happened_at',
  },
  {
    name: 'refused_operations',
    table: 'request_circuit',
    rows: OF_ACCOUNTS,
    key: ['account_key', 'operation'],
    columns: 'account_key, operation, failures, failure, open_until, probe_until',
  },
  {
    name: 'calendars',
    table: 'calendar',
    rows: OF_ACCOUNTS,
    key: ['calendar_key'],
    columns: `
      calendar_key, account_key, href, position, title, description, color, time_zone, access, is_primary,
      left_out, original, synced_at, read_at, sync_error, failed_at, revision, event_count, bytes,
      too_complex, unreadable, unfinished_syncs, sync_read, sync_expected`,
    json: ['original'],
    flags: ['is_primary', 'left_out'],
    pageSize: LARGE,
  },
  {
    name: 'events',
    table: 'event',
    rows: 'calendar_key = :calendarKey',
    key: ['calendar_key', 'href', 'recurrence_id'],
    // `event` has the fields of responses. A series is exported once; `timing` has its rule.
    columns: `
      calendar_key, href, recurrence_id, event_id, series_id, uid, shape, etag, '{' || content || '}' AS
      "event", timing, original, too_complex, unreadable`,
    json: ['event', 'timing', 'original'],
    byCalendar: true,
    pageSize: LARGE,
  },
  {
    name: 'changes',
    table: 'event_change',
    rows: OF_USER,
    key: ['calendar_key', 'event_id'],
    columns: `
      calendar_key, event_id, group_id, provider, account_id, href, seq, created_seq, foreign_seq,
      deleted, created_own, fields, was, noted_at`,
    json: ['fields', 'was'],
    flags: ['deleted', 'created_own'],
  },
  {
    name: 'notes',
    table: 'user_note',
    rows: OF_USER,
    key: ['seq'],
    columns: 'seq, kind, event_type, group_id, provider, data, noted_at',
    json: ['data'],
  },
  {
    name: 'writes',
    table: 'idempotency',
    rows: OF_USER,
    key: ['key_hash'],
    columns: 'account_key, answer, created_at',
    json: ['answer'],
    pageSize: LARGE,
  },
  {
    name: 'splits',
    table: 'split_journal',
    rows: 'calendar_key = :calendarKey',
    key: ['split_id'],
    columns: 'split_id, calendar_key, step, plan, created_at',
    json: ['plan'],
    byCalendar: true,
    pageSize: LARGE,
  },
  {
    name: 'watches',
    table: 'provider_watch',
    rows: OF_ACCOUNTS,
    key: ['watch_id'],
    columns: `
      watch_id, account_key, calendar_key, remote_id, state, reason, made_at, trusted_from, renew_at, expires_at`,
  },
];

const TOLD: readonly RecordKind[] = [
  {
    name: 'subscriptions',
    table: 'webhook_subscription',
    rows: OF_USER,
    key: ['calendar_key'],
    columns: 'calendar_key, channel_id, expires_at, ended, updated_at',
    flags: ['ended'],
  },
  {
    name: 'streams',
    table: 'webhook_stream',
    rows: OF_USER,
    key: ['stream_id'],
    columns: `
      stream_id, endpoint_id, calendar_key, told_seq, told_id, sequence, initial, message_id, pending_since, due_at`,
    flags: ['initial'],
  },
  {
    name: 'deliveries',
    table: 'webhook_message',
    rows: OF_USER,
    key: ['message_id'],
    columns: `
      message_id, endpoint_id, account_key, calendar_key, provider, calendar_id, sequence, change_type,
      event_count, shows, body, state, reason, attempts, next_at, created_at, settled_at, replay_at`,
    json: ['body'],
    sealed: 'body',
    pageSize: LARGE,
  },
  {
    name: 'delivery_attempts',
    table: 'webhook_attempt',
    rows: OF_MESSAGES,
    key: ['message_id', 'number'],
    columns: 'message_id, number, started_at, duration_ms, status, fault, answer',
    sealed: 'answer',
  },
];

const LOGGED: readonly RecordKind[] = [
  {
    name: 'requests',
    table: 'request_log',
    rows: 'client_id = :clientId AND user_hash = :subject',
    key: ['request_id'],
    columns: 'request_id, at, method, route, status, duration_ms, network, body, repeated',
    json: ['body'],
  },
  {
    name: 'audit',
    table: 'audit_entry',
    rows: NAMES_USER,
    key: ['number'],
    columns: 'number, made_at, action, before_change, after_change',
    json: ['before_change', 'after_change'],
  },
];

export const RECORD_KINDS: readonly RecordKind[] = [...CONNECTING, ...CALENDAR_DATA, ...TOLD, ...LOGGED];
