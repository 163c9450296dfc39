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

/** The end of the last turn in each calendar's queue, by calendar key. */
export type WaitingTurns = Map<string, Promise<void>>;

export type WriteDeps = {
  readonly events: EventReader;
  readonly sync: CalendarSync;
  readonly now: () => number;
  readonly storedEvents: StoredEvents;
  readonly mirror: MirrorStore;
  readonly rendering: ResourceRendering;
  readonly calendarChoices: Pick<CalendarChoiceStore, 'includeCalendar'>;
  readonly accounts: Pick<AccountStore, 'findAccount' | 'credentialsOf' | 'setHealth' | 'recover'>;
  readonly jobs: Pick<JobStore, 'schedule'>;
  readonly idempotency: IdempotencyStore;
  readonly splits: SplitJournal;
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  readonly sessions: AccountSessions;
  /** Shared by all writes of this process. */
  readonly turns: WaitingTurns;
  readonly log: Log;
  /** The maximum wait of a write for its turn, in milliseconds; the documented one by default. */
  readonly turnBound?: number;
  /** The interval at which a write renews its lease, in milliseconds; that of lease.ts by default. */
  readonly renewEvery?: number;
  /** Called with the name of each step of a split. Tests end a process there. */
  readonly atStep?: (step: string) => Promise<void>;
};
