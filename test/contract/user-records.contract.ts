/** Contract tests for UserRecords. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { RECORD_KINDS } from '../../src/store/users/user-record-kinds.ts';
import { exportUser } from '../../src/user-data/export-user.ts';
import {
  columnsOf,
  hashOf,
  PLANTED_TABLES,
  type PlantedUser,
  plantedText,
  plantUser,
} from '../harness/planted-user.ts';
import { NOW, sealer } from './calendar-rows.ts';

/** Tables that an export omits, each with the reason. */
const OTHER_TABLES: Readonly<Record<string, string>> = {
  ...named('of the application or the instance, not of its users', [
    ...[
      'application',
      'application_look',
      'application_logo',
      'client_jwks',
      'client_secret',
      'client_jwks',
      'provider_app',
      'signing_key',
      'used_jti',
    ],
    ...[
      'webhook_key',
      'application_webhook_key',
      'webhook_endpoint',
      'lease',
      'setting',
      'migration',
      'migration_step',
      'audit_counter',
      'request_budget',
      'attempt',
      ...['alert', 'alert_notice', 'alert_recipient'],
      ...['activity_count', 'endpoint_hour', 'connection_total', 'database_size', 'instance', 'derived_key'],
    ],
    ...['verification', 'verification_activity', 'approved_logo', 'redirect_uri'],
  ]),
  ...named('of people who run the instance', [
    ...['person', 'person_application', 'invitation', 'person_session', 'passkey', 'spent_challenge'],
    ...['person_identity', 'single_sign_on', 'admin_key', 'admin_request'],
  ]),
  ended_access:
    'nothing says whose it was: the account is deleted, and the row goes once the provider has heard',
  group_device: 'hashes of secrets; a group says how many browsers it has',
  job: 'work that is to be done, which names an account by its key',
  job_slice: 'is locked by whoever claims jobs',
  job_turn: 'names its owner by a digest',
  playground_user: 'a test user’s developer, and secrets',
  request_slot: 'requests that are under way this minute',
};

/** Columns that an export omits, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  ...named('whose it is is said at the head of the document', [
    ...['authorization_request', 'token_family', 'account_group', 'account'].map(userId),
    ...['event_change', 'user_note', 'idempotency', 'webhook_subscription', 'webhook_stream'].map(userId),
    'webhook_message.user_id',
  ]),
  ...named('a secret, or the hash of one', [
    ...['application_user.audit_key', 'application_user.feed_id', 'authorization_request.form_token'],
    ...[
      'authorization_request.secret_hash',
      'authorization_request.code_challenge',
      'pushed_request.uri_hash',
    ],
    ...['sign_in.state_hash', 'sign_in.kept', 'token_family.code_challenge', 'token_family.token_hash'],
    ...[
      'account.credentials',
      'provider_watch.token_hash',
      'idempotency.key_hash',
      'idempotency.request_hash',
    ],
    ...['idempotency.seed', 'request_log.user_hash', 'audit_entry.subject'],
  ]),
  ...named('which process works on it', [
    ...[
      'account.lease_holder',
      'account.renewal_holder',
      'calendar.lease_holder',
      'idempotency.lease_holder',
    ],
    'webhook_stream.lease_holder',
  ]),
  ...named('where a provider’s list was left; it says nothing that the events do not', [
    ...[
      'calendar.sync_token',
      'calendar.listed_version',
      'calendar.begun_version',
      'calendar.synced_version',
    ],
  ]),
  ...named('of a trace, which the operator keeps elsewhere', ['webhook_stream.trace']),
  ...named('made of the other columns', ['event.search_text', 'event.original_digest']),
  ...named('of the person who did it, not of the user', [
    ...['audit_entry.actor_kind', 'audit_entry.actor_id', 'audit_entry.actor_name', 'audit_entry.address'],
  ]),
};
/** Columns that an export shows under another name. */
const SHOWN_AS: Readonly<Record<string, string>> = { 'event.content': 'event' };

type Document = Record<string, Record<string, unknown>[]>;

