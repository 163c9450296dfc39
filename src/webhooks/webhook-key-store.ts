/** A stored key. Instants are epoch milliseconds. */
export type WebhookKeyRecord = {
  /** The application that it signs for; `''` if it is the instance's. */
  readonly clientId: string;
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

/** The keys that sign for an application. Until `overlapUntil`, exclusive, the others sign too; 0: there was no switch yet. */
export type WebhookKeyUse = {
  readonly clientId: string;
  readonly keys: 'own' | 'instance';
  readonly overlapUntil: number;
};

/** A key that signs from now on. */
export type FreshWebhookKey = Omit<WebhookKeyRecord, 'status' | 'retiresAt'>;

export interface WebhookKeyStore {
  /** Lists the keys that have not retired at `now`: the instance's, then each application's; the active one first, then the latest. */
  listWebhookKeys(now: number): Promise<WebhookKeyRecord[]>;

  /** Lists which keys sign for every application, or for one. */
  listKeyUses(clientId?: string): Promise<WebhookKeyUse[]>;

  /** Sets which keys sign, if the application exists. Naming those in use can only end an overlap earlier. */
  switchWebhookKeys(use: WebhookKeyUse): Promise<WebhookKeyUse | undefined>;

  /** Adds the first key, unless one is active or its application has no own keys. Of concurrent calls one adds its key. */
  addFirstWebhookKey(key: FreshWebhookKey): Promise<void>;

  /** active → previous until `retiresAt`, `fresh` → active, in one step. Returns false if the application has no own keys. */
  rotateWebhookKeys(fresh: FreshWebhookKey, retiresAt: number): Promise<boolean>;

  /** Deletes the keys that retired before that, and returns how many. */
  deleteRetiredWebhookKeys(before: number): Promise<number>;
}
