/** What carrying out a write needs. */
import type { AccountSessions } from '../access/account-session.ts';
import type { AccountStore } from '../calendars/account-store.ts';
import type { CalendarProvider } from '../calendars/calendar-provider.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Log } from '../lib/log.ts';
import type { EventReader } from '../reading/event-reader.ts';
import type { FreshnessDeps } from '../reading/freshness.ts';
import type { MirrorStore } from '../sync/mirror-store.ts';
import type { CalendarTurns } from './calendar-turn.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { KnownEvents } from './known-events.ts';
import type { SplitJournal } from './split-journal.ts';

export type WriteDeps = FreshnessDeps & {
  readonly events: EventReader;
  readonly knownEvents: KnownEvents;
  readonly mirror: MirrorStore;
  readonly accounts: Pick<AccountStore, 'findAccount' | 'credentialsOf' | 'setHealth' | 'recover'>;
  readonly jobs: Pick<JobStore, 'schedule'>;
  readonly idempotency: IdempotencyStore;
  readonly splits: SplitJournal;
  /** Those that are set up. */
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  readonly sessions: AccountSessions;
  /** Shared by all that writes in this process. */
  readonly turns: CalendarTurns;
  readonly log: Log;
  /** For how long a write waits for its turn, in milliseconds; the documented bound unless given. */
  readonly turnBound?: number;
  /** Called between the steps of a split, with the step's name: tests let a process end there. */
  readonly atStep?: (step: string) => Promise<void>;
};
