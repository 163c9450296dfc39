/** The port that stores keys of the administration API. Instants are epoch milliseconds. */
import type { By } from '../audit/audit-entry.ts';
import type { Role } from './person.ts';

export type AdminKey = {
  readonly keyId: string;
  readonly name: string;
  readonly role: Role;
  /** The assigned applications. Empty for other roles than `developer`. */
  readonly clientIds: readonly string[];
  /** The first characters of the key, by which people recognize it. */
  readonly prefix: string;
  readonly createdAt: number;
  /** Undefined for a key that does not expire. */
  readonly expiresAt: number | undefined;
};

/** `creator_ended`: the key or the member that created it, or one before that, is no longer valid. */
export type AdminKeyState = 'valid' | 'expired' | 'creator_ended';

export type ListedAdminKey = AdminKey & {
  readonly state: AdminKeyState;
  /** The login of a member, the name of a key, or `environment`. Undefined for the command line. */
  readonly creator: string | undefined;
  /** The id of the member or the key that created it, or `environment`. */
  readonly creatorId?: string | undefined;
  /** The last use, to the minute. */
  readonly usedAt: number | undefined;
};

export type AdminKeyRotation = Pick<AdminKey, 'keyId' | 'prefix'> & {
  readonly hash: string;
  /** The end of the previous key, exclusive. */
  readonly previousUntil: number;
};

export interface AdminKeyStore {
  /** Adds a key with the SHA-256 hash of its text. The actor of `by` is its creator. */
  addKey(key: AdminKey, hash: string, by: By['by']): Promise<void>;

  /**
   * Returns the key with this hash, and notes its use at most once a minute. Returns `undefined` unless it and every key
   * before it are unexpired, and the first was created by the command line, by `environment` or by a present owner.
   */
  useKey(hash: string, now: number): Promise<AdminKey | undefined>;

  /** Returns all keys in order of creation. */
  listKeys(now: number): Promise<ListedAdminKey[]>;

  /** Replaces the text of a key; the one before the previous ends at once. Returns false if the key does not exist. */
  rotateKey(rotation: AdminKeyRotation, by: By['by']): Promise<boolean>;

  /** Deletes a key, which ends it and all keys that it created at once. Returns false if it does not exist. */
  removeKey(keyId: string, by: By['by']): Promise<boolean>;
}
