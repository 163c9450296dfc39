/** The guards of the audit log: an entry for each change, and one. */
import type { Guard } from './known-guards.ts';

export const AUDIT_GUARDS: readonly Guard[] = [
  {
    store: 'audited-changes',
    without:
      'UPDATE application SET updated_at = CASE WHEN :now > updated_at THEN :now ELSE updated_at + 1 END WHERE client_id = :clientId=>SELECT client_id FROM application WHERE client_id = :clientId AND CAST(:now AS BIGINT) > 0',
    fails: 'each of ten changes at once leaves an entry, which begins where the one before it ended',
    on: 'PostgreSQL',
  },
  {
    store: 'audited-changes',
    without: "SET audit_key = '' WHERE=>SET audit_key = audit_key WHERE",
    fails: 'of ten deletions at once one leaves an entry, however much the user has',
  },
  {
    store: 'audit-log',
    without:
      '(made_at, number) < (:placeAt, :placeNumber)=>made_at < :placeAt AND CAST(:placeNumber AS BIGINT) > 0',
    fails: 'lists the newest first, whatever the clocks of several instances said',
  },
  {
    store: 'audit-log',
    without:
      "actor_kind = 'person' AND actor_id = :actorId=>actor_kind = 'person' AND CAST(:actorId AS TEXT) <> ''",
    fails: 'each filter leaves out what it does not name',
  },
  {
    store: 'audit-log',
    without: ' AND made_at >= :from ORDER=> AND CAST(:from AS BIGINT) <> 0 ORDER',
    fails: 'an export reads all in the order of their numbers, in parts',
  },
];
