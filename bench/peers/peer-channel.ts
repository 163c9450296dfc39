/** The messages that the bench and a peer's process exchange over the IPC channel. */

/** A message to the peer: create this many authorization codes that can be exchanged. */
export type SeedRequest = { readonly seedCodes: number };

/** A message from the peer. */
export type PeerMessage = { readonly listening: number } | { readonly seeded: readonly string[] };

/** Runs in the peer: reports the port where it listens, and creates codes on request. */
export function servePeer(port: number, seedCodes: (count: number) => Promise<readonly string[]>): void {
  const tell = (message: PeerMessage) => process.send?.(message);
  process.on('message', (request: SeedRequest) => {
    seedCodes(request.seedCodes).then((seeded) => tell({ seeded }));
  });
  process.on('disconnect', () => process.exit());
  tell({ listening: port });
}
