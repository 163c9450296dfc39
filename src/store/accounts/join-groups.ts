/** Makes several of a user's account groups one, as an approval that proves them all does (docs/security.md T3). */
import type { ProviderCredentials } from '../../calendars/calendar-provider.ts';
import type { Sealer } from '../../lib/sealing.ts';
import { recordAccountRemoval, recordArrival } from '../changes/change-journal.ts';
import type { Statements } from '../drivers/database.ts';
import { scheduleJob } from '../jobs/job-rows.ts';
import { takeChoice } from '../mirror/calendar-choice-store.ts';
import { keyInGroup, renewCredentials } from './account-groups.ts';
import { syncAll } from './account-quota.ts';
import { bySize, putAside, tellInstead } from './account-removal.ts';
import { credentialSealer, signInNeeded } from './account-rows.ts';
import { addConnected } from './health-history.ts';

export type Joining = {
  readonly clientId: string;
  readonly userId: string;
  readonly into: string;
  readonly from: readonly string[];
  readonly now: number;
};

type JoiningRow = {
  accountKey: string;
  groupId: string;
  provider: string;
  identity: string | undefined;
  keyInGroup: string;
  isUnfinished: number;
};

/**
 * Moves the accounts, browsers and grants of several groups to `into`. Of duplicate accounts one row stays, with the
 * credentials of the last sign-in. A grant that covered several groups covers `into` at the narrowest scope. The caller
 * has locked the user.
 */
export async function joinGroups(tx: Statements, joining: Joining, sealer: Sealer): Promise<void> {
  const { into, from, clientId, userId, now } = joining;
  if (from.length === 0) return;
  const remaining = await collapseTwins(tx, joining, sealer);
  const moved = remaining.filter(({ groupId }) => groupId !== into);
  for (const row of moved) await moveAccount(tx, row, into);
  const oneOfFrom = tx.dialect.oneOf('from');
  await tx.change(
    `INSERT INTO group_device (group_id, device_hash)
     SELECT DISTINCT CAST(:into AS TEXT), device_hash FROM group_device WHERE group_id ${oneOfFrom}
     ON CONFLICT (group_id, device_hash) DO NOTHING`,
    { into, from },
  );
  // Scopes sort by what they allow, the narrowest first.
  await tx.change(
    `INSERT INTO grant_coverage (coverage_id, group_id, scope)
     SELECT coverage_id, CAST(:into AS TEXT), MIN(scope) FROM grant_coverage WHERE group_id ${oneOfFrom}
      GROUP BY coverage_id
     ON CONFLICT (coverage_id, group_id) DO UPDATE SET
       scope = CASE WHEN excluded.scope < grant_coverage.scope THEN excluded.scope ELSE grant_coverage.scope END`,
    { into, from },
  );
  await tx.change(
    `UPDATE event_change SET group_id = :into
      WHERE client_id = :clientId AND user_id = :userId AND group_id ${oneOfFrom}`,
    { clientId, userId, into, from },
  );
  await tellInstead(tx, into, from);
  const ended = await tx.all<{ expiresAt: number | undefined }>(
    `DELETE FROM account_group WHERE group_id ${oneOfFrom} RETURNING expires_at`,
    { from },
  );
  // If a group was the user's before, its grants now cover the accounts of the others too.
  const arrived = ended.some(({ expiresAt }) => expiresAt === undefined) ? remaining : moved;
  if (arrived.length === 0) return;
  const accountKeys = arrived.map(({ accountKey }) => accountKey);
  await recordArrival(tx, { clientId, userId, accountKeys, now });
  const [isOfUser] = await tx.all(OF_USER, { into });
  if (isOfUser !== undefined) await syncAll(tx, accountKeys, now);
}

const OF_USER = 'SELECT group_id FROM account_group WHERE group_id = :into AND expires_at IS NULL';

