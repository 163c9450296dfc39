/** Limits the memory of arriving responses. Small ones are always accepted; large ones pause for space. */

export type RoomLimits = {
  /** Bytes of each response that need no space, as long as all of them together are at most `freeInAll`. */
  readonly freeEach: number;
  readonly freeInAll: number;
  /** Limits the bytes beyond those, for each host and in all. */
  readonly ofHost: number;
  readonly inAll: number;
  /** How much of each of the two is reserved for the oldest response, which can therefore always be read to its end. */
  readonly forOldest: number;
};

export type AnswerRoom = {
  /** Creates the share of one response. Its holder must release it in every case. */
  share(host: string): RoomShare;
};

export type RoomShare = {
  /** Counts received bytes. If it returns a promise, read no more until then. Earlier large responses go first. */
  take(bytes: number): Promise<void> | undefined;
  /** Releases everything. Nothing is counted afterwards. */
  release(): void;
};

/** The free space must be at least this many times the bytes that a host would hold. */
const PARTS_LEFT = 4;
const MEGABYTE = 1_000_000;
export const ROOM_LIMITS: RoomLimits = {
  freeEach: 256_000,
  freeInAll: 16 * MEGABYTE,
  ofHost: 16 * MEGABYTE,
  inAll: 32 * MEGABYTE,
  forOldest: 10 * MEGABYTE,
};

/** Large responses in order, and the bytes that they hold together. */
type Holders = { held: number; readonly shares: Set<Share> };
type Share = { readonly host: string; free: number; held: number; waiting: Wait | undefined };
type Wait = { readonly bytes: number; readonly goOn: () => void };

export function answerRoom(limits: RoomLimits = ROOM_LIMITS): AnswerRoom {
  const all: Holders = { held: 0, shares: new Set() };
  const hosts = new Map<string, Holders>();
  let free = 0;

  const ofHost = (host: string): Holders => {
    const existing = hosts.get(host);
    if (existing !== undefined) return existing;
    const holders: Holders = { held: 0, shares: new Set() };
    hosts.set(host, holders);
    return holders;
  };

  const hasRoom = (share: Share, bytes: number): boolean => {
    const [oldest] = all.shares;
    if (oldest === undefined || oldest === share) return true;
    const shared = limits.inAll - limits.forOldest - (all.held - oldest.held);
    const ofItsHost = ofHost(share.host);
    // The rest is shared with other hosts: the more hosts hold some, the less each may have.
    const held = ofItsHost.held - (oldest.host === share.host ? oldest.held : 0);
    if ((held + bytes) * PARTS_LEFT > shared) return false;
    const [first] = ofItsHost.shares;
    if (first === undefined || first === share) return true;
    return ofItsHost.held - first.held + bytes <= limits.ofHost - limits.forOldest;
  };

  const hold = (share: Share, bytes: number): void => {
    share.held += bytes;
    for (const holders of [all, ofHost(share.host)]) holders.held += bytes;
  };

  const wake = (): void => {
    for (const share of all.shares) {
      const { waiting } = share;
      if (waiting === undefined || !hasRoom(share, waiting.bytes)) continue;
      share.waiting = undefined;
      hold(share, waiting.bytes);
      waiting.goOn();
    }
  };

  const take = (share: Share, bytes: number): Promise<void> | undefined => {
    if (share.held === 0 && share.free + bytes <= limits.freeEach && free + bytes <= limits.freeInAll) {
      share.free += bytes;
      free += bytes;
      return undefined;
    }
    for (const holders of [all, ofHost(share.host)]) holders.shares.add(share);
    if (hasRoom(share, bytes)) {
      hold(share, bytes);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    share.waiting = { bytes, goOn: resolve };
    return promise;
  };

  const release = (share: Share): void => {
    free -= share.free;
    share.free = 0;
    const ofItsHost = hosts.get(share.host);
    if (ofItsHost === undefined || !all.shares.delete(share)) return;
    ofItsHost.shares.delete(share);
    for (const holders of [all, ofItsHost]) holders.held -= share.held;
    if (ofItsHost.shares.size === 0) hosts.delete(share.host);
    wake();
  };

  return {
    share(host) {
      const share: Share = { host, free: 0, held: 0, waiting: undefined };
      return { take: (bytes) => take(share, bytes), release: () => release(share) };
    },
  };
}
