import type { JobKind } from '../jobs/job-store.ts';
import type { Check } from './doctor-checks.ts';

/** The processes that serve this database. */
export interface InstanceStore {
  /** Registers that an instance lives, and deletes those that were not seen since `goneBefore`. */
  noteInstance(instance: Instance, goneBefore: number): Promise<void>;

  forgetInstance(instanceId: string): Promise<void>;

  /** Lists instances seen since then, the longest running first; 200 at most. */
  listInstances(seenSince: number): Promise<readonly Instance[]>;
}

/** The work that waits, and the size of the database. */
export interface LoadStore {
  /** Counts, by kind with jobs, how many wait and run, and how many should have run before `lateBefore`. */
  countJobs(now: number, lateBefore: number): Promise<readonly JobCount[]>;

  /** Counts streams with something to deliver, also of paused endpoints; MOST_COUNTED at most. */
  countStreams(): Promise<number>;

  /** Returns the present size of the database. */
  databaseBytes(): Promise<number>;

  /** Stores today's size, and deletes days before `since`. */
  keepSize(day: number, since: number): Promise<void>;

  /** Lists sizes, the oldest first. */
  listSizes(): Promise<readonly DaySize[]>;

  /** Lists the recently used budgets of apps at providers; 50 at most. */
  listAppBudgets(): Promise<readonly UsedBudget[]>;
}

/** Checks and backups. A change that a person requested is audited. */
export interface UpkeepStore {
  /** Replaces the result of the checks. Checks that a member requested are audited. */
  keepChecks(checks: KeptChecks): Promise<void>;

  lastChecks(): Promise<KeptChecks | undefined>;

  /** Stores that a backup was made. Backups that a member requested are audited. */
  noteBackup(backup: NotedBackup): Promise<void>;

  /** Stores why the last scheduled backup failed, until one succeeds. */
  noteBackupFailure(failure: BackupFailure): Promise<void>;

  lastBackups(): Promise<LastBackups>;
}

/** What is known of the program and of its database. Instants are epoch milliseconds. */
export type SystemStore = InstanceStore & LoadStore & UpkeepStore;

/** A process that serves this database. */
export type Instance = {
  readonly instanceId: string;
  readonly host: string;
  readonly version: string;
  readonly role: 'all' | 'web' | 'worker';
  readonly startedAt: number;
  readonly seenAt: number;
  /** The ids of the instance's master keys; empty for a version that does not report them. */
  readonly keyIds: readonly string[];
  /** The id of the key that it seals under. */
  readonly keyId: string;
};

/** Counts of one kind, each MOST_COUNTED at most. `oldest` is when the first late job was due. */
export type JobCount = {
  readonly kind: JobKind;
  readonly waiting: number;
  readonly running: number;
  readonly late: number;
  readonly oldest: number | undefined;
};

/** Limits counts. Above it, only "more" is reported. */
export const MOST_COUNTED = 10_000;

/** `day` is the day's first instant in UTC. */
export type DaySize = { readonly day: number; readonly bytes: number };

/** `app` is the provider and the app's id there. The budget is full again at `fullAt`. */
export type UsedBudget = { readonly app: string; readonly fullAt: number };

export type NotedBackup = { readonly name: string; readonly bytes: number; readonly at: number };
export type BackupFailure = { readonly at: number; readonly reason: string };
export type LastBackups = {
  /** When the database was created. */
  readonly begunAt: number;
  readonly made: NotedBackup | undefined;
  /** Undefined if a backup was made since. */
  readonly failure: BackupFailure | undefined;
};

export type KeptChecks = { readonly at: number; readonly checks: readonly Check[] };
