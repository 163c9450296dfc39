import { ACCOUNT_QUOTA_GUARDS } from './account-quota-guards.ts';
import { AUDIT_GUARDS } from './audit-guards.ts';
import { JOB_GUARDS } from './job-guards.ts';
import { LEFT_OUT_GUARDS } from './left-out-guards.ts';
import { ONCE_GUARDS } from './once-guards.ts';
import { TOKEN_GUARDS } from './token-guards.ts';
import { USER_PAGE_GUARDS } from './user-page-guards.ts';
import { VERIFICATION_GUARDS } from './verification-guards.ts';
import { WEBHOOK_GUARDS } from './webhook-guards.ts';

/** The guards in the stores' statements, and the rule of a contract that fails without each. */
export type Guard = {
  readonly store: string;
  /** The guard's text in a statement, `=>`, and its replacement. */
  readonly without: string;
  /** The rule of the store's contract that fails then. */
  readonly fails: string;
  readonly on?: 'PostgreSQL';
};

export const GUARDS: readonly Guard[] = [
  ...ACCOUNT_QUOTA_GUARDS,
  ...AUDIT_GUARDS,
  ...JOB_GUARDS,
  ...ONCE_GUARDS,
  ...TOKEN_GUARDS,
  ...USER_PAGE_GUARDS,
  ...VERIFICATION_GUARDS,
  ...WEBHOOK_GUARDS,
  {
    store: 'authorization-request',
    without:
      "SET status = 'denied' WHERE transaction_id = :transactionId AND status = 'open'=>SET status = 'denied' WHERE transaction_id = :transactionId",
    fails: 'a request is denied once, however many try, and what was linked in it goes',
  },
  {
    store: 'authorization-request',
    without: " AND status = 'open'=>",
    fails: 'an open request notes how far it went, each thing by itself, and one that ended does not',
  },
  {
    store: 'authorization-request',
    without: ' AND r.allowed_at IS NULL AND r.disconnected = 0=>',
    fails: 'over the most of an application the oldest in which nothing was done go',
  },
  {
    store: 'authorization-request',
    without: ' AND NOT EXISTS (SELECT 1 FROM account_group AS g WHERE g.transaction_id = r.transaction_id)=>',
    fails: 'over the most of an application the oldest in which nothing was done go',
  },
  {
    store: 'authorization-request',
    without: ' AND NOT EXISTS (SELECT 1 FROM sign_in AS s WHERE s.transaction_id = r.transaction_id)=>',
    fails: 'over the most of an application the oldest in which nothing was done go',
  },
  {
    store: 'approval',
    without: " AND status = 'open'=>",
    fails: 'exactly one of five approvals and five denials decides a request',
  },
  {
    store: 'approval',
    without:
      'UPDATE application_user SET last_seen_at = last_seen_at WHERE=>SELECT user_id FROM application_user WHERE',
    fails: 'no code is left to redeem when the last account goes while it is approved',
    on: 'PostgreSQL',
  },
  {
    store: 'approval',
    without:
      'UPDATE application_user SET last_seen_at = last_seen_at WHERE=>SELECT user_id FROM application_user WHERE',
    fails: 'of ten strangers who allow at once one does, and the others wait',
    on: 'PostgreSQL',
  },
  {
    store: 'approval',
    without:
      'UPDATE token_family SET withdrawn_at = withdrawn_at WHERE=>SELECT family_id FROM token_family WHERE',
    fails: 'a redemption waits for an approval that has looked at its code',
    on: 'PostgreSQL',
  },
  {
    store: 'approval',
    without:
      'UPDATE account_group SET expires_at = NULL, transaction_id = NULL, approved_at = NULL=>UPDATE account_group SET expires_at = expires_at',
    fails: 'redeeming a code makes its accounts the user’s in one transaction',
  },
  {
    store: 'approval',
    without: ' AND f.ended_at IS NULL) AS=>) AS',
    fails: 'groups say what living grants give of them',
  },
  {
    store: 'approval',
    without: ' AND f.withdrawn_at IS NULL=>',
    fails: 'groups say what living grants give of them',
  },
  {
    store: 'approval',
    without:
      ' AND f.approved_at >= CAST(:now AS BIGINT) - 1000 * (SELECT code_lifetime FROM application WHERE client_id = :clientId)=> AND CAST(:now AS BIGINT) > 0',
    fails: 'groups say what living grants give of them',
  },
  {
    store: 'join-groups',
    without:
      'CASE WHEN excluded.scope < grant_coverage.scope THEN excluded.scope ELSE grant_coverage.scope END=>grant_coverage.scope',
    fails: 'a grant that covered joined groups at different scopes covers them at the narrower',
  },
  {
    store: 'join-groups',
    without: "CASE WHEN g.expires_at IS NULL AND a.health <> 'active' THEN 1 ELSE 0 END,=>",
    fails: 'of an account that two groups of the user have, the one that works stays',
  },
  {
    store: 'user',
    without: ' WHERE application_user.last_seen_at < excluded.last_seen_at=>',
    fails: 'a user never looks less recently seen than it was',
  },
  {
    store: 'user',
    without:
      'NOT EXISTS (SELECT 1 FROM account AS a WHERE=>NOT EXISTS (SELECT 1 FROM account AS a WHERE 1 = 0 AND',
    fails: 'users without account and grant that were last seen before the instant are deleted',
  },
  {
    store: 'user',
    without:
      'NOT EXISTS (SELECT 1 FROM token_family AS f WHERE=>NOT EXISTS (SELECT 1 FROM token_family AS f WHERE 1 = 0 AND',
    fails: 'users without account and grant that were last seen before the instant are deleted',
  },
  {
    store: 'client',
    without: ' AND expires_at IS NOT NULL=>',
    fails: 'the secret before a rotation stays alive until the instant given',
  },
  {
    store: 'client',
    without:
      'UPDATE application SET updated_at = CASE WHEN :now > updated_at THEN :now ELSE updated_at + 1 END WHERE client_id = :clientId=>SELECT client_id FROM application WHERE client_id = :clientId AND CAST(:now AS BIGINT) > 0',
    fails: 'ten concurrent rotations leave two secrets, one of them to stay',
    on: 'PostgreSQL',
  },
  {
    store: 'signing-key',
    without:
      "INSERT INTO setting (name, value) VALUES ('signing_keys_changed', :kid) ON CONFLICT (name) DO UPDATE SET value = excluded.value=>SELECT CAST(:kid AS TEXT)",
    fails: 'each of ten concurrent rotations of the keys is a whole one',
    on: 'PostgreSQL',
  },
  {
    store: 'webhook-key',
    without:
      "INSERT INTO setting (name, value) VALUES ('webhook_keys_changed', :keyId) ON CONFLICT (name) DO UPDATE SET value = excluded.value=>SELECT CAST(:keyId AS TEXT)",
    fails: 'each of ten concurrent rotations of webhook keys is a whole one',
    on: 'PostgreSQL',
  },
  {
    store: 'account-groups',
    without:
      ' AND NOT EXISTS (SELECT 1 FROM grant_coverage AS c JOIN account AS a ON a.group_id = c.group_id WHERE c.coverage_id = token_family.coverage_id)=>',
    fails: 'the pending code is withdrawn with the last account it covers, not before',
  },
  {
    store: 'account-groups',
    without: 'ON g.group_id = v.group_id AND g.expires_at IS NULL=>ON g.group_id = v.group_id',
    fails: 'a linked account belongs to no user',
  },
  {
    store: 'account-groups',
    without:
      ' AND EXISTS (SELECT 1 FROM account_group AS g WHERE g.group_id = account.group_id AND g.expires_at IS NULL)=>',
    fails: 'a linked account belongs to no user',
  },
  {
    store: 'account-groups',
    without: 'FROM grant_coverage WHERE coverage_id = :coverageId=>FROM grant_coverage',
    fails: 'a grant reads what its own approver connected',
  },
  {
    store: 'account-groups',
    without: ' AND f.ended_at IS NULL=>',
    fails: 'a grant reads what its own approver connected',
  },
  {
    store: 'account-groups',
    without:
      'WHERE client_id = :clientId AND user_id = :userId AND group_id IN ( SELECT g=>WHERE group_id IN ( SELECT g',
    fails: 'a grant reads accounts of its own user and application alone',
  },
  {
    store: 'account-groups',
    without: 'DELETE FROM group_device WHERE=>SELECT group_id FROM group_device WHERE',
    fails: 'a new secret of a browser takes over all that the former stood for',
  },
  {
    store: 'account-groups',
    without: 'AND expires_at < :endedBefore RETURNING=>AND CAST(:endedBefore AS BIGINT) > 0 RETURNING',
    fails: 'exactly one of a redemption and nine drops decides what becomes of an account',
    on: 'PostgreSQL',
  },
  {
    store: 'account',
    without: ' AND identity IS NULL AND (provider=> AND (provider',
    fails: 'accounts that claim one id on the wire are two when other people signed in',
  },
  {
    store: 'account',
    without: " OR display = :display)=> OR CAST(:display AS TEXT) <> '')",
    fails:
      'the identity of an account that was linked before identities were kept of a CalDAV server is not taken',
  },
  {
    store: 'account',
    without: " AND NOT (health = 'reauth_required' AND :state = 'degraded')=>",
    fails: 'an account keeps telling that the user must act while the provider is down as well',
  },
  {
    store: 'account',
    without: ' AND list_error IS NULL=>',
    fails: 'an account recovers only when its list and all its calendars are well',
  },
  {
    store: 'account',
    without: 'sync_error IS NOT NULL OR =>',
    fails: 'an account recovers only when its list and all its calendars are well',
  },
  {
    store: 'mirror',
    without: ' AND lease_holder = :holder=>',
    fails: 'a run whose lease another took over writes nothing',
  },
  {
    store: 'mirror',
    without: ' AND (lease_holder IS NULL OR lease_until <= :now)=>',
    fails: 'exactly one of ten concurrent runs has the lease of a calendar',
  },
  {
    store: 'mirror-limits',
    without:
      'lease_holder = CASE WHEN calendar.time_zone = excluded.time_zone THEN calendar.lease_holder END,=>',
    fails: 'who renders for a zone that the calendar no longer has loses the lease',
  },
  ...LEFT_OUT_GUARDS,
  {
    store: 'account',
    without: ' AND times_linked = :timesLinked=>',
    fails: 'an account ignores what a run found out before its user linked it again',
  },
  {
    store: 'token-lease',
    without: ' AND (renewal_holder IS NULL OR renewal_until <= :now)=>',
    fails: 'exactly one of ten concurrent calls has the lease to renew',
  },
  {
    store: 'token-lease',
    without: 'AND credentials_version = :version AND renewal_failures=>AND renewal_failures',
    fails: 'credentials that were renewed since they were read give no lease',
  },
  {
    store: 'token-lease',
    without: ' AND renewal_failures = :failures=>',
    fails: 'a caller that has not seen the last failed renewal of the credentials gets no lease',
  },
  {
    store: 'token-lease',
    without: ' AND credentials_version = :version RETURNING health=> RETURNING health',
    fails: 'a renewal never takes the place of what the user linked meanwhile',
  },
  {
    store: 'token-lease',
    without: ' AND renewal_holder = :holder=>',
    fails: 'the failure of a run whose lease another took over is ignored',
  },
  {
    store: 'request-limit',
    without: ' WHERE request_slot.lease_until <= :now=>',
    fails: 'exactly one of ten concurrent calls has a slot',
  },
  {
    store: 'request-limit',
    without: ' AND holder = :holder=>',
    fails: 'a slot is freed when it is given back by its holder, and by nobody else',
  },
  {
    store: 'request-limit',
    without: '+ :cost <= CAST(:now AS BIGINT) + :burst=>> 0',
    fails: 'a bucket hands out no more than is in it, however many ask at once',
  },
  {
    store: 'request-limit',
    without: ' WHERE request_budget.full_at < excluded.full_at=>',
    fails: 'an emptied bucket stays empty until the instant given, and that is never shortened',
  },
  {
    store: 'request-limit',
    without: ' AND (probe_until IS NULL OR probe_until <= :now)=>',
    fails: 'exactly one of ten concurrent calls probes, when the circuit has been open long enough',
  },
  {
    store: 'request-limit',
    without: ' AND open_until <= :now=>',
    fails: 'exactly one of ten concurrent calls probes, when the circuit has been open long enough',
  },
  {
    store: 'request-limit',
    without: ' WHERE request_circuit.open_until IS NULL OR request_circuit.open_until <= :now=>',
    fails: 'what fails while the circuit is open changes nothing: it was under way before',
  },
];
