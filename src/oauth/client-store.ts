import type { By, Caller } from '../audit/audit-entry.ts';
import type { EditTerms, LookChange } from '../branding/branding-store.ts';
import type { Client, ClientChange, UnstoredClient } from './client.ts';

/** Applications and the hashes of their secrets. Changes of `by` are audited. Instants are epoch milliseconds. */
export interface ClientStore {
  findClient(clientId: string): Promise<Client | undefined>;

  /** Returns the application and the SHA-256 hashes (hex) of its valid secrets. Every token request calls it. */
  findClientWithSecrets(
    clientId: string,
    now: number,
  ): Promise<{ client: Client; secretHashes: readonly string[] } | undefined>;

  /** Returns the only client id that equals `label` in lower case; undefined if there is none or more than one. */
  findClientIdByLabel(label: string): Promise<string | undefined>;
  listClients(): Promise<Client[]>;
  /** Only an application that authenticates by a secret has a hash. */
  createClient(client: UnstoredClient, secretHash: string | undefined, by: Caller | undefined): Promise<void>;

  /**
   * Updates the application and its branding in one transaction. A changed reviewed value ends or withdraws its review
   * (review-states.ts). An application that no longer authenticates by a secret loses all secrets.
   */
  updateClient(
    clientId: string,
    change: ClientChange & {
      readonly look?: LookChange | undefined;
      /** Throws if the changed application is not allowed. Called in the transaction, which then changes nothing. */
      readonly check?: ((changed: Client) => void) | undefined;
      /** Returns the hash of a new secret. Called in the transaction if the application authenticates by a secret again. */
      readonly newSecretHash?: (() => string) | undefined;
    },
    terms: EditTerms,
  ): Promise<Client | undefined>;

  /** Adds a secret. The newest previous secret remains valid until `oldExpireAt`. */
  rotateSecret(rotation: SecretRotation & By): Promise<boolean>;

  /** Deletes the application with its users, grants, accounts and mirror. A job ends the access at providers. */
  deleteClient(clientId: string, now: number, by: Caller | undefined): Promise<boolean>;

  /** Counts the contents that would be deleted with the application, each up to `most`. */
  countContents(clientId: string, most: number): Promise<ApplicationContents>;
}

export type ApplicationContents = {
  readonly users: number;
  readonly accounts: number;
  readonly endpoints: number;
};

export type SecretRotation = {
  readonly clientId: string;
  readonly secretHash: string;
  readonly now: number;
  readonly oldExpireAt: number;
};
