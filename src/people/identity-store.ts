/** The port for single sign-on: the identities of members at an OpenID issuer. Instants are epoch milliseconds. */
import type { Caller, ChangeTerms } from '../audit/audit-entry.ts';
import type { Identity } from './identity.ts';
import type { Person, Role } from './person.ts';

/** A person whose role comes from claims. */
export type ClaimedPerson = {
  readonly person: Pick<Person, 'personId' | 'name' | 'login'>;
  readonly identity: Identity;
  readonly role: Role;
  readonly clientIds: readonly string[];
};

export interface IdentityStore {
  findByIdentity(identity: Identity): Promise<Person | undefined>;
  /**
   * Registers a member whose role follows claims, in one transaction: of several callers one succeeds. Returns
   * `login_taken` if another member has the address.
   */
  registerClaimed(
    claimed: ClaimedPerson,
    terms: ChangeTerms,
  ): Promise<'done' | 'login_taken' | 'identity_taken'>;
  /** Replaces the member's identity. Returns false if another member has it, or the member is gone. */
  setIdentity(personId: string, identity: Identity, terms: ChangeTerms): Promise<boolean>;
  /** Returns `last_way` if the member could not sign in without it. */
  removeIdentity(personId: string, by: Caller | undefined): Promise<boolean | 'last_way'>;
  useIdentity(identity: Identity, now: number): Promise<void>;
  /** Returns whether an owner has signed in with an identity of this issuer. */
  hasOwnerAt(issuer: string): Promise<boolean>;
}
