/** The rows of people, as the stores select them. */
import type { RoleSource } from '../../people/identity.ts';
import type { Person } from '../../people/person.ts';
import type { Statements } from '../drivers/database.ts';

export type PersonRow = Omit<Person, 'clientIds' | 'hasPassword' | 'identity' | 'getsAlertMails'> & {
  readonly password: string | undefined;
  readonly clientIds: string | undefined;
  readonly alertMails: number;
  readonly issuer: string | undefined;
  readonly subject: string | undefined;
  readonly roleSource: RoleSource | undefined;
  readonly identityUsedAt: number | undefined;
};

export const PERSON = `
  p.person_id, p.name, p.login, p.role, p.password, p.created_at, p.seen_at,
  p.address_confirmed_at, p.alert_mails,
  (SELECT string_agg(a.client_id, ',') FROM person_application a WHERE a.person_id = p.person_id) AS client_ids,
  (SELECT i.issuer FROM person_identity i WHERE i.person_id = p.person_id) AS issuer,
  (SELECT i.subject FROM person_identity i WHERE i.person_id = p.person_id) AS subject,
  (SELECT i.role_source FROM person_identity i WHERE i.person_id = p.person_id) AS role_source,
  (SELECT i.used_at FROM person_identity i WHERE i.person_id = p.person_id) AS identity_used_at`;

/** Serializes changes of one person's ways to sign in: the second change sees the first. */
export const LOCK_WAYS_IN = 'UPDATE person SET name = name WHERE person_id = :personId RETURNING password';

/** First in each transaction that adds or uses links or deletes their creator: serializes them without deadlocks. */
export const TAKE_TURN = `
  INSERT INTO setting (name, value) VALUES ('person_registered', '')
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

const GIVE = `
  INSERT INTO person_application (person_id, client_id)
  SELECT CAST(:personId AS TEXT), client_id FROM application WHERE client_id = :clientId ON CONFLICT DO NOTHING`;
// Before the first delivery no receiver knows the instance's keys. A choice of the operator is not changed.
const PREFER_OWN_KEYS = `
  UPDATE application SET own_webhook_keys = 1
   WHERE client_id = :clientId AND own_webhook_keys = 0 AND webhook_keys_overlap_until IS NULL
     AND NOT EXISTS (SELECT 1 FROM webhook_message WHERE client_id = :clientId)`;
const USE_OWN_KEYS = `${PREFER_OWN_KEYS}
     AND EXISTS (SELECT 1 FROM person WHERE person_id = :personId AND role = 'developer')`;

/** Gives an application without messages its own webhook keys, because a developer's key may use it. */
export const preferOwnKeys = (tx: Statements, clientId: string) => tx.change(PREFER_OWN_KEYS, { clientId });

/** Gives a member existing applications. A developer's application without messages gets own webhook keys. */
export async function giveApplications(tx: Statements, personId: string, clientIds: readonly string[]) {
  for (const clientId of clientIds)
    for (const statement of [GIVE, USE_OWN_KEYS]) await tx.change(statement, { personId, clientId });
}

// Lists the fields, since a row also has the hash of the password.
export function toPerson(row: PersonRow): Person {
  const { personId, name, login, role, createdAt, password, seenAt, clientIds } = row;
  return {
    ...{ personId, name, login, role, createdAt },
    clientIds: clientIds === undefined ? [] : clientIds.split(',').toSorted(),
    hasPassword: password !== undefined,
    seenAt,
    addressConfirmedAt: row.addressConfirmedAt,
    getsAlertMails: row.alertMails === 1,
    identity: toPersonIdentity(row),
  };
}

function toPersonIdentity({ issuer, subject, roleSource, identityUsedAt }: PersonRow): Person['identity'] {
  if (issuer === undefined || subject === undefined || roleSource === undefined) return undefined;
  return { issuer, subject, roleSource, usedAt: identityUsedAt };
}
