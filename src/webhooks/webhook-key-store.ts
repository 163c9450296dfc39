/** A key as it is kept. Instants are epoch milliseconds. */
export type WebhookKeyRecord = {
  readonly keyId: string;
  /** The 32 bytes of the public key in base64, padded. */
  readonly publicKey: string;
  /** The private key (PKCS #8, PEM) under the master key. */
  readonly sealed: string;
  /** Both sign; a previous one until it retires. */
  readonly status: 'active' | 'previous';
  readonly activatedAt: number;
  readonly retiresAt: number | undefined;
};

/** A key that signs from now on. */
export type FreshWebhookKey = Omit<WebhookKeyRecord, 'status' | 'retiresAt'>;

export interface WebhookKeyStore {
  /** The keys that have not retired at `now`: the active one first, then the latest. */
  listWebhookKeys(now: number): Promise<WebhookKeyRecord[]>;

  /** Adds the first key; nothing where one is active. */
  addFirstWebhookKey(key: FreshWebhookKey): Promise<void>;

  /** active → previous until `retiresAt`, `fresh` → active, in one step; of concurrent calls each makes one. */
  rotateWebhookKeys(fresh: FreshWebhookKey, retiresAt: number): Promise<void>;

  /** Deletes those that retired before that; answers how many. */
  deleteRetiredWebhookKeys(before: number): Promise<number>;
}
