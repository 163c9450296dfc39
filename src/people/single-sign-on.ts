/**
 * Single sign-on: members authenticate at the operator's OpenID issuer. Issuer and `sub` identify them, never an
 * address. It accepts members who connected it, and people whose claims give a role (claims.ts).
 */
import { randomBytes } from 'node:crypto';

import type { By } from '../audit/audit-entry.ts';
import type { ClaimRule } from '../config/dashboard-sign-in.ts';
import { type ClaimedRole, nameOfClaims, roleOfClaims, verifiedEmail } from './claims.ts';
import type { Identity } from './identity.ts';
import type { IdentityProvider, ProvenIdentity } from './identity-provider.ts';
import { PeopleRefusal } from './people-refusal.ts';
import { type Person, parseLogin } from './person.ts';
import type { Invitation, PersonStore } from './person-store.ts';
import { FRESH_MS } from './sessions.ts';

export type SingleSignOn = {
  readonly provider: IdentityProvider;
  /** The claims that give a role without an invitation. */
  readonly rules: readonly ClaimRule[];
  /** Whether the operator left the other sign-in methods on. */
  readonly usesPasswords: boolean;
  readonly usesPasskeys: boolean;
};

export type SingleSignOnDeps = {
  readonly people: PersonStore;
  readonly singleSignOn: SingleSignOn | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The sign-in methods besides single sign-on. */
export type Ways = { readonly usesPasswords: boolean; readonly usesPasskeys: boolean };

/** Returns the configuration. Throws PeopleRefusal `not_there` if single sign-on is off. */
export function requireSingleSignOn({ singleSignOn }: Pick<SingleSignOnDeps, 'singleSignOn'>): SingleSignOn {
  if (singleSignOn === undefined) throw new PeopleRefusal('not_there');
  return singleSignOn;
}

/**
 * Returns the sign-in methods besides single sign-on. A method that the operator turned off stays on until an owner
 * has used single sign-on: an issuer that never worked locks no one out.
 */
export async function otherWays({ people, singleSignOn }: SingleSignOnDeps): Promise<Ways> {
  if (singleSignOn === undefined) return { usesPasswords: true, usesPasskeys: true };
  const { usesPasswords, usesPasskeys, provider } = singleSignOn;
  if (usesPasswords && usesPasskeys) return { usesPasswords, usesPasskeys };
  const isProven = await people.hasOwnerAt(provider.issuer);
  return { usesPasswords: usesPasswords || !isProven, usesPasskeys: usesPasskeys || !isProven };
}

/** Throws PeopleRefusal `way_off` if the method is off. */
export async function mustBeOn(way: keyof Ways, ways: Promise<Ways>): Promise<void> {
  if (!(await ways)[way]) throw new PeopleRefusal('way_off');
}

/** Throws PeopleRefusal `role_from_claims`, because another sign-in method would outlive the member's claims. */
export function mustNotFollowClaims({ identity }: Person): void {
  if (identity?.roleSource === 'claims') throw new PeopleRefusal('role_from_claims');
}

/**
 * Returns the member of a proven identity; only `expected`, without registration, if it is given. Updates a role that
 * follows claims; if they give none, all sessions end. Throws PeopleRefusal `other_person`, `not_invited`,
 * `login_taken` if another member has the address, or `last_owner` if no owner would remain.
 */
export async function personOfIdentity(
  proven: ProvenIdentity,
  deps: SingleSignOnDeps & By,
  expected?: string,
): Promise<Person> {
  const { people, now } = deps;
  const { rules } = requireSingleSignOn(deps);
  const identity = toIdentity(proven, deps);
  const claimed = roleOfClaims(proven.claims, rules);
  const existing = await people.findByIdentity(identity);
  if (expected !== undefined && existing?.personId !== expected) throw new PeopleRefusal('other_person');
  const person = existing ?? (await register(proven, claimed, deps));
  if (existing?.identity?.roleSource === 'claims') await follow(existing, claimed, deps);
  await people.useIdentity(identity, now());
  return person;
}

export const toIdentity = ({ subject }: ProvenIdentity, deps: SingleSignOnDeps): Identity => ({
  issuer: requireSingleSignOn(deps).provider.issuer,
  subject,
});

async function register(
  proven: ProvenIdentity,
  claimed: ClaimedRole | undefined,
  deps: SingleSignOnDeps & By,
): Promise<Person> {
  if (claimed === undefined) throw new PeopleRefusal('not_invited');
  const { people, now, by } = deps;
  const identity = toIdentity(proven, deps);
  const { role, clientIds = [] } = claimed;
  const person = { personId: randomBytes(12).toString('base64url'), ...describedBy(proven, deps) };
  const registration = { person, identity, role, clientIds };
  const outcome = await people.registerClaimed(registration, { now: now(), by });
  if (outcome === 'login_taken') throw new PeopleRefusal('login_taken');
  // A concurrent sign-in of the same person may have registered them.
  const registered = await people.findByIdentity(identity);
  if (registered === undefined) throw new PeopleRefusal('not_there');
  return registered;
}

async function follow(
  { personId, clientIds }: Person,
  claimed: ClaimedRole | undefined,
  { people, by }: SingleSignOnDeps & By,
): Promise<void> {
  const given = claimed && { role: claimed.role, clientIds: claimed.clientIds ?? clientIds };
  const outcome = given === undefined ? 'not_invited' : await people.setRole(personId, given, by);
  if (outcome === true) return;
  await people.endSessions(personId, by);
  throw new PeopleRefusal(outcome === false ? 'not_there' : outcome);
}

/** Returns the name and login of a new member. Without a verified address they are named after their subject. */
export function describedBy(
  proven: ProvenIdentity,
  deps: SingleSignOnDeps,
): { readonly name: string; readonly login: string } {
  const { issuer, subject } = toIdentity(proven, deps);
  const { hostname } = new URL(issuer);
  const apart = parseLogin(`${subject}@${hostname}`) ?? `${randomBytes(6).toString('hex')}@${hostname}`;
  const login = verifiedEmail(proven.claims) ?? apart;
  return { name: nameOfClaims(proven.claims) ?? login, login };
}

/** Returns when the member authenticated there. Throws PeopleRefusal `not_fresh_there` if it is too old or unknown. */
export function provenFreshly({ authenticatedAt }: ProvenIdentity, now: number): number {
  if (authenticatedAt === undefined || authenticatedAt <= now - FRESH_MS)
    throw new PeopleRefusal('not_fresh_there');
  return Math.min(authenticatedAt, now);
}

/** Connects an identity to a signed-in member. Throws PeopleRefusal `identity_taken` or `role_from_claims`. */
export async function connectIdentity(
  person: Person,
  proven: ProvenIdentity,
  deps: SingleSignOnDeps & By,
): Promise<void> {
  mustNotFollowClaims(person);
  const terms = { now: deps.now(), by: deps.by };
  if (!(await deps.people.setIdentity(person.personId, toIdentity(proven, deps), terms)))
    throw new PeopleRefusal('identity_taken');
}

/** Disconnects the identity. Throws PeopleRefusal `last_way` if the member has no other method, or `not_there`. */
export async function disconnectIdentity(
  { personId }: Pick<Person, 'personId'>,
  { people, by }: Pick<SingleSignOnDeps, 'people'> & By,
): Promise<void> {
  const outcome = await people.removeIdentity(personId, by);
  if (outcome === 'last_way') throw new PeopleRefusal('last_way');
  if (!outcome) throw new PeopleRefusal('not_there');
}

/** Returns the methods with which a member can confirm their identity; all of them without single sign-on. */
export async function waysOfPerson(
  { identity }: Person,
  deps: SingleSignOnDeps,
): Promise<Ways & { readonly usesSingleSignOn: boolean }> {
  const usesSingleSignOn = identity !== undefined && identity.issuer === deps.singleSignOn?.provider.issuer;
  const { usesPasswords, usesPasskeys } = await otherWays(deps);
  return {
    usesPasswords: usesPasswords || !usesSingleSignOn,
    usesPasskeys: usesPasskeys || !usesSingleSignOn,
    usesSingleSignOn,
  };
}

/** Returns the methods for a link. A reset link accepts all: its member may have no other. */
export const waysOfLink = async (
  { purpose }: Pick<Invitation, 'purpose'>,
  deps: SingleSignOnDeps,
): Promise<Ways> => (purpose === 'reset' ? { usesPasswords: true, usesPasskeys: true } : otherWays(deps));
