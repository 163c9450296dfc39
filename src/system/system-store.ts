import type { JobKind } from '../jobs/job-store.ts';
import type { Check } from './doctor-checks.ts';

/** The processes that serve this database. */
export interface InstanceStore {
  /** Says that an instance lives, and forgets those that were not seen since `goneBefore`. */
  noteInstance(instance: Instance, goneBefore: number): Promise<void>;

  forgetInstance(instanceId: string): Promise<void>;

  /** Those seen since then, the one that runs longest first; 200 at most. */
  listInstances(seenSince: number): Promise<readonly Instance[]>;
}

/** The work that waits, and the size of the database. */
export interface LoadStore {
  /** Of each kind that has jobs: how many wait and run, and how many of them should have run before `lateBefore`. */
  countJobs(now: number, lateBefore: number): Promise<readonly JobCount[]>;

  /** Streams that have something to tell, those of paused endpoints included; MOST_COUNTED at most. */
  countStreams(): Promise<number>;

  /** How large the database is now. */
  databaseBytes(): Promise<number>;

  /** Keeps how large it is today, and forgets days before `since`. */
  keepSize(day: number, since: number): Promise<void>;

  /** The oldest first. */
  listSizes(): Promise<readonly DaySize[]>;

  /** The budgets of apps at providers that were used lately; 50 at most. */
  listAppBudgets(): Promise<readonly UsedBudget[]>;
}

/** Checks and backups. A change that a person requested is audited. */
export interface UpkeepStore {
  /** Keeps the result of the checks in place of the last one. What a person asked for is audited. */
  keepChecks(checks: KeptChecks): Promise<void>;

  lastChecks(): Promise<KeptChecks | undefined>;

  /** Keeps that a backup was made. What a person asked for is audited. */
  noteBackup(backup: NotedBackup): Promise<void>;

  /** Keeps why the last scheduled one was not, until one is made. */
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
  /** The ids of the master keys that it has; none of a version that does not say. */
  readonly keyIds: readonly string[];
  /** The one that it seals under. */
  readonly keyId: string;
};

/** No more than MOST_COUNTED of a kind are counted of each; `oldest` is when the first late one was due. */
export type JobCount = {
  readonly kind: JobKind;
  readonly waiting: number;
  readonly running: number;
  readonly late: number;
  readonly oldest: number | undefined;
};

/** Beyond so many it is said that there are more. */
export const MOST_COUNTED = 10_000;

/** `day` is its first instant in UTC. */
export type DaySize = { readonly day: number; readonly bytes: number };

/** `app` is the provider and the app's id there; the budget is whole again at `fullAt`. */
export type UsedBudget = { readonly app: string; readonly fullAt: number };

export type NotedBackup = { readonly name: string; readonly bytes: number; readonly at: number };
export type BackupFailure = { readonly at: number; readonly reason: string };
export type LastBackups = {
  /** When the database was created. */
  readonly begunAt: number;
  readonly made: NotedBackup | undefined;
  /** Undefined where one was made since. */
  readonly failure: BackupFailure | undefined;
};

export type KeptChecks = { readonly at: number; readonly checks: readonly Check[] };
