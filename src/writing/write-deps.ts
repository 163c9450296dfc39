/** The dependencies of a write. */
import type { AccountSessions } from '../access/account-session.ts';
import type { AccountStore } from '../calendars/account-store.ts';
import type { CalendarChoiceStore } from '../calendars/calendar-choice-store.ts';
import type { CalendarProvider } from '../calendars/calendar-provider.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Log } from '../lib/log.ts';
import type { CalendarSync } from '../reading/calendar-sync.ts';
import type { EventReader } from '../reading/event-reader.ts';
import type { MirrorStore } from '../sync/mirror-store.ts';
import type { ResourceRendering } from '../sync/resource-rendering.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { SplitJournal } from './split-journal.ts';
import type { StoredEvents } from './stored-events.ts';

/**
 * When the last turn in a calendar's queue ends, by the calendar's key, for each calendar that this process writes to.
 */
export type WaitingTurns = Map<string, Promise<void>>;

export type WriteDeps = {
  readonly events: EventReader;
  readonly sync: CalendarSync;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly storedEvents: StoredEvents;
  readonly mirror: MirrorStore;
  readonly rendering: ResourceRendering;
  readonly calendarChoices: Pick<CalendarChoiceStore, 'includeCalendar'>;
  readonly accounts: Pick<AccountStore, 'findAccount' | 'credentialsOf' | 'setHealth' | 'recover'>;
  readonly jobs: Pick<JobStore, 'schedule'>;
  readonly idempotency: IdempotencyStore;
  readonly splits: SplitJournal;
  /** The providers that are configured. */
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  readonly sessions: AccountSessions;
  /** Shared by all writes of this process. */
  readonly turns: WaitingTurns;
  readonly log: Log;
  /** How long a write waits for its turn, in milliseconds; the documented limit by default. */
  readonly turnBound?: number;
  /** How often a running write renews its lease, in milliseconds; the interval of lease.ts by default. */
  readonly renewEvery?: number;
  /** Called between the steps of a split, with the step's name. Tests end a process there. */
  readonly atStep?: (step: string) => Promise<void>;
};
