/** One-time links: the setup link of an instance without members, invitations, and reset links. */
import { randomBytes } from 'node:crypto';

import type { By } from '../audit/audit-entry.ts';
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import type { PresentedKey } from './admin-keys.ts';
import type { Identity } from './identity.ts';
import type { NewPasskey } from './passkey-store.ts';
import { type HashingCaller, type HashingDeps, hashPassword, passwordProblem } from './password.ts';
import { PeopleRefusal } from './people-refusal.ts';
import { mustBeAllowed } from './permission.ts';
import { type Actor, type Person, parseLogin, personNameProblem, type Role } from './person.ts';
import type { Invitation, LinkCreator, NewPerson, PersonStore } from './person-store.ts';
import { mustNotFollowClaims } from './single-sign-on.ts';

export type PeopleDeps = {
  readonly people: PersonStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const MINUTE_MS = 60_000;
const SETUP_MS = 30 * MINUTE_MS;
const INVITED_MS = 7 * 24 * 60 * MINUTE_MS;
const RESET_MS = 60 * MINUTE_MS;

/** The creator of a link: the command line, a key of the administration API, or a member in a session. */
export type LinkMaker = 'command line' | PresentedKey | (Person & LinkCreator);

/** A new link with its secret part, which is shown only once. */
export type NewLink = {
  readonly invitation: Invitation;
  readonly token: string;
  /** The address that the link may be mailed to; undefined if there is none. */
  readonly mailTo: string | undefined;
};

/** Returns the link that an instance without members prints; `undefined` if a member is registered. */
export async function makeSetupLink(deps: PeopleDeps & By): Promise<NewLink | undefined> {
  if (await deps.people.hasPeople()) return undefined;
  return add({ purpose: 'setup', role: 'owner', lifetimeMs: SETUP_MS }, 'command line', deps);
}

export type Invited = {
  readonly role: Role;
  /** The e-mail address of the invited person. If absent, they enter it themselves. */
  readonly login?: string | undefined;
  readonly clientIds?: readonly string[];
};

/**
 * Creates a link that is valid for a week. Throws PeopleRefusal if the creator may not or their session has ended,
 * and ApiError 400 for an invalid address.
 */
export async function invite(maker: LinkMaker, invited: Invited, deps: PeopleDeps & By): Promise<NewLink> {
  mustBeAllowed(maker, 'people.manage');
  const { role, clientIds = [] } = invited;
  const login = invited.login === undefined ? undefined : parseLogin(invited.login);
  if (invited.login !== undefined && login === undefined) throw invalid('The email address is not valid');
  if (login !== undefined && (await deps.people.findByLogin(login)) !== undefined)
    throw new PeopleRefusal('login_taken');
  const link = await add({ purpose: 'invite', role, login, clientIds, lifetimeMs: INVITED_MS }, maker, deps);
  if (link === undefined) throw new PeopleRefusal('not_signed_in');
  return link;
}

/**
 * Creates a link that is valid for an hour and sets a new password. Returns `undefined` if there is no such member or
 * the creator's session has ended. For a member whose role follows claims, throws PeopleRefusal unless another member
 * or the command line creates it.
 */
export async function makeResetLink(
  maker: LinkMaker,
  personId: string,
  deps: PeopleDeps & By,
): Promise<NewLink | undefined> {
  mustBeAllowed(maker, 'people.manage');
  const person = await deps.people.findPerson(personId);
  if (person === undefined) return undefined;
  // Members could otherwise keep a role for which they have no claim any more.
  const isOthers = maker === 'command line' || ('sessionId' in maker && maker.personId !== personId);
  if (!isOthers) mustNotFollowClaims(person);
  const { role, login, identity } = person;
  const link = await add({ purpose: 'reset', role, login, personId, lifetimeMs: RESET_MS }, maker, deps);
  // Single sign-on without a verified address made this login of the subject, which somebody else may own as a mailbox.
  const isMadeUp = identity !== undefined && login.endsWith(`@${new URL(identity.issuer).hostname}`);
  return link && isMadeUp ? { ...link, mailTo: undefined } : link;
}

type Made = Pick<Invitation, 'purpose' | 'role'> &
  Partial<Pick<Invitation, 'login' | 'clientIds' | 'personId'>> & { readonly lifetimeMs: number };

async function add(
  { lifetimeMs, login, personId, clientIds = [], ...made }: Made,
  maker: LinkMaker,
  { people, now, by }: PeopleDeps & By,
): Promise<NewLink | undefined> {
  const createdAt = now();
  const invitationId = randomBytes(9).toString('base64url');
  const facts = { login, personId, clientIds, createdAt, expiresAt: createdAt + lifetimeMs };
  const invitation: Invitation = { ...made, ...facts, invitationId };
  const token = randomBytes(32).toString('base64url');
  const creator = maker !== 'command line' && 'sessionId' in maker ? maker : undefined;
  const isAdded = await people.addInvitation(invitation, hashOfSecret(token), { creator, by });
  return isAdded ? { invitation, token, mailTo: login } : undefined;
}

/** Deletes an unused invitation. Throws PeopleRefusal `not_allowed`, or `not_there` if there is none. */
export async function withdrawInvitation(
  actor: Actor,
  invitationId: string,
  { people, by }: PeopleDeps & By,
): Promise<void> {
  mustBeAllowed(actor, 'people.manage');
  if (!(await people.removeInvitation({ invitationId }, by))) throw new PeopleRefusal('not_there');
}

/** Withdraws a reset link of the member's own account. Throws PeopleRefusal `not_there` if there is none. */
export async function withdrawOwnResetLink(
  { personId }: Pick<Person, 'personId'>,
  invitationId: string,
  { people, by }: Pick<PeopleDeps, 'people'> & By,
): Promise<void> {
  if (!(await people.removeInvitation({ invitationId, personId }, by))) throw new PeopleRefusal('not_there');
}

export const joinUrl = (dashboardUrl: string, token: string): string =>
  `${dashboardUrl}/dashboard/join/${token}`;

/** Replaces a loopback IP address with `localhost`: passkeys need a host name (Web Authentication §5.1.3). */
export function onLocalhost(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return hostname === '127.0.0.1' || hostname === '[::1]'
    ? `${protocol}//localhost${port === '' ? '' : `:${port}`}`
    : url;
}

/** Returns the invitation of a link without using it. Throws PeopleRefusal `link_ended`. */
export async function openLink(token: string, { people, now }: PeopleDeps): Promise<Invitation> {
  const invitation = TOKEN.test(token) ? await people.findInvitation(hashOfSecret(token), now()) : undefined;
  if (invitation === undefined) throw new PeopleRefusal('link_ended');
  return invitation;
}

const TOKEN = /^[\w-]{43}$/;

/** The form of a person who follows a link. */
export type Registration = { readonly name: string; readonly login: string; readonly password: string };

/** The problem of each invalid field, as a sentence for the form. */
export type FieldProblems = Partial<Readonly<Record<keyof Registration, string>>>;

type Problems = { readonly problems: FieldProblems };
type Joined = Pick<Person, 'personId' | 'name'>;

/**
 * Uses the link: registers the member or sets their new password. Returns the problems of the form if there are any,
 * and leaves the link unused. All concurrent calls but one throw PeopleRefusal `link_ended`. Throws `too_many`.
 */
export async function acceptLink(
  token: string,
  { password, address, signal, ...typed }: Registration & Omit<HashingCaller, 'member'>,
  deps: PeopleDeps & HashingDeps,
): Promise<Joined | Problems> {
  const { problems: wrong, login, isKnown, ...who } = await readRegistration(token, typed, deps);
  const problem = passwordProblem(password, [who.name, login ?? '']);
  const problems = { ...wrong, ...(problem !== undefined && { password: problem }) };
  if (login === undefined || Object.keys(problems).length > 0) return { problems };
  // An invitation has a new member id each time, so its hashes count for the link.
  const member = isKnown ? who.personId : hashOfSecret(token);
  const hash = await hashPassword(password, { member, address, signal }, deps);
  const person = { ...who, login, password: hash };
  return complete({ token, person, address }, deps);
}

/** Does the same with a passkey that was created for `personId`. Also throws PeopleRefusal `passkey_taken`. */
export async function acceptLinkWithPasskey(
  token: string,
  {
    personId,
    passkey,
    address,
    ...typed
  }: Omit<Registration, 'password'> & {
    readonly personId: string;
    readonly passkey: NewPasskey;
    readonly address: string;
  },
  deps: PeopleDeps,
): Promise<Joined | Problems> {
  const { problems, login, isKnown, ...who } = await readRegistration(token, typed, deps);
  if (login === undefined || Object.keys(problems).length > 0) return { problems };
  // The passkey was created for the member of another link.
  if (isKnown && who.personId !== personId) throw new PeopleRefusal('challenge_ended');
  const person = { ...who, personId, login, password: undefined, passkey };
  return complete({ token, person, address }, deps);
}

/** Does the same with an identity at an issuer. Also throws PeopleRefusal `identity_taken`. */
export async function acceptLinkWithIdentity(
  token: string,
  {
    identity,
    address,
    ...typed
  }: Omit<Registration, 'password'> & { readonly identity: Identity; readonly address: string },
  deps: PeopleDeps,
): Promise<Joined | Problems> {
  const { problems, login, isKnown: _, ...who } = await readRegistration(token, typed, deps);
  if (login === undefined || Object.keys(problems).length > 0) return { problems };
  return complete({ token, person: { ...who, login, password: undefined, identity }, address }, deps);
}

/** Returns the name and login of the link's member, or the form's problems. Throws PeopleRefusal `link_ended`. */
export async function readRegistration(
  token: string,
  { name, login: typed }: Omit<Registration, 'password'>,
  deps: PeopleDeps,
): Promise<Problems & Joined & { readonly login: string | undefined; readonly isKnown: boolean }> {
  const invitation = await openLink(token, deps);
  const person =
    invitation.personId === undefined ? undefined : await deps.people.findPerson(invitation.personId);
  const login = person?.login ?? invitation.login ?? parseLogin(typed);
  const nameProblem = person === undefined ? personNameProblem(name) : undefined;
  const problems: FieldProblems = {
    ...(nameProblem !== undefined && { name: `The name ${nameProblem}.` }),
    ...(login === undefined && {
      login: 'The email address is not valid. Enter an address such as ada@example.com.',
    }),
  };
  const personId = person?.personId ?? randomBytes(12).toString('base64url');
  return { problems, login, personId, name: person?.name ?? name.trim(), isKnown: person !== undefined };
}

async function complete(
  {
    token,
    person,
    address,
  }: { readonly token: string; readonly person: NewPerson; readonly address: string },
  { people, now }: PeopleDeps,
): Promise<Joined | Problems> {
  const { personId, name } = person;
  const by = { actor: { kind: 'person', id: personId, name }, address, now } as const;
  const outcome = await people.acceptInvitation(hashOfSecret(token), person, { now: now(), by });
  if (outcome === 'login_taken')
    return {
      problems: {
        login: 'A member already has this address. Sign in, or ask an owner for a reset link.',
      },
    };
  if (outcome !== 'done') throw new PeopleRefusal(outcome);
  return { personId, name };
}

const invalid = (message: string): ApiError => new ApiError(ANY_CALL.invalid_request, message);
