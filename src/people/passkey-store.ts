/** The port for passkeys. Instants are epoch milliseconds. */

import type { Caller, ChangeTerms } from '../audit/audit-entry.ts';

/** A credential as its authenticator created it, and the name that its member gave it. */
export type NewPasskey = {
  /** The credential's id, base64url. */
  readonly passkeyId: string;
  /** A COSE key, base64url. */
  readonly publicKey: string;
  /** The authenticator's count of uses. 0 if it does not count. */
  readonly counter: number;
  /** The ways in which browsers reach its authenticator. */
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
  /** Returns the number of passkeys by member. Members without any are left out. */
  countPasskeys(): Promise<ReadonlyMap<string, number>>;
  /** Returns false if it is registered already, or the member has `most` of them or is gone. */
  addPasskey(
    personId: string,
    passkey: NewPasskey,
    terms: ChangeTerms & { readonly most: number },
  ): Promise<boolean>;
  /** Returns `last_way` if the member could not sign in without it. */
  removePasskey(personId: string, passkeyId: string, by: Caller | undefined): Promise<boolean | 'last_way'>;
  /** Records a use. Returns false, audited, if the counter does not rise: a possible copy. 0 may stay 0. */
  usePasskey(passkeyId: string, counter: number, terms: ChangeTerms): Promise<boolean>;
  /** Returns true for the first caller. The hash may be deleted after `expiresAt`, when the challenge is invalid. */
  spendChallenge(challengeHash: string, expiresAt: number): Promise<boolean>;
}
