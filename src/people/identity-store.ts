/** The port for single sign-on: who a person is at an OpenID issuer. Instants are epoch milliseconds. */
import type { Identity } from './identity.ts';
import type { Person, Role } from './person.ts';

/** Somebody who comes in by their claims. */
export type ClaimedPerson = {
  readonly person: Pick<Person, 'personId' | 'name' | 'login'>;
  readonly identity: Identity;
  readonly role: Role;
  readonly clientIds: readonly string[];
};

export interface IdentityStore {
  findByIdentity(identity: Identity): Promise<Person | undefined>;
  /**
   * Registers somebody whose role follows their claims, in one transaction: of several callers one succeeds. `login_taken`
   * where somebody else has the address.
   */
  registerClaimed(claimed: ClaimedPerson, now: number): Promise<'done' | 'login_taken' | 'identity_taken'>;
  /** In the place of the one before. False where it is somebody else's, and where the person is gone. */
  setIdentity(personId: string, identity: Identity, now: number): Promise<boolean>;
  /** `last_way` where the person could not sign in without it. */
  removeIdentity(personId: string): Promise<boolean | 'last_way'>;
  /** Notes that it was used. */
  useIdentity(identity: Identity, now: number): Promise<void>;
  /** Whether an owner has signed in with an identity of this issuer. */
  hasOwnerAt(issuer: string): Promise<boolean>;
}
