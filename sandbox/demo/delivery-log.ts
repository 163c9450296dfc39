/** The log of the demo's webhook address: the last deliveries, and how long after a manual change they came. */

/**
 * A delivery's JSON, as far as the demo displays it (docs/webhooks.md). Only deliveries of events have calendar and
 * events.
 */
export type DeliveryPayload = {
  readonly provider: string;
  readonly userId: string;
  readonly eventType?: string;
  readonly calendarId?: string;
  readonly events?: readonly DeliveredEvent[];
  readonly metadata: {
    readonly clientId?: string;
    readonly eventCount?: number;
    readonly isInitialSync?: boolean;
    readonly sequence?: number;
    readonly reset?: boolean;
    readonly test?: boolean;
  };
};

export type DeliveredEvent = {
  readonly title?: string;
  readonly start?: string;
  readonly allDay?: boolean;
  readonly changeType?: string;
  readonly changedFields?: readonly string[];
};

/** Times are epoch milliseconds. */
export type VerifiedDelivery = {
  readonly id: string;
  readonly at: number;
  readonly payload: DeliveryPayload;
  /** The text as it was signed. */
  readonly raw: string;
};

/** A request that was not a delivery: its body is not stored. */
export type RefusedDelivery = { readonly at: number; readonly reason: string; readonly bytes: number };

export type LoggedDelivery = { readonly number: number } & (
  | (VerifiedDelivery & {
      readonly verified: true;
      /** Whether a delivery with the same id came before. */
      readonly repeated: boolean;
      /** Milliseconds since the manual change; `undefined` if the delivery has none. */
      readonly afterMs: number | undefined;
    })
  | (RefusedDelivery & { readonly verified: false })
);

/** An event that a person moved at its provider. `at` is when the move began. */
export type Move = {
  readonly provider: string;
  readonly calendarId: string;
  readonly title: string;
  readonly start: number;
  readonly at: number;
};

export interface DeliveryLog {
  /** Registers a move: its delivery is displayed with the elapsed time. */
  expect(move: Move): void;
  accept(delivery: VerifiedDelivery): void;
  refuse(delivery: RefusedDelivery): void;
  /** Newest first. */
  list(): readonly LoggedDelivery[];
  /** Calls `listener` with each new delivery; the returned function stops that. */
  subscribe(listener: (delivery: LoggedDelivery) => void): () => void;
}

const MOST_VERIFIED = 50;
/** The maximum of refused requests: anyone on this machine can send them, and they must not displace the others. */
const MOST_REFUSED = 5;
const MOST_MOVES = 50;

export function deliveryLog(): DeliveryLog {
  let verified: LoggedDelivery[] = [];
  let refused: LoggedDelivery[] = [];
  let moves: Move[] = [];
  let count = 0;
  const listeners = new Set<(delivery: LoggedDelivery) => void>();
  const tell = (delivery: LoggedDelivery) => {
    for (const listener of listeners) listener(delivery);
  };
  /** A delivery has an event's last state, so it also covers earlier moves of the event. */
  const afterMs = ({ at, payload }: VerifiedDelivery): number | undefined => {
    const reportedMove = moves.findLast((move) =>
      payload.events?.some((event) => tells(payload, event, move)),
    );
    if (reportedMove === undefined) return undefined;
    moves = moves.filter((move) => !isOfSameEvent(move, reportedMove));
    return at - reportedMove.at;
  };

  return {
    expect(move) {
      moves = [...moves, move].slice(-MOST_MOVES);
    },
    accept(delivery) {
      const repeated = verified.some((known) => known.verified && known.id === delivery.id);
      const rest = { verified: true as const, repeated, afterMs: afterMs(delivery) };
      const logged = { ...delivery, ...rest, number: ++count };
      verified = [logged, ...verified].slice(0, MOST_VERIFIED);
      tell(logged);
    },
    refuse(delivery) {
      const logged = { ...delivery, verified: false as const, number: ++count };
      refused = [logged, ...refused].slice(0, MOST_REFUSED);
      tell(logged);
    },
    list: () => [...verified, ...refused].sort((a, b) => b.number - a.number),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const tells = (
  { provider, calendarId }: DeliveryPayload,
  { title, start = '' }: DeliveredEvent,
  move: Move,
): boolean =>
  provider === move.provider &&
  calendarId === move.calendarId &&
  title === move.title &&
  Date.parse(start) === move.start;

const isOfSameEvent = (one: Move, other: Move): boolean =>
  one.provider === other.provider && one.calendarId === other.calendarId && one.title === other.title;
