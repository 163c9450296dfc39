/** The port for passkeys. Instants are epoch milliseconds. */

/** A credential as its authenticator made it, and what its person calls it. */
export type NewPasskey = {
  /** The credential's id, base64url. */
  readonly passkeyId: string;
  /** A COSE key, base64url. */
  readonly publicKey: string;
  /** How often its authenticator says it was used; 0 where it does not count. */
  readonly counter: number;
  /** How browsers reach its authenticator. */
  readonly transports: readonly string[];
  readonly name: string;
};

export type Passkey = NewPasskey & {
  readonly personId: string;
  readonly createdAt: number;
  readonly usedAt: number | undefined;
};

export interface PasskeyStore {
  findPasskey(passkeyId: string): Promise<Passkey | undefined>;
  /** Oldest first. */
  listPasskeys(personId: string): Promise<readonly Passkey[]>;
  /** False where it is registered already, and where the person has `most` of them or is gone. */
  addPasskey(
    personId: string,
    passkey: NewPasskey,
    terms: { readonly now: number; readonly most: number },
  ): Promise<boolean>;
  /** `last_way` where the person could not sign in without it. */
  removePasskey(personId: string, passkeyId: string): Promise<boolean | 'last_way'>;
  /**
   * Notes that it was used. False, and audited, where its counter does not rise: it may have been copied. One that is 0
   * stays 0.
   */
  usePasskey(passkeyId: string, counter: number, now: number): Promise<boolean>;
  /** True for the first caller. It is forgotten after `expiresAt`, when nobody takes the challenge any more. */
  spendChallenge(challengeHash: string, expiresAt: number): Promise<boolean>;
}
