/** What is done with people: by an owner in the dashboard, or at the command line. */
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import type { PeopleDeps } from './invitations.ts';
import { removePasskey } from './passkeys.ts';
import { type HashingCaller, type HashingDeps, hashPassword, passwordProblem } from './password.ts';
import { PeopleRefusal } from './people-refusal.ts';
import { mustBeAllowed } from './permission.ts';
import type { Actor, Person, Role } from './person.ts';
import type { SignedIn } from './sessions.ts';
import { disconnectIdentity, mustNotFollowClaims } from './single-sign-on.ts';

export type RoleChange = {
  readonly personId: string;
  readonly role: Role;
  /** What a developer is given; nothing to the others. */
  readonly clientIds: readonly string[];
};

/** Ends the person's sessions where the role changes. Throws PeopleRefusal `not_allowed`, `not_there`, `last_owner` or `role_from_claims`. */
export async function changeRole(actor: Actor, change: RoleChange, { people }: PeopleDeps): Promise<void> {
  mustBeAllowed(actor, 'people.manage');
  const { personId, role } = change;
  const person = await people.findPerson(personId);
  // It would be another one at their next sign-in.
  if (person !== undefined) mustNotFollowClaims(person);
  settle(await people.setRole(personId, role, role === 'developer' ? change.clientIds : []));
}

/** Signs the person out everywhere, and for good. Throws PeopleRefusal `not_allowed`, `not_there` or `last_owner`. */
export async function removePerson(actor: Actor, personId: string, { people }: PeopleDeps): Promise<void> {
  mustBeAllowed(actor, 'people.manage');
  settle(await people.removePerson(personId));
}

/** Answers how many there were. Throws PeopleRefusal `not_allowed` or `not_there`. */
export async function endSessionsOf(actor: Actor, personId: string, { people }: PeopleDeps): Promise<number> {
  mustBeAllowed(actor, 'people.manage');
  if ((await people.findPerson(personId)) === undefined) throw new PeopleRefusal('not_there');
  return people.endSessions(personId);
}

/** Takes one way in from somebody, who keeps the others. Throws PeopleRefusal `not_allowed`, `last_way` or `not_there`. */
export async function removePasskeyOf(
  actor: Actor,
  { personId, passkeyId }: { readonly personId: string; readonly passkeyId: string },
  deps: PeopleDeps,
): Promise<void> {
  mustBeAllowed(actor, 'people.manage');
  await removePasskey({ personId }, passkeyId, deps);
}

/** The same for their single sign-on. Who has it from claims has no other way in, and keeps it. */
export async function disconnectIdentityOf(actor: Actor, personId: string, deps: PeopleDeps): Promise<void> {
  mustBeAllowed(actor, 'people.manage');
  await disconnectIdentity({ personId }, deps);
}

function settle(outcome: boolean | 'last_owner'): void {
  if (outcome === 'last_owner') throw new PeopleRefusal('last_owner');
  if (!outcome) throw new PeopleRefusal('not_there');
}

/** Returns what is wrong with the new password, as a sentence. Ends the member's other sessions. Throws `role_from_claims` or `too_many`. */
export async function changePassword(
  { person, session, ...caller }: Pick<SignedIn, 'person' | 'session'> & Omit<HashingCaller, 'member'>,
  password: string,
  { people, passwordSlots }: PeopleDeps & HashingDeps,
): Promise<string | undefined> {
  mustNotFollowClaims(person);
  const problem = passwordProblem(password, [person.name, person.login]);
  if (problem !== undefined) return problem;
  const hash = await hashPassword(password, { ...caller, member: person.personId }, { passwordSlots });
  await people.setPassword(person.personId, hash, session.sessionId);
  return undefined;
}

/** The person of an id or of an e-mail address, as the command line names them. */
export async function namedPerson(name: string, { people }: Pick<PeopleDeps, 'people'>): Promise<Person> {
  const found = (await people.findByLogin(name.toLowerCase()))?.person ?? (await people.findPerson(name));
  if (found === undefined)
    throw new ApiError(
      ANY_CALL.not_found,
      `There is no person "${name}"; "kalends admin list" shows them all.`,
    );
  return found;
}
