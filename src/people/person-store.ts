/** The port for members, their links and sessions. Changes of `by` are audited. Instants are epoch milliseconds. */
import type { By, Caller, ChangeTerms } from '../audit/audit-entry.ts';
import type { Identity } from './identity.ts';
import type { IdentityStore } from './identity-store.ts';
import type { NewPasskey, PasskeyStore } from './passkey-store.ts';
import type { Person, Role } from './person.ts';

/** `setup`: for the first owner. `reset`: for a member who lost access. */
export type InvitationPurpose = 'setup' | 'invite' | 'reset';

export type Invitation = {
  readonly invitationId: string;
  readonly purpose: InvitationPurpose;
  readonly role: Role;
  /** The e-mail address of the invited person, if it was given. */
  readonly login: string | undefined;
  readonly clientIds: readonly string[];
  /** The member of a reset link. */
  readonly personId: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The login of a member, the name of a key, or `environment`. Undefined for the command line and for older versions. */
  readonly creator?: string | undefined;
};

type LinkName = { readonly invitationId: string; readonly personId?: string };

/** The applications of a developer; empty for the other roles. */
export type GivenRole = { readonly role: Role; readonly clientIds: readonly string[] };

type NewPassword = { readonly password: string; readonly keptSession: string };

/** A member who creates a link, and the session in which they do. */
export type LinkCreator = { readonly personId: string; readonly sessionId: string };

export type NewPerson = {
  readonly personId: string;
  readonly name: string;
  readonly login: string;
  /** A hash with its parameters (password.ts); undefined if they use another sign-in method. */
  readonly password: string | undefined;
  /** The passkey instead of a password. */
  readonly passkey?: NewPasskey | undefined;
  /** The identity at the issuer, if they joined with single sign-on. */
  readonly identity?: Identity | undefined;
};

export type Session = {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly seenAt: number;
  /** When they last proved their identity. */
  readonly provedAt: number;
  readonly address: string;
  /** The browser's self-description (User-Agent). */
  readonly browser: string;
};

/** Wrong passwords and passkeys since the sign-in before this session's, or since its start if it is the first. */
export type RefusedSignIns = { readonly count: number; readonly since: number };
type FoundSession = { session: Session; person: Person; refusedSignIns: RefusedSignIns };

export type NewSession = Session & { readonly sessionHash: string; readonly personId: string };

export type Accepted = 'done' | 'link_ended' | 'login_taken' | 'passkey_taken' | 'identity_taken';

/** Members of the dashboard. */
export interface MemberStore {
  /** Returns whether any member is registered. */
  hasPeople(): Promise<boolean>;

  /** By name. */
  listPeople(): Promise<readonly Person[]>;

  findPerson(personId: string): Promise<Person | undefined>;

  /** Returns the member with the hash of their password, if they have one. */
  findByLogin(
    login: string,
  ): Promise<{ readonly person: Person; readonly password: string | undefined } | undefined>;

  /**
   * Returns false if the member is gone, or `last_owner` if no other owner would remain. Applications that do not exist
   * are left out. If the role changes, their sessions end and the links that they created are deleted.
   */
  setRole(personId: string, given: GivenRole, by: Caller | undefined): Promise<boolean | 'last_owner'>;

  /**
   * Deletes the member and the links that they created. With `keepsKeys`, the caller becomes the creator of their admin
   * keys. Returns `own_creator` if the caller is one of these keys, or was created by one.
   */
  removePerson(
    personId: string,
    by: Caller | undefined,
    keepsKeys?: boolean,
  ): Promise<boolean | 'last_owner' | 'own_creator'>;

  setName(personId: string, name: string): Promise<void>;

  /** Ends all their other sessions. */
  setPassword(personId: string, change: NewPassword, by: Caller | undefined): Promise<void>;

  /**
   * Counts a wrong password or passkey, exactly once per call under concurrency. Writes an audit entry if there is none
   * about this member in the ten minutes before `now`: `count` is the number since the previous entry,
   * `known_browser` is of this attempt.
   */
  noteRefusedSignIn(personId: string, isKnownBrowser: boolean, terms: ChangeTerms): Promise<void>;
}

/** One-time links for members. */
export interface InvitationStore {
  /**
   * Adds a link. Returns false for a setup link if there are members, for a reset link if its member is gone, and
   * if the creator is no owner or their session has ended. A concurrent end of the creator leaves none of their links.
   * The key of `by` is the creator if it is one.
   */
  addInvitation(
    invitation: Omit<Invitation, 'creator'>,
    tokenHash: string,
    origin: By & { readonly creator?: LinkCreator | undefined },
  ): Promise<boolean>;

  /** A link works until it expires, and only while its creator is an owner or a valid key. */
  findInvitation(tokenHash: string, now: number): Promise<Invitation | undefined>;

  /** Lists the valid links, newest first; with `personId` the reset links of this member. */
  listInvitations(now: number, personId?: string): Promise<readonly Invitation[]>;

  /** Deletes a link; with `personId` only a reset link of this member. Returns false if there is none. */
  removeInvitation(link: LinkName, by: Caller | undefined): Promise<boolean>;

  /**
   * Uses the link in one transaction: registers the member, or replaces all sign-in methods of an existing one.
   * Exactly one of several callers succeeds. A setup deletes all setup links. A reset ends the member's sessions and
   * deletes the links that they created.
   */
  acceptInvitation(tokenHash: string, person: NewPerson, terms: ChangeTerms): Promise<Accepted>;
}

export interface SessionStore {
  addSession(session: NewSession, by: Caller | undefined): Promise<void>;

  /** Returns a session of a registered member, seen after `seenAfter` and started after `createdAfter`. */
  findSession(
    sessionHash: string,
    since: { readonly seenAfter: number; readonly createdAfter: number },
  ): Promise<FoundSession | undefined>;

  /** Newest first. */
  listSessions(personId: string): Promise<readonly Session[]>;

  touchSession(sessionId: string, now: number): Promise<void>;

  proveSession(sessionId: string, now: number): Promise<void>;

  endSession(personId: string, sessionId: string): Promise<void>;

  /** Ends all sessions except this one. */
  endOtherSessions(personId: string, sessionId: string, by: Caller | undefined): Promise<void>;

  /** Ends all sessions and deletes the links that the member created. Returns the number of sessions. */
  endSessions(personId: string, by: Caller | undefined): Promise<number>;

  /** Deletes unusable sessions, and expired links and challenges. Returns how many it deleted. */
  deleteEnded(before: {
    readonly seen: number;
    readonly created: number;
    readonly now: number;
  }): Promise<number>;
}

/** Alerts by mail. */
export interface AlertMailStore {
  /** Returns false if the member is gone. */
  confirmAddress(personId: string, now: number): Promise<boolean>;

  setAlertMails(personId: string, getsAlertMails: boolean): Promise<void>;
}

export type PersonStore = AlertMailStore &
  MemberStore &
  InvitationStore &
  SessionStore &
  PasskeyStore &
  IdentityStore;
