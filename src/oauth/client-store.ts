import type { Client, ClientChange, UnstoredClient } from './client.ts';

/** Applications and the hashes of their secrets. Instants are epoch milliseconds. */
export interface ClientStore {
  findClient(clientId: string): Promise<Client | undefined>;

  /**
   * The application with the SHA-256 hashes (hex) of its secrets alive at `now`. On the path of every
   * token request: one statement, which PostgreSQL runs for all waiting callers together.
   */
  findClientWithSecrets(
    clientId: string,
    now: number,
  ): Promise<{ client: Client; secretHashes: readonly string[] } | undefined>;

  /** Returns the only client id that equals `label` in lower case; undefined if there is none or more than one. */
  findClientIdByLabel(label: string): Promise<string | undefined>;
  listClients(): Promise<Client[]>;
  createClient(client: UnstoredClient, secretHash: string): Promise<void>;

  /**
   * One transaction. A display name that is another afterwards ends or takes back the application's review
   * (verification/review-states.ts).
   */
  updateClient(clientId: string, change: ClientChange, now: number): Promise<Client | undefined>;

  /** Adds a secret; the newest of those before it stays alive until `oldExpireAt`. */
  rotateSecret(rotation: SecretRotation): Promise<boolean>;

  /**
   * Deletes the application with its users, grants, accounts and mirror. Access the provider can end is
   * handed to a job that does (ended-access-store.ts).
   */
  deleteClient(clientId: string, now: number): Promise<boolean>;

  /** What goes with the application, each counted up to `most`. */
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
