/**
 * The contracts are worth something only if they notice: each guard is taken out of the statements in
 * turn, and the rule that stands for it has to fail. A guard that only keeps concurrent transactions
 * apart is missed on PostgreSQL alone; SQLite has one writer. So is that of a row which SQLite reads back
 * by a look-up with the same guard.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { it } from 'node:test';

import { cleanUpAtEnd, postgresUrl } from '../harness/databases.ts';

type Guard = {
  readonly store: string;
  /** The guard as it stands in a statement, `=>`, and what stands there without it. */
  readonly without: string;
  /** The rule of the store's contract that fails then. */
  readonly fails: string;
  readonly on?: 'PostgreSQL';
};

const GUARDS: readonly Guard[] = [
  {
    store: 'token-family',
    without: ' AND token_hash = {presented}=>',
    fails: 'makes the winner of a race, and nobody else, the holder of the current token',
  },
  {
    store: 'token-family',
    without: '{presented} AND ended_at IS NULL=>{presented}',
    fails: 'ends every living grant of the user with any one of them',
    on: 'PostgreSQL',
  },
  {
    store: 'token-family',
    without: ' AND f.ended_at IS NULL=>',
    fails: 'ends every living grant of the user with any one of them',
  },
  {
    store: 'token-family',
    without: ' AND own.ended_at IS NULL=>',
    fails: 'cannot end a later authorization with a token of an ended grant',
  },
  {
    store: 'token-family',
    without: 'own.client_id = :clientId AND own.user_id = :userId AND=>',
    fails: 'ends nothing for a family that belongs to another user or application',
  },
  {
    store: 'token-family',
    without: 'user_id = :userId AND ended_at IS NULL AND EXISTS=>user_id = :userId AND EXISTS',
    fails: 'ends each grant once, however many revoke at once',
    on: 'PostgreSQL',
  },
  {
    store: 'authorization-code',
    without: ' AND redirect_uri = :redirectUri=>',
    fails: 'redeems nothing, and keeps the record, without the redirect URI of the approval',
  },
  {
    store: 'authorization-code',
    without: " AND COALESCE(code_challenge, '') = COALESCE(CAST(:codeChallenge AS TEXT), '')=>",
    fails: 'redeems nothing without the challenge of the approval',
  },
  {
    store: 'authorization-code',
    without: ' AND approved_at >= :approvedSince=>',
    fails: 'redeems nothing, and keeps the record, without an approval that is young enough',
  },
  {
    store: 'authorization-code',
    without: ':approvedSince AND withdrawn_at IS NULL=>:approvedSince',
    fails: 'does not redeem a record that was withdrawn meanwhile, and keeps it',
  },
  {
    store: 'authorization-code',
    without: 'c.client_id = {clientId} AND c.user_id = {userId}=>c.user_id = {userId}',
    fails: "answers a code's record at its own application only",
  },
  {
    store: 'authorization-code',
    without:
      'DELETE FROM authorization_code WHERE client_id = :clientId=>UPDATE authorization_code SET approved_at = approved_at WHERE client_id = :clientId',
    fails: 'lets exactly one of ten concurrent exchanges redeem a code',
  },
  {
    store: 'authorization-request',
    without: " AND status = 'open'=>",
    fails: 'approves a request once, however many try, and writes its code',
  },
  {
    store: 'authorization-request',
    without: " AND status = 'open' RETURNING=> RETURNING",
    fails: 'lets exactly one of five approvals and five denials decide',
  },
  {
    store: 'authorization-request',
    without: 'AND EXISTS (SELECT 1 FROM account=>OR EXISTS (SELECT 1 FROM account',
    fails: 'approves nothing for a user without an account',
  },
  {
    store: 'authorization-request',
    without:
      'UPDATE application_user SET last_seen_at = last_seen_at WHERE=>SELECT user_id FROM application_user WHERE',
    fails: 'leaves no code to redeem when the last account goes while it is approved',
    on: 'PostgreSQL',
  },
  {
    store: 'user',
    without: ' WHERE application_user.last_seen_at < excluded.last_seen_at=>',
    fails: 'never makes a user look less recently seen than it was',
  },
  {
    store: 'user',
    without:
      'NOT EXISTS (SELECT 1 FROM account AS a WHERE=>NOT EXISTS (SELECT 1 FROM account AS a WHERE 1 = 0 AND',
    fails: 'deletes users without account and grant that were last seen before',
  },
  {
    store: 'user',
    without:
      'NOT EXISTS (SELECT 1 FROM token_family AS f WHERE=>NOT EXISTS (SELECT 1 FROM token_family AS f WHERE 1 = 0 AND',
    fails: 'deletes users without account and grant that were last seen before',
  },
  {
    store: 'client',
    without: ' AND expires_at IS NOT NULL=>',
    fails: 'keeps the secret before a rotation alive until the instant given',
  },
  {
    store: 'client',
    without:
      'UPDATE application SET updated_at = :now WHERE client_id = :clientId RETURNING client_id=>SELECT client_id FROM application WHERE client_id = :clientId',
    fails: 'leaves two secrets after ten concurrent rotations, one of them to stay',
    on: 'PostgreSQL',
  },
  {
    store: 'signing-key',
    without:
      "INSERT INTO setting (name, value) VALUES ('signing_keys_changed', :kid) ON CONFLICT (name) DO UPDATE SET value = excluded.value=>SELECT CAST(:kid AS TEXT)",
    fails: 'makes each of ten concurrent rotations a whole one',
    on: 'PostgreSQL',
  },
  {
    store: 'account',
    without: ' AND NOT EXISTS (SELECT 1 FROM account WHERE client_id = :clientId AND user_id = :userId)=>',
    fails: 'withdraws the pending code with the last account, not before',
  },
  {
    store: 'job',
    without: ' AND lease_holder = :holder=>',
    fails: 'ignores the end of a run whose lease another took over',
  },
  {
    store: 'job',
    without: ' AND again_at IS NULL=>',
    fails: 'runs a job anew that was scheduled while it ran, from the first attempt',
  },
  {
    store: 'job',
    without: 'WHERE run_at <= :now ORDER BY=>WHERE CAST(:now AS BIGINT) > 0 ORDER BY',
    fails: 'takes a job when it is due, not before',
  },
  {
    store: 'job',
    without: 'FOR UPDATE SKIP LOCKED=>',
    fails: 'gives each of ten jobs to exactly one of ten concurrent takers',
    on: 'PostgreSQL',
  },
  {
    store: 'account',
    without: " AND NOT (health = 'reauth_required' AND :state = 'degraded')=>",
    fails: 'keeps telling that the user must act while the provider is down as well',
  },
  {
    store: 'account',
    without: ' AND list_error IS NULL=>',
    fails: 'recovers an account only when its list and all its calendars are well',
  },
  {
    store: 'account',
    without: ' AND sync_error IS NOT NULL)=> AND FALSE)',
    fails: 'recovers an account only when its list and all its calendars are well',
  },
  {
    store: 'mirror',
    without: ' AND lease_holder = :holder=>',
    fails: 'writes nothing for a run whose lease another took over',
  },
  {
    store: 'mirror',
    without: ' AND (lease_holder IS NULL OR lease_until <= :now)=>',
    fails: 'gives a lease to exactly one of ten concurrent runs',
  },
  {
    store: 'account',
    without: ' AND times_linked = :timesLinked=>',
    fails: 'does not hear of an account what was found out before its user linked it again',
  },
  {
    store: 'token-lease',
    without: ' AND (renewal_holder IS NULL OR renewal_until <= :now)=>',
    fails: 'gives the lease to exactly one of ten concurrent calls',
  },
  {
    store: 'token-lease',
    without: 'AND credentials_version = :version AND renewal_failures=>AND renewal_failures',
    fails: 'gives no lease on credentials that were renewed since they were read',
  },
  {
    store: 'token-lease',
    without: ' AND renewal_failures = :failures=>',
    fails: 'gives no lease to whoever has not seen that renewing them failed',
  },
  {
    store: 'token-lease',
    without: ' AND credentials_version = :version RETURNING health=> RETURNING health',
    fails: 'never puts a renewal in the place of what the user linked meanwhile',
  },
  {
    store: 'token-lease',
    without: ' AND renewal_holder = :holder=>',
    fails: 'ignores the failure of a run whose lease another took over',
  },
  {
    store: 'request-limit',
    without: ' WHERE request_slot.lease_until <= :now=>',
    fails: 'gives a slot to exactly one of ten concurrent calls',
  },
  {
    store: 'request-limit',
    without: ' AND holder = :holder=>',
    fails: 'frees a slot when it is given back by its holder, and by nobody else',
  },
  {
    store: 'request-limit',
    without: '+ :cost <= CAST(:now AS BIGINT) + :burst=>> 0',
    fails: 'hands out of a bucket no more than is in it, however many ask at once',
  },
  {
    store: 'request-limit',
    without: ' WHERE request_budget.full_at < excluded.full_at=>',
    fails: 'keeps an emptied bucket empty until the instant given, and never shortens that',
  },
  {
    store: 'request-limit',
    without: ' AND (probe_until IS NULL OR probe_until <= :now)=>',
    fails: 'lets exactly one of ten concurrent calls probe, when the circuit has been open long enough',
  },
  {
    store: 'request-limit',
    without: ' AND open_until <= :now=>',
    fails: 'lets exactly one of ten concurrent calls probe, when the circuit has been open long enough',
  },
  {
    store: 'request-limit',
    without: ' WHERE request_circuit.open_until IS NULL OR request_circuit.open_until <= :now=>',
    fails: 'changes nothing for what fails while the circuit is open: it was under way before',
  },
  {
    store: 'branding',
    without:
      'UPDATE application SET updated_at = :now WHERE client_id = :clientId RETURNING client_id AS "clientId"=>SELECT client_id FROM application WHERE client_id = :clientId AND CAST(:now AS BIGINT) > 0',
    fails: 'loses none of ten changes that are made at once',
    on: 'PostgreSQL',
  },
];

