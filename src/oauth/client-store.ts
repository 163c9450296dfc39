import type { Client, ClientChange } from './client.ts';

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

  listClients(): Promise<Client[]>;
  createClient(client: Client, secretHash: string): Promise<void>;
  updateClient(clientId: string, change: ClientChange, now: number): Promise<Client | undefined>;

  /** Adds a secret; the ones before it stay alive until `oldExpireAt`, the newest of them only. */
  rotateSecret(clientId: string, secretHash: string, now: number, oldExpireAt: number): Promise<boolean>;

  /**
   * Deletes the application with its users, grants, accounts and mirror. Access the provider can end is
   * handed to a job that does (ended-access-store.ts).
   */
  deleteClient(clientId: string, now: number): Promise<boolean>;
}
