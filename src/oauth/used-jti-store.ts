/** The used ids (`jti`) of client assertions (RFC 7523) and DPoP proofs (RFC 9449). All instances share them. */
export interface UsedJtiStore {
  /** Marks an id as used until `expiresAt` (epoch milliseconds), and returns whether it was unused. */
  use(jtiHash: string, expiresAt: number): Promise<boolean>;

  /** Deletes ids that expired before `now` (epoch milliseconds) and returns their number. */
  deleteExpired(now: number): Promise<number>;
}
