import type { Caller } from '../audit/audit-entry.ts';

export type SigningAlgorithm = 'HS256' | 'ES256';

/** A stored key: `sealed` is its secret (HS256) or private JWK (ES256) under the master key. */
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

  /** Adds a key. Does nothing if a key of its algorithm and status (`next`, `active`) exists. */
  addSigningKey(key: SigningKeyRecord): Promise<void>;

  /** Makes active previous, next active and `fresh` next, in one step; each concurrent call makes one. */
  rotateSigningKeys(fresh: SigningKeyRecord, by: Caller | undefined): Promise<void>;
}
