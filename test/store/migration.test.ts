/** The rows of an older database after its migrations. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';

import type { Reader } from '../../src/oauth/grant.ts';
import { accountStore } from '../../src/store/accounts/account-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { jobStore } from '../../src/store/jobs/job-store.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { NOW, sealer } from '../contract/calendar-rows.ts';
import { visit } from '../contract/grant-rows.ts';
import { take } from '../contract/job-terms.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { migrateUpTo } from '../harness/old-database.ts';

/** The user with an account, as both stood in the database until version 8. */
async function makeOldAccount(
  db: Database,
  userId: string,
  account: { key?: string; id?: string; provider?: string } = {},
): Promise<void> {
  const { key = `acme-${userId}`, id = 'id', provider = 'caldav' } = account;
  const values = { userId, key, id, provider, now: NOW };
  await db.write(
    `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
     VALUES ('acme', :userId, :now, :now) ON CONFLICT (client_id, user_id) DO NOTHING`,
    values,
  );
  await db.write(
    `INSERT INTO account (account_key, client_id, user_id, provider, account_id, display, credentials,
       granted_scopes, health, health_since, linked_at)
     VALUES (:key, 'acme', :userId, :provider, :id, 'd', 'sealed', '[]', 'active', :now, :now)`,
    values,
  );
}

