/** What carrying out a write needs. */
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

/** For each calendar that is written to in this process, by its key: when the last turn in its queue ends. */
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
  /** Those that are set up. */
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  readonly sessions: AccountSessions;
  /** Shared by all that writes in this process. */
  readonly turns: WaitingTurns;
  readonly log: Log;
  /** For how long a write waits for its turn, in milliseconds; the documented bound unless given. */
  readonly turnBound?: number;
  /** How often a write that lasts renews its lease, in milliseconds; that of lease.ts unless given. */
  readonly renewEvery?: number;
  /** Called between the steps of a split, with the step's name: tests let a process end there. */
  readonly atStep?: (step: string) => Promise<void>;
};
