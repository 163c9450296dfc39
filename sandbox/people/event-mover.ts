/** A person moves an event in their provider's own app: one chosen event of each account, half an hour at a time. */
import type { SandboxKind } from '../core/faults.ts';
import type { DraftTime, EventDraft, ManualChanges } from '../core/provider-sandbox.ts';
import type { AccountEvent } from './people.ts';

/** The next event to move, with its current start. */
export type MovableEvent = {
  readonly title: string;
  /** Epoch milliseconds. */
  readonly start: number;
};

/** Moves events. `calendarId` is the provider's own id. */
export interface EventMover {
  /** Returns `undefined` if the calendar does not have its account's event. */
  find(kind: SandboxKind, calendarId: string): MovableEvent | undefined;
  /** Moves the event and returns it with its new start. Rejects with an Error if it no longer exists. */
  move(kind: SandboxKind, calendarId: string): Promise<MovableEvent>;
}

/** The events in the accounts at a provider. */
export type MovableAccounts = {
  readonly kind: SandboxKind;
  readonly manual: ManualChanges;
  readonly events: readonly AccountEvent[];
};

type Plan = AccountEvent & { readonly draft: TimedDraft };
type TimedDraft = EventDraft & { readonly start: LocalTime; readonly end: LocalTime };
type LocalTime = Extract<DraftTime, { dateTime: string }>;
type Moving = {
  readonly kind: SandboxKind;
  readonly manual: ManualChanges;
  readonly plan: Plan;
  /** The number of moves since the planned start. */
  steps: number;
};

const STEP_MINUTES = 30;
/**
 * After this many steps the event returns to its planned start. Moves that are read together still result in a change.
 */
const MOST_STEPS = 5;

/**
 * Returns a mover of each account's last single event that has a time and no guests, in a calendar that the person
 * owns.
 */
export function eventMover(accounts: readonly MovableAccounts[]): EventMover {
  const moving = accounts.flatMap(movingAt);
  const findMoving = (kind: SandboxKind, calendarId: string) =>
    moving.find((one) => one.kind === kind && one.plan.calendarId === calendarId);
  return {
    find(kind, calendarId) {
      const movable = findMoving(kind, calendarId);
      return movable && viewOf(movable);
    },
    async move(kind, calendarId) {
      const movable = findMoving(kind, calendarId);
      if (movable === undefined) throw new Error('This calendar has no event to move');
      const { plan, manual } = movable;
      const steps = (movable.steps + 1) % (MOST_STEPS + 1);
      const draft = movedBy(plan.draft, steps);
      await manual.updateEvent(plan.email, calendarId, { ...draft, id: plan.eventId });
      movable.steps = steps;
      return viewOf(movable);
    },
  };
}

function movingAt({ kind, manual, events }: MovableAccounts): Moving[] {
  const lastOf = new Map<string, Plan>();
  for (const event of events) {
    const last = lastOf.get(event.email);
    if (isMovable(event) && (last === undefined || startOf(last, 0) < startOf(event, 0)))
      lastOf.set(event.email, event);
  }
  return [...lastOf.values()].map((plan) => ({ kind, manual, plan, steps: 0 }));
}

function isMovable(event: AccountEvent): event is Plan {
  const { start, end, recurrence, attendees } = event.draft;
  const isSingle = recurrence === undefined && attendees === undefined;
  return event.isWritable && isSingle && 'dateTime' in start && 'dateTime' in end;
}

const movedBy = (draft: TimedDraft, steps: number): TimedDraft => ({
  ...draft,
  start: later(draft.start, steps),
  end: later(draft.end, steps),
});

const later = ({ dateTime, timeZone }: LocalTime, steps: number): LocalTime => ({
  dateTime: Temporal.PlainDateTime.from(dateTime)
    .add({ minutes: steps * STEP_MINUTES })
    .toString(),
  timeZone,
});

const viewOf = ({ plan, steps }: Moving): MovableEvent => ({
  title: plan.draft.title,
  start: startOf(plan, steps),
});

function startOf({ draft }: Plan, steps: number): number {
  const { dateTime, timeZone } = later(draft.start, steps);
  return Temporal.PlainDateTime.from(dateTime).toZonedDateTime(timeZone).epochMilliseconds;
}
