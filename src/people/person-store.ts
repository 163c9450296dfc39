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
};

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

  /** A setup link is added only while nobody is registered: false otherwise. */
  addInvitation(invitation: Invitation, tokenHash: string): Promise<boolean>;
  /** One that has not ended. */
  findInvitation(tokenHash: string, now: number): Promise<Invitation | undefined>;
  listInvitations(now: number): Promise<readonly Invitation[]>;
  removeInvitation(invitationId: string): Promise<boolean>;
  /**
   * Spends the link and registers the person, or gives the one it was made for a new password, passkey or identity in the place of
   * all others, in one transaction: of several callers one succeeds. The setup of an instance ends all its links of that kind.
   * Who comes back in is signed out everywhere.
   */
  acceptInvitation(tokenHash: string, person: NewPerson, now: number): Promise<Accepted>;

  /**
   * False when the person is gone, or `last_owner` when nobody else is an owner who could put it right. Applications that do
   * not exist are left out. Their sessions end where the role changes.
   */
  setRole(personId: string, role: Role, clientIds: readonly string[]): Promise<boolean | 'last_owner'>;
  removePerson(personId: string): Promise<boolean | 'last_owner'>;
  setName(personId: string, name: string): Promise<void>;
  /** Ends all their other sessions. */
  setPassword(personId: string, password: string, keptSession: string): Promise<void>;

  addSession(session: NewSession): Promise<void>;
  /** One whose person is registered, seen after `seenAfter` and begun after `createdAfter`. */
  findSession(
    sessionHash: string,
    since: { readonly seenAfter: number; readonly createdAfter: number },
  ): Promise<{ readonly session: Session; readonly person: Person } | undefined>;
  /** Newest first. */
  listSessions(personId: string): Promise<readonly Session[]>;
  touchSession(sessionId: string, now: number): Promise<void>;
  proveSession(sessionId: string, now: number): Promise<void>;
  endSession(personId: string, sessionId: string): Promise<void>;
  /** All but the one named. */
  endOtherSessions(personId: string, sessionId: string): Promise<void>;
  /** All of them; answers how many there were. */
  endSessions(personId: string): Promise<number>;
  /** Sessions that nobody can use any more, links and challenges that have ended; answers how many. */
  deleteEnded(before: {
    readonly seen: number;
    readonly created: number;
    readonly now: number;
  }): Promise<number>;
}
