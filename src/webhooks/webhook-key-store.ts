import type { By, Caller } from '../audit/audit-entry.ts';

/** A stored key. Instants are epoch milliseconds. */
export type WebhookKeyRecord = {
  /** The application that it signs for, or `''` for the instance. */
  readonly clientId: string;
  readonly keyId: string;
  /** The public key's 32 bytes in padded base64. */
  readonly publicKey: string;
  /** The private key (PKCS #8, PEM), sealed under the master key. */
  readonly sealed: string;
  /** Both sign; a previous one until it retires. */
  readonly status: 'active' | 'previous';
  readonly activatedAt: number;
  readonly retiresAt: number | undefined;
};

/** An application's signing keys. Until `overlapUntil` (exclusive; 0 without a switch), the others sign too. */
export type WebhookKeyUse = {
  readonly clientId: string;
  readonly keys: 'own' | 'instance';
  readonly overlapUntil: number;
};

/** A key that signs from now on. */
export type FreshWebhookKey = Omit<WebhookKeyRecord, 'status' | 'retiresAt'>;

export interface WebhookKeyStore {
  /** Lists keys not retired at `now`: the instance's, then the applications'; the active one first, then the latest. */
  listWebhookKeys(now: number): Promise<WebhookKeyRecord[]>;

  /** Lists which keys sign, for all applications or one. */
  listKeyUses(clientId?: string): Promise<WebhookKeyUse[]>;

  /** Sets the signing keys, if the application exists. The present choice can only end an overlap earlier. */
  switchWebhookKeys(use: WebhookKeyUse & By): Promise<WebhookKeyUse | undefined>;

  /** Adds the first key, unless one is active or the application has no own keys. One concurrent call adds its key. */
  addFirstWebhookKey(key: FreshWebhookKey): Promise<void>;

  /** Makes active previous until `retiresAt` and `fresh` active, in one step. Returns false without own keys. */
  rotateWebhookKeys(fresh: FreshWebhookKey, retiresAt: number, by: Caller | undefined): Promise<boolean>;

  /** Deletes keys that retired before then; returns their number. */
  deleteRetiredWebhookKeys(before: number): Promise<number>;
}