/** How often a mutated contract may come through by chance before its guard counts as untested. */
const MOST_RUNS = 5;

cleanUpAtEnd();

for (const guard of GUARDS) {
  const [text = ''] = guard.without.split('=>');
  it(`${guard.store} store: without "${text.trim()}" its contract fails`, async () => {
    let output = await runContract(guard);
    // A race without its guard is lost often, not always: on a busy machine calls may not overlap.
    for (let run = 1; run < MOST_RUNS && !failsWhereItMust(guard, output); run++) {
      output = await runContract(guard);
    }

    // What is left is a sound statement: it failed for what it did, not for how it was cut.
    assert.doesNotMatch(output, /code: '?(ERR_SQLITE_ERROR|42\w{3}|22\w{3})/);
    assert.ok(failsWhereItMust(guard, output), output);
  });
}

/** The rule's suite fails by its name; a mistyped rule or guard would fail nothing. */
function failsWhereItMust({ on }: Guard, output: string): boolean {
  const databases = on === undefined ? ['SQLite', 'PostgreSQL'] : [on];
  return databases.every((name) => new RegExp(`^not ok \\d+ - \\w+ on ${name}$`, 'm').test(output));
}

/** The output of the store's own test file, of the one rule, without the guard. */
async function runContract({ store, without, fails }: Guard): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    KALENDS_TEST_POSTGRES_URL: await postgresUrl(),
    KALENDS_TEST_WITHOUT_GUARD: without,
  };
  const pattern = fails.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const file = path.resolve(import.meta.dirname, `${store}.test.ts`);
  const args = ['--test-reporter=tap', `--test-name-pattern=${pattern}`, file];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (_failure, stdout) => resolve(stdout));
  });
}
