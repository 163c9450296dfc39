/** The objects that `kalends apply` created, and the lease under which it runs. Instants are epoch milliseconds. */

/** The lease ends so long after the last change of its holder. */
export const APPLY_LEASE_MS = 60_000;

export interface ManagedStore {
  /** Takes the lease `apply`, which the audited changes of `holder` extend. Returns false if another holder has it. */
  claimApply(holder: string, now: number): Promise<boolean>;

  releaseApply(holder: string): Promise<void>;

  /** Returns the ids of applications, endpoints, invitations and members that `apply` created and nobody deleted. */
  listManaged(): Promise<ReadonlySet<string>>;
}
