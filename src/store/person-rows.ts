/** The rows of people, as the statements of the stores select them. */
import type { Person } from '../people/person.ts';

export type PersonRow = Omit<Person, 'clientIds' | 'hasPassword' | 'seenAt'> & {
  readonly password: string | null;
  readonly seenAt: number | null;
  readonly clientIds: string | null;
};

export const PERSON = `
  p.person_id AS "personId", p.name, p.login, p.role, p.password, p.created_at AS "createdAt", p.seen_at AS "seenAt",
  (SELECT string_agg(a.client_id, ',') FROM person_application a WHERE a.person_id = p.person_id) AS "clientIds"`;

/** Gives an application that exists. */
export const GIVE = `
  INSERT INTO person_application (person_id, client_id)
  SELECT CAST(:personId AS TEXT), client_id FROM application WHERE client_id = :clientId ON CONFLICT DO NOTHING`;

// Named one by one: a row has the hash of the password too.
export function personOf(row: PersonRow): Person {
  const { personId, name, login, role, createdAt, password, seenAt, clientIds } = row;
  return {
    ...{ personId, name, login, role, createdAt },
    clientIds: clientIds === null ? [] : clientIds.split(',').toSorted(),
    hasPassword: password !== null,
    seenAt: seenAt ?? undefined,
  };
}