function named(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

function userId(table: string): string {
  return `${table}.user_id`;
}

export function userRecordsContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    const by = {
      actor: { kind: 'command_line', name: 'op' },
      address: undefined,
      now: () => NOW,
    } as const;
    const { userRecords, ...stores } = openStores(db, { sealer });
    const ada = await plantUser(db, sealer, 'canary');
    const exported = async ({ clientId, userId: id }: Pick<PlantedUser, 'clientId' | 'userId'>) => {
      const pieces = await exportUser({ clientId, userId: id }, { userRecords, now: () => NOW, by });
      return pieces && Array.fromAsync(pieces);
    };
    const documentOf = async (user: PlantedUser): Promise<Document> =>
      JSON.parse((await exported(user))?.join('') ?? '');
    return { db, ada, stores, exported, documentOf };
  };

  describe(`UserRecords on ${database}`, () => {
    it('every table of the schema is part of an export, or is named with the reason why not', async () => {
      const tables = new Set((await columnsOf(await open())).map(({ table }) => table));

      const known = new Set([...RECORD_KINDS.map(({ table }) => table), ...Object.keys(OTHER_TABLES)]);
      assert.deepEqual(
        [...tables].filter((table) => !known.has(table)),
        [],
      );
    });

    it('an export has what is in each text column of a user, unless the column is named with a reason', async () => {
      const { db, ada, documentOf } = await prepare();

      const document = await documentOf(ada);

      const forgotten = (await columnsOf(db)).filter((one) => {
        const kinds = RECORD_KINDS.filter(({ table }) => table === one.table);
        const name = `${one.table}.${one.column}`;
        const text = plantedText(one, ada);
        if (
          kinds.length === 0 ||
          text === undefined ||
          name in LEFT_OUT ||
          !PLANTED_TABLES.includes(one.table)
        )
          return false;
        const shown = kinds.map((kind) => document[kind.name]?.[0]?.[SHOWN_AS[name] ?? one.column]);
        return !JSON.stringify(shown).includes(text);
      });
      assert.deepEqual(forgotten, []);
    });

    it('an export has no secret, no hash of one, and nothing of another user', async () => {
      const { db, ada, exported } = await prepare();
      await plantUser(db, sealer, 'stranger');

      const text = (await exported(ada))?.join('') ?? '';

      const leaked = (await columnsOf(db)).filter((one) => {
        const planted = plantedText(one, ada);
        return (
          `${one.table}.${one.column}` in LEFT_OUT && one.column !== 'user_id' && text.includes(`${planted}"`)
        );
      });
      assert.deepEqual(leaked, []);
      assert.doesNotMatch(text, /stranger/);
    });

    it('an export says that there are credentials, and since when, and how many browsers are known', async () => {
      const { ada, documentOf } = await prepare();

      const { accounts, groups } = await documentOf(ada);

      assert.equal(accounts?.[0]?.credentials_are_kept, true);
      assert.equal(accounts?.[0]?.linked_at, new Date(NOW).toISOString());
      assert.equal(groups?.[0]?.known_browsers, 1);
    });

    it('an export has each of many events once, in pieces that do not grow with them', async () => {
      const { db, ada, exported, documentOf } = await prepare();
      await db.write(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
         INSERT INTO event (calendar_key, href, recurrence_id, event_id, shape, starts_at, ends_at, uid, content)
         SELECT 'canary-calendar_key', 'e' || CAST(i AS TEXT), '', 'e' || CAST(i AS TEXT), 'short', 0, 1, 'u', '"title":"T"' FROM n`,
      );

      const pieces = (await exported(ada)) ?? [];
      const { events = [] } = await documentOf(ada);

      assert.equal(events.length, 1001);
      assert.equal(new Set(events.map(({ href }) => href)).size, 1001);
      assert.ok(Math.max(...pieces.map(({ length }) => length)) < 20_000);
    });

    it('an export has the requests and audit entries that name the user by a hash, its own among them', async () => {
      const { db, ada, documentOf } = await prepare();
      await db.write(
        `INSERT INTO audit_entry (number, made_at, actor_kind, action, client_id, subject, after_change)
         VALUES (-2, 1, 'system', 'delivery.replayed', 'acme', 'm', :names), (-1, 1, 'system', 'user.revoked', 'acme', 'user_other', NULL)`,
        { names: JSON.stringify({ count: 1, user: hashOf(ada) }) },
      );

      const { requests = [], audit = [] } = await documentOf(ada);

      assert.equal(requests[0]?.request_id, 'canary-request_log-request_id');
      assert.deepEqual(
        audit.map(({ action }) => action),
        ['delivery.replayed', 'user.exported'],
      );
    });

    it('an export is audited, and of nobody there is none', async () => {
      const { db, ada, exported } = await prepare();

      assert.equal(await exported({ clientId: 'acme', userId: 'nobody' }), undefined);
      assert.equal(await exported({ clientId: 'nobody', userId: ada.userId }), undefined);
      await exported(ada);

      const entries = await db.all<{ action: string }>('SELECT action FROM audit_entry');
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['user.exported'],
      );
    });
  });
}
