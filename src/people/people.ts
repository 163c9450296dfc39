/** The actions on members, by an owner in the dashboard or on the command line. */
import type { By } from '../audit/audit-entry.ts';
import type { PeopleDeps } from './invitations.ts';
import { removePasskey } from './passkeys.ts';
import { type HashingCaller, type HashingDeps, hashPassword, passwordProblem } from './password.ts';
import { PeopleRefusal } from './people-refusal.ts';
import { mustBeAllowed } from './permission.ts';
import type { Actor, Person } from './person.ts';
import type { GivenRole } from './person-store.ts';
import type { SignedIn } from './sessions.ts';
import { disconnectIdentity, mustNotFollowClaims } from './single-sign-on.ts';

export type RoleChange = GivenRole & { readonly personId: string };

/**
 * Changes a role. If it changes, the member's sessions end. Throws PeopleRefusal `not_allowed`, `not_there`,
 * `last_owner` or `role_from_claims`.
 */
export async function changeRole(actor: Actor, change: RoleChange, { people, by }: PeopleDeps & By) {
  mustBeAllowed(actor, 'people.manage');
  const { personId, role } = change;
  const person = await people.findPerson(personId);
  // The next sign-in would set it from the claims again.
  if (person !== undefined) mustNotFollowClaims(person);
  const clientIds = role === 'developer' ? change.clientIds : [];
  settle(await people.setRole(personId, { role, clientIds }, by));
}

/**
 * Deletes the member and their sessions. Their admin keys end, or `keepsKeys` makes the caller their creator. Throws
 * PeopleRefusal `not_allowed`, `not_there`, `last_owner` or `own_creator`.
 */
export async function removePerson(
  actor: Actor,
  { personId, keepsKeys }: { readonly personId: string; readonly keepsKeys: boolean },
  { people, by }: PeopleDeps & By,
) {
  mustBeAllowed(actor, 'people.manage');
  settle(await people.removePerson(personId, by, keepsKeys));
}

/** Ends the member's sessions and returns their number. Throws PeopleRefusal `not_allowed` or `not_there`. */
export async function endMemberSessions(
  actor: Actor,
  personId: string,
  { people, by }: PeopleDeps & By,
): Promise<number> {
  mustBeAllowed(actor, 'people.manage');
  if ((await people.findPerson(personId)) === undefined) throw new PeopleRefusal('not_there');
  return people.endSessions(personId, by);
}

/** Removes a member's passkey. Throws PeopleRefusal `not_allowed`, `last_way` or `not_there`. */
export async function removeMemberPasskey(
  actor: Actor,
  { personId, passkeyId }: { readonly personId: string; readonly passkeyId: string },
  deps: PeopleDeps & By,
): Promise<void> {
  mustBeAllowed(actor, 'people.manage');
  await removePasskey({ personId }, passkeyId, deps);
}

/** Removes a member's single sign-on. Members with a role from claims have no other method and keep it. */
export async function disconnectMemberIdentity(
  actor: Actor,
  personId: string,
  deps: PeopleDeps & By,
): Promise<void> {
  mustBeAllowed(actor, 'people.manage');
  await disconnectIdentity({ personId }, deps);
}

function settle(outcome: boolean | 'last_owner' | 'own_creator'): void {
  if (typeof outcome === 'string') throw new PeopleRefusal(outcome);
  if (!outcome) throw new PeopleRefusal('not_there');
}

/**
 * Sets the password and ends the member's other sessions, or returns the password's problem as a sentence. Throws
 * PeopleRefusal `role_from_claims` or `too_many`.
 */
export async function changePassword(
  { person, session, ...caller }: Pick<SignedIn, 'person' | 'session'> & Omit<HashingCaller, 'member'>,
  password: string,
  { people, passwordSlots, by }: PeopleDeps & HashingDeps & By,
): Promise<string | undefined> {
  mustNotFollowClaims(person);
  const problem = passwordProblem(password, [person.name, person.login]);
  if (problem !== undefined) return problem;
  const hash = await hashPassword(password, { ...caller, member: person.personId }, { passwordSlots });
  await people.setPassword(person.personId, { password: hash, keptSession: session.sessionId }, by);
  return undefined;
}

/** Returns the member with this e-mail address or id. Throws PeopleRefusal `not_allowed` or `not_there`. */
export async function readMember(
  actor: Actor,
  name: string,
  { people }: Pick<PeopleDeps, 'people'>,
): Promise<Person> {
  mustBeAllowed(actor, 'people.manage');
  const person = (await people.findByLogin(name.toLowerCase()))?.person ?? (await people.findPerson(name));
  if (person === undefined) throw new PeopleRefusal('not_there');
  return person;
}
