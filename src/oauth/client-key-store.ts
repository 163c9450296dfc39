/** The public keys of applications for assertions (RFC 7523). */

/** A set from a file, or the address of one. Only owners and the command line may name a private address. */
export type ClientKeys =
  | { readonly jwks: string }
  | { readonly jwksUri: string; readonly isPublicOnly: boolean };

/** A set that was read from its address. Instants are epoch milliseconds. */
export type ReadKeys = { readonly jwks: string; readonly readAt: number; readonly freshUntil: number };

/** `jwks` is JSON (RFC 7517 §5). A set from an address is undefined until it was read. */
export type StoredClientKeys =
  | { readonly jwks: string; readonly jwksUri: undefined }
  | {
      readonly jwksUri: string;
      readonly isPublicOnly: boolean;
      readonly cached: ReadKeys | undefined;
    };

export interface ClientKeyStore {
  hasKeys(clientId: string): Promise<boolean>;
  findKeys(clientId: string): Promise<StoredClientKeys | undefined>;

  /** Saves a set that was read, unless the application has another address now or a later set is stored. */
  saveReadKeys(source: { clientId: string; jwksUri: string }, keys: ReadKeys): Promise<void>;
}
