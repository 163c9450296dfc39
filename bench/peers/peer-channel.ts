/** What the bench and a peer's process say to each other over the IPC channel. */

/** To the peer: make this many authorization codes that can be exchanged. */
export type SeedRequest = { readonly seedCodes: number };

/** From the peer. */
export type PeerMessage = { readonly listening: number } | { readonly seeded: readonly string[] };

/** In the peer: says where it listens, and seeds when it is asked to. */
export function servePeer(port: number, seedCodes: (count: number) => Promise<readonly string[]>): void {
  const tell = (message: PeerMessage) => process.send?.(message);
  process.on('message', (request: SeedRequest) => {
    seedCodes(request.seedCodes).then((seeded) => tell({ seeded }));
  });
  process.on('disconnect', () => process.exit());
  tell({ listening: port });
}
