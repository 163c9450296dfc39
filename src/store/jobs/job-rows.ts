/** Statements that create jobs, for the transactions of other stores. */
import { createHash } from 'node:crypto';
import type { JobKind, JobName, JobPlace } from '../../jobs/job-store.ts';
import { traceOfJob } from '../../lib/current-trace.ts';
import { hostOfUrl } from '../../lib/host-of-url.ts';
import type { Statements, Values } from '../drivers/database.ts';

/** A job is set aside after this many unfinished runs in a row. */
export const MOST_UNFINISHED = 3;

/**
 * Keeps the earlier of two turns, and the application's id unless an older instance wrote none. Every caller locks a
 * turn's row before its jobs, which prevents deadlocks.
 */
export const OR_EARLIER = `ON CONFLICT (owner, kind, host) DO UPDATE SET
  client_id = CASE WHEN excluded.client_id = '' THEN job_turn.client_id ELSE excluded.client_id END,
  turn_at = CASE WHEN job_turn.turn_at > excluded.turn_at THEN excluded.turn_at ELSE job_turn.turn_at END`;

/**
 * Creates the job or brings it forward, unless it was set aside. A running job is marked to run again: its data may be
 * older than the reason for this call.
 */
export async function scheduleJob(tx: Statements, { kind, key }: JobName, runAt: number): Promise<void> {
  const { clientId, owner, accountKey, host } = await findPlace(tx, { kind, key });
  await tx.change(
    `INSERT INTO job_turn (client_id, owner, kind, host, turn_at, served_at)
     VALUES (:clientId, :owner, :kind, :host, :runAt,
       (SELECT COALESCE(MAX(served_at), 0) FROM job_turn AS t WHERE t.owner = :owner)) ${OR_EARLIER}`,
    { clientId, owner, kind, host, runAt },
  );
  await tx.change(
    `INSERT INTO job (kind, key, run_at, attempts, client_id, owner, account_key, host, trace)
     VALUES (:kind, :key, :runAt, 0, :clientId, :owner, :accountKey, :host, :trace)
     ON CONFLICT (kind, key) DO UPDATE SET
       run_at = CASE WHEN job.lease_holder IS NULL AND job.unfinished < ${MOST_UNFINISHED} AND job.run_at > :runAt
                     THEN :runAt ELSE job.run_at END,
       again_at = CASE WHEN job.lease_holder IS NULL THEN NULL
                       WHEN job.again_at < :runAt THEN job.again_at
                       ELSE :runAt END,
       client_id = excluded.client_id, owner = excluded.owner, account_key = excluded.account_key, host = excluded.host,
       trace = excluded.trace`,
    { kind, key, runAt, clientId, owner, accountKey, host, trace: traceOfJob() },
  );
}

/** Schedules the end of the access of the accounts `FROM account WHERE …`. `values` has the parameters and `now`. */
export async function scheduleEndOfAccess(tx: Statements, accounts: string, values: Values): Promise<void> {
  await tx.change(
    `INSERT INTO job_turn (client_id, owner, kind, host, turn_at)
     SELECT DISTINCT client_id, client_id, 'end-access', '', CAST(:now AS BIGINT) ${accounts} ${OR_EARLIER}`,
    values,
  );
  await tx.change(
    `INSERT INTO job (kind, key, run_at, attempts, client_id, owner, trace)
     SELECT 'end-access', account_key, CAST(:now AS BIGINT), 0, client_id, client_id, CAST(:trace AS TEXT) ${accounts}`,
    { ...values, trace: traceOfJob() },
  );
}

type PlaceRow = {
  readonly clientId: string;
  readonly userId: string | undefined;
  readonly provider: string;
  readonly accountId: string;
  readonly accountKey: string;
};

const ACCOUNT = `a.client_id, a.user_id, a.provider, a.account_id, a.account_key`;
const OF_CALENDAR = `
  SELECT ${ACCOUNT} FROM calendar AS c JOIN account AS a ON a.account_key = c.account_key WHERE c.calendar_key = :key`;
const PLACES: Readonly<Record<JobKind, string | undefined>> = {
  'sync-account': `SELECT ${ACCOUNT} FROM account AS a WHERE a.account_key = :key`,
  'sync-calendar': OF_CALENDAR,
  'finish-splits': OF_CALENDAR,
  'end-access': `
  SELECT client_id, NULL AS user_id, provider, account_id, '' AS account_key
    FROM ended_access WHERE account_key = :key`,
  housekeeping: undefined,
};

async function findPlace(tx: Statements, { kind, key }: JobName): Promise<JobPlace> {
  const place = PLACES[kind];
  const row = place === undefined ? undefined : await tx.get<PlaceRow>(place, { key });
  if (row === undefined) return { clientId: '', owner: '', accountKey: '', host: '' };
  const { clientId, userId, provider, accountId, accountKey } = row;
  return {
    clientId,
    // A digest, since the row may outlive the user for a while.
    owner:
      userId === undefined
        ? clientId
        : createHash('sha256').update(`${clientId} ${userId}`).digest('base64url'),
    accountKey,
    // The limits of other providers are in access/request-gate.ts.
    host: provider === 'caldav' ? hostOfUrl(accountId) : '',
  };
}
