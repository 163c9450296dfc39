/** Writes the audit log, in the transaction of the change that an entry describes. */
import type {
  AuditAction,
  AuditedChange,
  AuditFields,
  By,
  Caller,
  NewAuditEntry,
} from '../../audit/audit-entry.ts';
import { newUserKey, userSubject } from '../../audit/user-subject.ts';
import { APPLY_LEASE_MS } from '../../system/managed-store.ts';
import type { Statements } from '../drivers/database.ts';

const NEXT = 'UPDATE audit_counter SET number = number + 1 WHERE id = 1 RETURNING number';
const APPEND = `
  INSERT INTO audit_entry (number, made_at, actor_kind, actor_id, actor_name, address, action, client_id, subject,
    before_change, after_change)
  VALUES (:number, :at, :kind, :actorId, :actorName, :address, :action, :clientId, :subject, :before, :after)`;
// The WHERE clause is the guard: of several runs of a request, one makes changes.
const MARK = `
  UPDATE admin_request SET acted_at = :now
   WHERE key_id = :keyId AND key_hash = :keyHash AND lease_holder = :holder`;

// The WHERE clause is the guard: an apply whose lease was taken over makes no change.
const EXTEND_APPLY = `UPDATE lease SET expires_at = :until WHERE name = 'apply' AND holder = :applyHolder`;
const MANAGE = 'INSERT INTO managed (id, client_id) VALUES (:id, :clientId) ON CONFLICT (id) DO NOTHING';
const FORGET = 'DELETE FROM managed WHERE id = :id OR client_id = :id';

/** The actions that create and delete what an apply manages. */
const CREATIONS: readonly AuditAction[] = ['client.created', 'endpoint.created', 'person.invited'];
const DELETIONS: readonly AuditAction[] = [
  ...(['client.deleted', 'endpoint.deleted', 'person.removed', 'person.invitation_withdrawn'] as const),
];

/**
 * Appends an entry, which must not contain a secret, a token, a title or an account's address. Call it last in the
 * transaction: other entries wait until the commit.
 */
export async function appendAudit(tx: Statements, entry: NewAuditEntry): Promise<void> {
  const next = await tx.get<{ number: number }>(NEXT);
  if (next === undefined) throw new Error('The counter of the audit log is missing');
  const { actor, at, action } = entry;
  await tx.change(APPEND, {
    number: next.number,
    at,
    action,
    // A CHECK limits the kinds that are stored. Only a system actor that is a key has an id.
    kind: actor.kind === 'admin_key' ? 'system' : actor.kind,
    actorId: 'id' in actor ? actor.id : null,
    actorName: 'name' in actor ? actor.name : null,
    address: entry.address ?? null,
    clientId: entry.clientId ?? null,
    subject: entry.subject ?? null,
    before: renderFields(entry.before),
    after: renderFields(entry.after),
  });
}

const renderFields = (fields: AuditFields | undefined): string | null =>
  fields === undefined ? null : JSON.stringify(fields);

/**
 * Appends an entry for a change, unless it has no caller. Throws if the caller's request is no longer claimed, or its apply
 * no longer has the lease.
 */
export async function auditFor(tx: Statements, by: By['by'], change: AuditedChange): Promise<void> {
  if (by === undefined) return;
  const { actor, requestedBy, address, now, claim } = by;
  if (claim !== undefined && (await tx.change(MARK, { ...claim, now: now() })) === 0)
    throw new Error('The request took too long: a repetition of it has run meanwhile');
  await manage(tx, by, change);
  const after = requestedBy === undefined ? change.after : { ...change.after, requested_by: requestedBy };
  await appendAudit(tx, { ...change, after, actor, address, at: now() });
}

/** Notes what an apply creates, and forgets what anyone deletes. */
async function manage(
  tx: Statements,
  { applyHolder, now }: Caller,
  { action, clientId, subject: id = clientId ?? '' }: AuditedChange,
): Promise<void> {
  if (applyHolder !== undefined) {
    const extended = await tx.change(EXTEND_APPLY, { applyHolder, until: now() + APPLY_LEASE_MS });
    if (extended === 0) throw new Error('The apply took too long: another one has run meanwhile');
    if (CREATIONS.includes(action)) await tx.change(MANAGE, { id, clientId: clientId ?? null });
  }
  if (DELETIONS.includes(action)) await tx.change(FORGET, { id });
}

const KEY_OF_USER = `
  UPDATE application_user SET audit_key = COALESCE(NULLIF(audit_key, ''), :fresh)
   WHERE client_id = :clientId AND user_id = :userId RETURNING audit_key AS key`;

/** Returns the name of the user in entries and locks the user's row; `undefined` if the user does not exist. */
export async function subjectOfUser(
  tx: Statements,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
): Promise<string | undefined> {
  const row = await tx.get<{ key: string }>(KEY_OF_USER, { clientId, userId, fresh: newUserKey() });
  return row && userSubject(row.key, userId);
}
