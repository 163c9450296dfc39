export type SigningAlgorithm = 'HS256' | 'ES256';

/** A key as it is kept: `sealed` is its secret (HS256) or private JWK (ES256) under the master key. */
export type SigningKeyRecord = {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly sealed: string;
  /** `next` is published but does not sign yet; `previous` only verifies. */
  readonly status: 'next' | 'active' | 'previous';
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

export interface SigningKeyStore {
  listSigningKeys(): Promise<SigningKeyRecord[]>;

  /** Adds a key, unless one of its algorithm and status (`next`, `active`) is there: then nothing. */
  addSigningKey(key: SigningKeyRecord): Promise<void>;

  /** active → previous, next → active, `fresh` → next, in one step; of concurrent calls each makes one. */
  rotateSigningKeys(fresh: SigningKeyRecord): Promise<void>;
}
