/** What came to the demo's webhook address: the last deliveries, and how long after a change made by hand they came. */

/** A delivery's JSON, as far as the demo shows it (docs/webhooks.md). Only those of events have calendar and events. */
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
  /** As it was signed. */
  readonly raw: string;
};

/** A request that was no delivery: nothing of its body is kept. */
export type RefusedDelivery = { readonly at: number; readonly reason: string; readonly bytes: number };

export type LoggedDelivery = { readonly number: number } & (
  | (VerifiedDelivery & {
      readonly verified: true;
      /** Whether one of the same id came before. */
      readonly repeated: boolean;
      /** From the change made by hand; `undefined` when it is none of these. */
      readonly afterMs: number | undefined;
    })
  | (RefusedDelivery & { readonly verified: false })
);

/** An event as somebody moved it at its provider. `at` is when that began. */
export type Move = {
  readonly provider: string;
  readonly calendarId: string;
  readonly title: string;
  readonly start: number;
  readonly at: number;
};

export interface DeliveryLog {
  /** The delivery that tells of it is shown with the time it took. */
  expect(move: Move): void;
  accept(delivery: VerifiedDelivery): void;
  refuse(delivery: RefusedDelivery): void;
  /** Newest first. */
  list(): readonly LoggedDelivery[];
  /** Calls `listener` with each that comes; the answer ends that. */
  subscribe(listener: (delivery: LoggedDelivery) => void): () => void;
}

const MOST_VERIFIED = 50;
/** Anybody on this machine can send those: they must not push the others out. */
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
  /** A delivery has an event's last state: what was expected of the event before that is told with it. */
  const afterMs = ({ at, payload }: VerifiedDelivery): number | undefined => {
    const told = moves.findLast((move) => payload.events?.some((event) => tells(payload, event, move)));
    if (told === undefined) return undefined;
    moves = moves.filter((move) => !isOfSameEvent(move, told));
    return at - told.at;
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