/** Returns the accounts of all the groups, each once, and deletes duplicates. A healthy account takes precedence. */
async function collapseTwins(
  tx: Statements,
  { clientId, userId, into, from, now }: Joining,
  sealer: Sealer,
): Promise<JoiningRow[]> {
  const rows = await tx.all<JoiningRow>(
    `SELECT a.account_key, a.group_id, a.provider, a.identity, a.key_in_group,
            CASE WHEN g.expires_at IS NULL THEN 0 ELSE 1 END AS is_unfinished
       FROM account AS a JOIN account_group AS g ON g.group_id = a.group_id
      WHERE a.group_id = :into OR a.group_id ${tx.dialect.oneOf('from')}
      ORDER BY is_unfinished, CASE WHEN g.expires_at IS NULL AND a.health <> 'active' THEN 1 ELSE 0 END,
               a.linked_at, a.account_key`,
    { into, from },
  );
  const rowByIdentity = new Map<string, JoiningRow>();
  for (const row of rows) {
    const name = `${row.provider} ${row.identity ?? row.keyInGroup}`;
    const same = rowByIdentity.get(name);
    if (same === undefined) {
      rowByIdentity.set(name, row);
      continue;
    }
    const { accountKey } = row;
    const places = { from: accountKey, to: same.accountKey, now };
    const { large } = await bySize(tx, ONE, { accountKey });
    if (row.isUnfinished === 1) await takeSignIn(tx, places, sealer);
    else if (large.length === 0) await recordAccountRemoval(tx, ONE, { clientId, userId, accountKey, now });
    await takeChoice(tx, places);
    await deleteTwin(tx, { accountKey, isLarge: large.length > 0, now });
  }
  return [...rowByIdentity.values()];
}

async function moveAccount(tx: Statements, row: JoiningRow, into: string): Promise<void> {
  const key = keyInGroup(into, row.identity ?? row.keyInGroup.slice(row.groupId.length + 1));
  await tx.change(
    'UPDATE account SET group_id = :into, key_in_group = :key WHERE account_key = :accountKey',
    {
      into,
      key,
      accountKey: row.accountKey,
    },
  );
}

async function takeSignIn(
  tx: Statements,
  { from, to, now }: { readonly from: string; readonly to: string; readonly now: number },
  sealer: Sealer,
): Promise<void> {
  const sealed = credentialSealer(sealer);
  const row = await tx.get<{ credentials: string }>(
    'SELECT credentials FROM account WHERE account_key = :from',
    { from },
  );
  if (row === undefined) return;
  const credentials: ProviderCredentials = sealed.open(from, row.credentials);
  await tx.change(
    `UPDATE account SET (account_id, display, granted_scopes, calendar_permission, health, health_reason,
        health_message, health_since, proves_owner) =
       (SELECT account_id, display, granted_scopes, calendar_permission, health, health_reason, health_message,
               CAST(:now AS BIGINT), proves_owner FROM account AS s WHERE s.account_key = :from),
       sync_state_at = CASE WHEN ${signInNeeded('health', 'health_reason')} = 1 THEN CAST(:now AS BIGINT) ELSE sync_state_at END,
       addresses_read_at = NULL, times_linked = times_linked + 1, list_error = NULL, list_failed_at = NULL, lease_holder = NULL,
       unfinished_syncs = 0
      WHERE account_key = :to`,
    { from, to, now },
  );
  await renewCredentials(tx, to, sealed.seal(to, credentials));
  await scheduleJob(tx, { kind: 'sync-account', key: to }, now);
  await addConnected(tx, to, now);
}

const ONE = 'SELECT account_key FROM account WHERE account_key = :accountKey';

/** Deletes a duplicate. Its access does not end at the provider, since the account that stays has it too. */
async function deleteTwin(
  tx: Statements,
  {
    accountKey,
    isLarge,
    now,
  }: { readonly accountKey: string; readonly isLarge: boolean; readonly now: number },
): Promise<void> {
  await tx.change(
    `DELETE FROM job WHERE (kind = 'sync-account' AND key = :accountKey)
        OR (kind = 'sync-calendar' AND key IN (SELECT calendar_key FROM calendar WHERE account_key = :accountKey))`,
    { accountKey },
  );
  if (isLarge) await putAside(tx, { accountKey, now });
  else await tx.change('DELETE FROM account WHERE account_key = :accountKey', { accountKey });
}