async function makeOldApplication(db: Database): Promise<void> {
  await db.write(
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
     VALUES ('acme', 'Acme', 'https://acme.example/cb', 0, 0)`,
  );
}

/** A series with an override, in an account and a calendar of its own. */
async function makeOldSeries(db: Database, href: string, provider: string, rrule: string): Promise<void> {
  const timing = JSON.stringify({ recurrence: { rrules: [rrule], rdates: [], exdates: [] } });
  await db.write(
    `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at) VALUES ('acme', :href, 0, 0)`,
    { href },
  );
  await db.write(
    `INSERT INTO account (account_key, key_in_group, client_id, user_id, provider, account_id, display, credentials,
       granted_scopes, health, health_since, linked_at)
     VALUES (:href, :href, 'acme', :href, :provider, 'id', 'd', 'sealed', '[]', 'active', 0, 0)`,
    { href, provider },
  );
  await db.write(
    `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
     VALUES (:href, :href, :href, 0, 'C', 'UTC', 'read', '{}')`,
    { href },
  );
  await db.write(
    `INSERT INTO event (calendar_key, href, recurrence_id, event_id, shape, starts_at, ends_at, etag, uid, content, timing)
     VALUES (:href, :href, '', 's', 'series', 0, 1, 'e', 'u', '{}', :timing),
            (:href, :href, 'x', 'o', 'override', 0, 1, 'e', 'u', '{}', NULL)`,
    { href, timing },
  );
}

/** A grant of the user, ended or living. */
async function makeOldGrant(db: Database, familyId: number, userId: string, endedAt: number | null = null) {
  await db.write(
    `INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, created_at, refreshed_at, ended_at)
     VALUES (:familyId, 'hash', 'acme', :userId, 'read', 0, 0, :endedAt)`,
    { familyId, userId, endedAt },
  );
}

onEachDatabase((database, _open, place) => {
  describe(`an older database on ${database}`, () => {
    it('endpoints keep access to private addresses if their application has no members', async (t) => {
      const db = connect(await place());
      t.after(() => db.close());
      await migrateUpTo(db, 46);
      await makeOldApplication(db);
      await db.script(
        `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
         VALUES ('given', 'Given', 'https://given.example/cb', 0, 0);
         INSERT INTO person (person_id, name, login, role, created_at) VALUES ('p', 'p', 'p', 'developer', 0);
         INSERT INTO person_application (person_id, client_id) VALUES ('p', 'given');
         INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at, expires_at)
         VALUES ('we_acme', 'acme', 'https://a.example/', '', 1, 0, NULL),
                ('we_given', 'given', 'https://b.example/', '', 1, 0, NULL),
                ('we_listener', 'acme', 'listener:we_listener', '', 0, 0, 9)`,
        async () => {},
      );

      await migrate(db, Date.now, async () => {});

      const listed = await openStores(db, { sealer }).endpoints.listEndpoints(undefined);
      assert.deepEqual(
        listed.map(({ endpointId, privateNetwork }) => [endpointId, privateNetwork]),
        [
          ['we_acme', 1],
          ['we_listener', 0],
          ['we_given', 0],
        ],
      );
    });

    it('an older database tells afterwards, with a reason, what was wrong with its accounts before', async (t) => {
      const db = connect(await place());
      t.after(() => db.close());
      await migrateUpTo(db, 3);
      await makeOldApplication(db);
      for (const [userId, health, reason] of [
        ['ada', 'reauth_required', 'The password was refused'],
        ['ben', 'degraded', 'The server is down'],
        ['cleo', 'active', null],
      ] as const) {
        await makeOldAccount(db, userId);
        await db.write(
          `UPDATE account SET health = :health, health_reason = :reason, health_since = 7 WHERE user_id = :userId`,
          { userId, health, reason },
        );
      }

      await migrate(db, Date.now, async () => {});

      const accounts = accountStore(db, sealer);
      const health = async (userId: string) => (await accounts.listAccounts('acme', userId))[0]?.health;
      assert.deepEqual(await Promise.all(['ada', 'ben', 'cleo'].map(health)), [
        {
          state: 'reauth_required',
          reason: 'password_refused',
          message: 'The password was refused',
          since: 7,
        },
        { state: 'degraded', reason: 'provider_unavailable', message: 'The server is down', since: 7 },
        { state: 'active', reason: undefined, message: undefined, since: 7 },
      ]);
    });

    /** Ada has two accounts, grants, a code, a browser and a change; Ben one account; Cleo had some once. */
    const prepareVersion8 = async (t: TestContext) => {
      const db = connect(await place());
      t.after(() => db.close());
      await migrateUpTo(db, 9);
      await makeOldApplication(db);
      await makeOldAccount(db, 'ada', { key: 'a', id: 'https://dav.example/ada/' });
      await makeOldAccount(db, 'ada', { key: 'g', id: 'ada@example.com', provider: 'google' });
      await makeOldAccount(db, 'ben', { key: 'b' });
      await db.write(
        "INSERT INTO application_user (client_id, user_id, created_at, last_seen_at) VALUES ('acme', 'cleo', 0, 0)",
      );
      await makeOldGrant(db, 1, 'ada');
      await makeOldGrant(db, 2, 'ada', NOW - 1);
      await makeOldGrant(db, 3, 'ben');
      await makeOldGrant(db, 4, 'cleo');
      await db.write(
        `INSERT INTO authorization_code (client_id, user_id, redirect_uri, scope, code_challenge, approved_at)
         VALUES ('acme', 'ada', 'https://acme.example/cb', 'free-busy', 'challenge', :now)`,
        { now: NOW },
      );
      await db.write("INSERT INTO account_device (account_key, device_hash) VALUES ('a', 'browser')");
      await db.write(
        `INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, created_seq, deleted, provider,
           account_id, href, noted_at)
         VALUES ('c', 'e', 'acme', 'ada', 5, 0, 1, 'caldav', 'https://dav.example/ada/', '/c/', :now)`,
        { now: NOW },
      );
      await migrate(db, Date.now, async () => {});
      const stores = openStores(db, { sealer });
      const idsOf = async (reader: Reader) =>
        (await stores.accounts.accountsOf(reader)).map(({ accountId }) => accountId);
      return { db, idsOf, ...stores };
    };
    const ADA = { clientId: 'acme', userId: 'ada' };
    const ADAS = ['ada@example.com', 'https://dav.example/ada/'];

    it('an older database has one group of accounts for each user, which the user’s grants read', async (t) => {
      const { db, idsOf, families, accounts, requests } = await prepareVersion8(t);
      const [ada, ended, ben, cleo] = await Promise.all(
        [1, 2, 3, 4].map((id) => families.findLivingGrant(id)),
      );

      assert.ok(ada && ben && cleo);
      assert.equal(ended, undefined);
      assert.deepEqual(await idsOf(ada), ADAS);
      assert.deepEqual(await idsOf({ ...ADA, coverageId: undefined }), ADAS);
      assert.deepEqual([await idsOf(ben), await idsOf(cleo)], [['id'], []]);
      assert.equal((await accounts.listAccounts('acme', 'ada')).length, 2);
      const misplaced = "SELECT 1 FROM account WHERE key_in_group <> group_id || ' ' || account_id";
      assert.deepEqual(await db.all(misplaced), []);
      const { groups, pending } = await requests.groupsOf(ADA, undefined, NOW);
      assert.deepEqual(
        groups.map(({ unfinished, givenScope, accounts: of }) => [unfinished, givenScope, of.length]),
        [[undefined, 'read', 2]],
      );
      assert.deepEqual(
        pending.map(({ codeChallenge, groupKeys }) => [codeChallenge, groupKeys]),
        [['challenge', [groups[0]?.groupKey]]],
      );
    });

    it('the pending code of an older database is redeemed for all of its user’s accounts', async (t) => {
      const { idsOf, codes, families } = await prepareVersion8(t);
      const presented = { clientId: 'acme', code: 'ada', redirectUri: 'https://acme.example/cb' };

      const family = await codes.redeemCode(
        { ...presented, codeChallenge: 'challenge', approvedSince: NOW },
        NOW + 1,
      );

      assert.equal(family?.grant.scope, 'free-busy');
      assert.deepEqual(await idsOf(family?.grant ?? assert.fail()), ADAS);
      await families.deleteEndedGrants(NOW + 1);
      assert.deepEqual(await idsOf(family.grant), ADAS);
    });

    it('the browsers of an older database prove nothing', async (t) => {
      const { requests } = await prepareVersion8(t);

      const { groups } = await requests.groupsOf(ADA, 'browser', NOW);

      assert.deepEqual(
        groups.map(({ isOfThisBrowser }) => isOfThisBrowser),
        [false],
      );
    });

    it('the changes of an older database are told to the grants of their user', async (t) => {
      const { families, changes } = await prepareVersion8(t);
      const grants = await Promise.all([1, 3].map((id) => families.findLivingGrant(id)));

      const told = await Promise.all(
        grants.map((grant) => changes.changesAfter(grant ?? assert.fail(), { seq: 0 }, 10)),
      );

      assert.deepEqual(
        told.map((ofGrant) => ofGrant.map(({ id, deleted }) => [id, deleted])),
        [[['e', 1]], []],
      );
    });

    it('signing in to an account of an older database proves the group that it is in', async (t) => {
      const { idsOf, ...stores } = await prepareVersion8(t);
      const ada = await visit(stores, 'new browser');
      const google = { provider: 'google', accountId: 'ada@example.com', identity: 'sub:1' } as const;

      await ada.link(google, NOW);
      await ada.allow();
      const grant = await ada.redeem();

      assert.deepEqual(await idsOf(grant ?? assert.fail()), ADAS);
      assert.deepEqual(await stores.accounts.credentialsOf('g'), {
        username: 'ada',
        password: 'canary-secret',
      });
    });

    it('the jobs of an older database are due as they were, each once', async (t) => {
      const db = connect(await place());
      t.after(() => db.close());
      await migrateUpTo(db, 12);
      await db.write(
        `INSERT INTO job (kind, key, run_at, attempts, lease_holder) VALUES
           ('sync-account', 'due', :past, 2, NULL), ('sync-account', 'died', :past, 1, 'old'),
           ('sync-calendar', 'later', :later, 0, NULL), ('end-access', 'end', :past, 0, NULL)`,
        { past: NOW - 1, later: NOW + 5_000 },
      );

      await migrate(
        db,
        () => NOW,
        async () => {},
      );

      const jobs = jobStore(db);
      const keys = async (holder: string, now: number) =>
        (await take(jobs, { holder, now, leaseUntil: now + 600_000 })).map(({ key }) => key).toSorted();
      assert.deepEqual(await keys('h1', NOW), ['due', 'end']);
      assert.deepEqual(await keys('h2', NOW + 1), ['died']);
      assert.deepEqual(await keys('h3', NOW + 5_000), ['later']);
      assert.deepEqual(await keys('h4', NOW + 5_001), []);
    });

    it('the jobs of an older database are in the slice of their host, or of their owner without one', async (t) => {
      const db = connect(await place());
      t.after(() => db.close());
      await migrateUpTo(db, 63);
      for (const [owner, host] of [
        ['ada', 'dav.example'],
        ['ben\\', ''],
      ] as const) {
        const values = { owner, host };
        await db.write(
          "INSERT INTO job (kind, key, run_at, attempts, owner, host) VALUES ('sync-account', :owner, 1, 0, :owner, :host)",
          values,
        );
        await db.write(
          "INSERT INTO job_turn (kind, owner, host, turn_at) VALUES ('sync-account', :owner, :host, 1)",
          values,
        );
      }

      await migrate(db, Date.now, async () => {});

      const sliceOf = (name: string) =>
        db.dialect.engine === 'sqlite' ? 0 : (createHash('sha256').update(name).digest()[0] ?? 0) % 64;
      for (const table of ['job', 'job_turn'])
        assert.deepEqual(await db.all(`SELECT owner, slice FROM ${table} WHERE owner <> '' ORDER BY owner`), [
          { owner: 'ada', slice: sliceOf('dav.example') },
          { owner: 'ben\\', slice: sliceOf('ben\\') },
        ]);
      assert.deepEqual(await db.get('SELECT COUNT(*) AS count FROM job_slice'), { count: 64 });
    });

    it('CalDAV series with rules that are followed now are read again with their overrides', async (t) => {
      const db = connect(await place());
      t.after(() => db.close());
      await migrateUpTo(db, 52);
      await makeOldApplication(db);
      for (const provider of ['caldav', 'google']) {
        await makeOldSeries(db, `${provider} daily`, provider, 'FREQ=DAILY');
        await makeOldSeries(db, `${provider} hourly`, provider, 'freq=hourly');
        await makeOldSeries(db, `${provider} hebrew`, provider, 'RSCALE=HEBREW;FREQ=YEARLY');
      }

      await migrate(db, Date.now, async () => {});

      const rows = await db.all<{ href: string }>('SELECT href FROM event WHERE etag IS NULL ORDER BY href');
      const hrefs = rows.map(({ href }) => href);
      assert.deepEqual(
        hrefs,
        ['hebrew', 'hourly'].flatMap((name) => Array(2).fill(`caldav ${name}`)),
      );
    });

    it('applications that an older database has as verified are so with what they show, from when that was set', async (t) => {
      const db = connect(await place());
      t.after(() => db.close());
      await migrateUpTo(db, 26);
      await makeOldApplication(db);
      await db.script(
        `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
         VALUES ('other', 'Other', 'https://o.example/cb', 0, 0);
         UPDATE application SET display_name = 'Acme Planner' WHERE client_id = 'acme';
         INSERT INTO application_look (client_id, enabled, theme, hide_footer, support_email, verified, updated_at)
         VALUES ('acme', 1, 'auto', 0, 'help@acme.example', 1, 7), ('other', 1, 'auto', 0, NULL, 0, 7);
         INSERT INTO application_logo (client_id, scheme, hash, content)
         VALUES ('acme', 'light', 'h1', 'YQ=='), ('other', 'light', 'h2', 'Yg==')`,
        async () => {},
      );

      await migrate(db, Date.now, async () => {});

      const { verification } = openStores(db, { sealer });
      const acme = await verification.findVerification('acme');
      assert.deepEqual([acme?.status, acme?.verifiedAt], ['approved', 7]);
      assert.deepEqual(acme?.approved, acme?.present);
      assert.equal(acme?.approved?.displayName, 'Acme Planner');
      assert.deepEqual(acme?.approved?.logo, { hash: 'h1' });
      const log = await verification.listActivity('acme', { limit: 10 });
      assert.deepEqual(
        log.map(({ kind, at }) => [kind, at]),
        [['approved', 7]],
      );
      const other = await verification.findVerification('other');
      assert.deepEqual(
        [other?.status, other?.verifiedAt, other?.approved],
        ['not_submitted', undefined, undefined],
      );
    });
  });
});
