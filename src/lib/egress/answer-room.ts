/**
 * How many bytes of answers are held at once. What servers send slowly stays in memory until it is whole, so many of
 * them could fill it together. A small answer always has room; a large one takes what it needs while there is some, and
 * is not read on until there is.
 */

export type RoomLimits = {
  /** Bytes of each answer that need no room, while these are not more than `freeInAll`. */
  readonly freeEach: number;
  readonly freeInAll: number;
  /** Most bytes beyond those, of one host and of all. */
  readonly ofHost: number;
  readonly inAll: number;
  /** How much of each of the two is for the oldest answer alone: it can always be read to its end. */
  readonly forOldest: number;
};

export type AnswerRoom = {
  /** The share of one answer. Who has it releases it, whatever happens. */
  share(host: string): RoomShare;
};

export type RoomShare = {
  /**
   * Counts bytes that came. Where there is no room for them yet it answers a promise: nothing more is to be read before
   * that resolves, in the order the answers began to be large.
   */
  take(bytes: number): Promise<void> | undefined;
  /** Gives everything back. Nothing is taken afterwards. */
  release(): void;
};

/** How many times what it holds a host leaves to others. */
const PARTS_LEFT = 4;
const MEGABYTE = 1_000_000;
export const ROOM_LIMITS: RoomLimits = {
  freeEach: 256_000,
  freeInAll: 16 * MEGABYTE,
  ofHost: 16 * MEGABYTE,
  inAll: 32 * MEGABYTE,
  forOldest: 10 * MEGABYTE,
};

/** Shares that hold room, in their order, and how much they hold together. */
type Holders = { held: number; readonly shares: Set<Share> };
type Share = { readonly host: string; free: number; held: number; waiting: Wait | undefined };
type Wait = { readonly bytes: number; readonly goOn: () => void };

/** Room within these limits. */
export function answerRoom(limits: RoomLimits = ROOM_LIMITS): AnswerRoom {
  const all: Holders = { held: 0, shares: new Set() };
  const hosts = new Map<string, Holders>();
  let free = 0;

  const ofHost = (host: string): Holders => {
    const known = hosts.get(host);
    if (known !== undefined) return known;
    const holders: Holders = { held: 0, shares: new Set() };
    hosts.set(host, holders);
    return holders;
  };

  const hasRoom = (share: Share, bytes: number): boolean => {
    const [oldest] = all.shares;
    if (oldest === undefined || oldest === share) return true;
    const shared = limits.inAll - limits.forOldest - (all.held - oldest.held);
    const ofItsHost = ofHost(share.host);
    // What is left is for the other hosts as well: the more there are that hold some, the less each may have.
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
