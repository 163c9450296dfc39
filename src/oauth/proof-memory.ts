/** The proofs that this instance accepted at resources. A database write per read would double the cost of each call. */

const MOST_PROOFS = 100_000;

export type AcceptedProof = {
  readonly clientId: string;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
};

/**
 * Returns a function that remembers a proof and returns whether it was new at `now`. If `most` are remembered, the oldest
 * of the application with the most is dropped, so that one application cannot push out the proofs of another.
 */
export function proofMemory(most = MOST_PROOFS): (proof: AcceptedProof, now: number) => boolean {
  /** The expiry of each proof by application and id. All live equally long, so the oldest of each is the first. */
  const proofs = new Map<string, Map<string, number>>();
  let size = 0;

  const drop = (clientId: string, owned: Map<string, number>, id: string) => {
    owned.delete(id);
    if (owned.size === 0) proofs.delete(clientId);
    size -= 1;
  };
  const dropExpired = (clientId: string, owned: Map<string, number>, now: number) => {
    for (const [id, expiresAt] of owned) {
      if (expiresAt > now) return;
      drop(clientId, owned, id);
    }
  };
  const makeRoom = (now: number) => {
    for (const [clientId, owned] of proofs) dropExpired(clientId, owned, now);
    if (size < most) return;
    let largest: [string, Map<string, number>] | undefined;
    for (const entry of proofs) if (entry[1].size > (largest?.[1].size ?? 0)) largest = entry;
    const [oldest] = largest?.[1].keys() ?? [];
    if (largest !== undefined && oldest !== undefined) drop(...largest, oldest);
  };

  return ({ clientId, id, expiresAt }, now) => {
    const before = proofs.get(clientId);
    if (before !== undefined) dropExpired(clientId, before, now);
    if (before?.has(id)) return false;
    if (size >= most) makeRoom(now);
    const owned = proofs.get(clientId) ?? new Map<string, number>();
    proofs.set(clientId, owned.set(id, expiresAt));
    size += 1;
    return true;
  };
}
