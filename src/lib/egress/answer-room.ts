/**
 * Limits the memory of arriving responses. Small ones are always accepted; large ones pause for space, which
 * applications share, and within each its hosts.
 */
import type { SlotPlace } from '../fair-slots/slot-counts.ts';

export type RoomLimits = {
  /** Bytes of each response that need no space. The number of concurrent requests limits their total. */
  readonly freeEach: number;
  /** Limits the bytes of all responses that are larger. */
  readonly inAll: number;
  /** How much of it is reserved for the oldest response, which can therefore always be read to its end. */
  readonly forOldest: number;
};

export type AnswerRoom = {
  /** Creates the share of one response. Its holder must release it in every case. */
  share(place: RoomPlace): RoomShare;
};

/** The application of a request, empty if there is none, and the server that responds. */
type RoomPlace = Pick<SlotPlace, 'clientId' | 'host'>;

export type RoomShare = {
  /** Counts received bytes. If it returns a promise, read no more until then. Earlier large responses go first. */
  take(bytes: number): Promise<void> | undefined;
  /** Releases everything. Nothing is counted afterwards. */
  release(): void;
};

/** An application may hold this part of the space that others leave. */
const SHARE_OF_APPLICATION = 1 / 2;
/** A host may hold this part of what the application's other hosts leave of that. */
const SHARE_OF_HOST = 1 / 4;
const MEGABYTE = 1_000_000;
/** With the 2,000 slots of requests (egress.ts), small responses hold at most 16 MB. */
export const ROOM_LIMITS: RoomLimits = {
  freeEach: 8_000,
  inAll: 32 * MEGABYTE,
  forOldest: 10 * MEGABYTE,
};

/** `application` and `host` are names in the counts; a host counts for each application. */
type Share = {
  readonly application: string;
  readonly host: string;
  free: number;
  held: number;
  waiting?: Wait;
};
type Wait = { readonly bytes: number; readonly goOn: () => void };
const ALL = 'all';

export function answerRoom(limits: RoomLimits = ROOM_LIMITS): AnswerRoom {
  /** Large responses in order. */
  const shares = new Set<Share>();
  const counts = new Map<string, number>();

  const count = ({ application, host }: Share, bytes: number): void => {
    for (const name of [ALL, application, host]) {
      const held = (counts.get(name) ?? 0) + bytes;
      if (held > 0) counts.set(name, held);
      else counts.delete(name);
    }
  };

  const hasRoom = (share: Share, bytes: number): boolean => {
    const [oldest = share] = shares;
    if (oldest === share) return true;
    const heldBy = (name: string): number => {
      const isOfOldest = [ALL, oldest.application, oldest.host].includes(name);
      return (counts.get(name) ?? 0) - (isOfOldest ? oldest.held : 0);
    };
    const [inAll, ofApplication, ofHost] = [heldBy(ALL), heldBy(share.application), heldBy(share.host)];
    const left = limits.inAll - limits.forOldest - (inAll - ofApplication);
    const leftToHost = left * SHARE_OF_APPLICATION - (ofApplication - ofHost);
    return ofHost + bytes <= leftToHost * SHARE_OF_HOST;
  };

  const hold = (share: Share, bytes: number): void => {
    share.held += bytes;
    count(share, bytes);
  };

  const wake = (): void => {
    for (const share of shares) {
      const { waiting } = share;
      if (waiting === undefined || !hasRoom(share, waiting.bytes)) continue;
      delete share.waiting;
      hold(share, waiting.bytes);
      waiting.goOn();
    }
  };

  const take = (share: Share, bytes: number): Promise<void> | undefined => {
    if (share.held === 0 && share.free + bytes <= limits.freeEach) {
      share.free += bytes;
      return undefined;
    }
    shares.add(share);
    if (hasRoom(share, bytes)) {
      hold(share, bytes);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    share.waiting = { bytes, goOn: resolve };
    return promise;
  };

  const release = (share: Share): void => {
    if (!shares.delete(share)) return;
    count(share, -share.held);
    wake();
  };

  return {
    share({ clientId, host }) {
      const share: Share = { application: ` ${clientId}`, host: ` ${clientId} ${host}`, free: 0, held: 0 };
      return { take: (bytes) => take(share, bytes), release: () => release(share) };
    },
  };
}
