/** The port for people, their invitations and their sessions. Instants are epoch milliseconds. */
import type { Identity } from './identity.ts';
import type { IdentityStore } from './identity-store.ts';
import type { NewPasskey, PasskeyStore } from './passkey-store.ts';
import type { Person, Role } from './person.ts';

/** `setup`: the first owner. `reset`: somebody comes back in. */
export type InvitationPurpose = 'setup' | 'invite' | 'reset';

export type Invitation = {
  readonly invitationId: string;
  readonly purpose: InvitationPurpose;
  readonly role: Role;
  /** The address it was made for, where it was made for one. */
  readonly login: string | undefined;
  /** The applications that a developer is given. */
  readonly clientIds: readonly string[];
  /** Who is to come back in. */
  readonly personId: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The address of the member who created it; undefined for the command line and for versions that did not store it. */
  readonly creator?: string | undefined;
};

/** A member who creates a link, and the session in which they do. */
export type LinkCreator = { readonly personId: string; readonly sessionId: string };

export type NewPerson = {
  readonly personId: string;
  readonly name: string;
  readonly login: string;
  /** A hash with its parameters (password.ts); undefined where they sign in otherwise. */
  readonly password: string | undefined;
  /** What they sign in with in its place. */
  readonly passkey?: NewPasskey | undefined;
  /** Who they are at the issuer that they came in by. */
  readonly identity?: Identity | undefined;
};

export type Session = {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly seenAt: number;
  /** When they last proved who they are. */
  readonly provedAt: number;
  readonly address: string;
  /** What the browser says it is. */
  readonly browser: string;
};

/** Wrong passwords and passkeys of a member since the sign-in before a session's, or since the session began if it is the first. */
export type RefusedSignIns = { readonly count: number; readonly since: number };
type FoundSession = { session: Session; person: Person; refusedSignIns: RefusedSignIns };

export type NewSession = Session & { readonly sessionHash: string; readonly personId: string };

/** How the acceptance of an invitation ended. */
export type Accepted = 'done' | 'link_ended' | 'login_taken' | 'passkey_taken' | 'identity_taken';

export interface PersonStore extends PasskeyStore, IdentityStore {
  /** Whether anybody is registered. */
  hasPeople(): Promise<boolean>;
  /** By name. */
  listPeople(): Promise<readonly Person[]>;
  findPerson(personId: string): Promise<Person | undefined>;
  /** With the hash of the password, where there is one. */
  findByLogin(
    login: string,
  ): Promise<{ readonly person: Person; readonly password: string | undefined } | undefined>;

  /**
   * Adds a link. Returns false for a setup link if anybody is registered, for a reset link if its person is gone, and if the
   * creator is no owner or their session has ended: if a concurrent call ends the creator, no link of that creator is left.
   */
  addInvitation(
    invitation: Omit<Invitation, 'creator'>,
    tokenHash: string,
    creator?: LinkCreator,
  ): Promise<boolean>;
  /** A link works until it expires, and only while its creator is an owner. */
  findInvitation(tokenHash: string, now: number): Promise<Invitation | undefined>;
  /** Lists the links that work, newest first; with `personId` the reset links of this person. */
  listInvitations(now: number, personId?: string): Promise<readonly Invitation[]>;
  /** Deletes a link; with `personId` only a reset link of this person. Returns false if there is none. */
  removeInvitation(invitationId: string, personId?: string): Promise<boolean>;
  /**
   * Spends the link and registers the person, or gives the one it was made for a new password, passkey or identity in the place of
   * all others, in one transaction: of several callers one succeeds. The setup of an instance ends all its links of that kind.
   * A person who comes back in is signed out everywhere, and the links that they created are deleted.
   */
  acceptInvitation(tokenHash: string, person: NewPerson, now: number): Promise<Accepted>;

  /**
   * False when the person is gone, or `last_owner` when nobody else is an owner who could put it right. Applications that do
   * not exist are left out. If the role changes, their sessions end and the links that they created are deleted.
   */
  setRole(personId: string, role: Role, clientIds: readonly string[]): Promise<boolean | 'last_owner'>;
  /** Deletes the person with the links that they created. */
  removePerson(personId: string): Promise<boolean | 'last_owner'>;
  setName(personId: string, name: string): Promise<void>;
  /** Ends all their other sessions. */
  setPassword(personId: string, password: string, keptSession: string): Promise<void>;

  addSession(session: NewSession): Promise<void>;
  /** One whose person is registered, seen after `seenAfter` and begun after `createdAfter`. */
  findSession(
    sessionHash: string,
    since: { readonly seenAfter: number; readonly createdAfter: number },
  ): Promise<FoundSession | undefined>;
  /**
   * Counts a wrong password or passkey, once per call however many run at once. The audit log gets an entry if it has none about this
   * member in the ten minutes before `now`: `count` is the number since the previous entry, `known_browser` is of this attempt.
   */
  noteRefusedSignIn(personId: string, isKnownBrowser: boolean, now: number): Promise<void>;
  /** Newest first. */
  listSessions(personId: string): Promise<readonly Session[]>;
  touchSession(sessionId: string, now: number): Promise<void>;
  proveSession(sessionId: string, now: number): Promise<void>;
  endSession(personId: string, sessionId: string): Promise<void>;
  /** All but the one named. */
  endOtherSessions(personId: string, sessionId: string): Promise<void>;
  /** Ends all of them and deletes the links that the person created. Returns the number of sessions. */
  endSessions(personId: string): Promise<number>;
  /** Sessions that nobody can use any more, links and challenges that have ended; answers how many. */
  deleteEnded(before: {
    readonly seen: number;
    readonly created: number;
    readonly now: number;
  }): Promise<number>;
}
