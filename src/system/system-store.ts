import type { Caller } from '../audit/audit-entry.ts';
import type { Addresses } from '../config/stored-addresses.ts';
import type { JobKind } from '../jobs/job-store.ts';
import type { KeptCheck } from './doctor-checks.ts';

/** The processes that serve this database. */
export interface InstanceStore {
  /** Registers a live instance, and deletes those last seen before `goneBefore`. */
  noteInstance(instance: Instance, goneBefore: number): Promise<void>;

  forgetInstance(instanceId: string): Promise<void>;

  /** Lists at most 200 instances seen since then, the longest running first. */
  listInstances(seenSince: number): Promise<readonly Instance[]>;
}

/** Waiting work, and the size of the database. */
export interface LoadStore {
  /** Counts waiting and running jobs by kind, and those that were due before `lateBefore`. */
  countJobs(now: number, lateBefore: number): Promise<readonly JobCount[]>;

  /** Counts at most MOST_COUNTED streams with pending deliveries, including paused endpoints. */
  countStreams(): Promise<number>;

  databaseBytes(): Promise<number>;

  /** Stores today's size and deletes days before `since`. */
  keepSize(day: number, since: number): Promise<void>;

  listSizes(): Promise<readonly DaySize[]>;

  /** Lists at most 50 recently used budgets of provider apps. */
  listAppBudgets(): Promise<readonly UsedBudget[]>;
}

/** Checks, backups and addresses. Changes of `by` are audited. */
export interface UpkeepStore {
  /** Replaces the result of the checks. */
  keepChecks(checks: KeptChecks, by: Caller | undefined): Promise<void>;

  lastChecks(): Promise<KeptChecks | undefined>;

  /** Stores that a backup was created. */
  noteBackup(backup: NotedBackup, by: Caller | undefined): Promise<void>;

  /** Stores the failure of a scheduled backup until one succeeds. */
  noteBackupFailure(failure: BackupFailure): Promise<void>;

  lastBackups(): Promise<LastBackups>;

  /** Stores the addresses of the server that started last. Writes only if they differ. */
  saveAddresses(addresses: Addresses): Promise<void>;

  readAddresses(): Promise<Addresses | undefined>;
}

/** Facts about the program and its database. Instants are epoch milliseconds. */
export type SystemStore = InstanceStore & LoadStore & UpkeepStore;

export type Instance = {
  readonly instanceId: string;
  readonly host: string;
  readonly version: string;
  readonly role: 'all' | 'web' | 'worker';
  readonly startedAt: number;
  readonly seenAt: number;
  /** The ids of the instance's master keys; empty for versions that do not report them. */
  readonly keyIds: readonly string[];
  readonly keyId: string;
};

/** Counts of one kind up to MOST_COUNTED. `oldest` is when the first late job was due. */
export type JobCount = {
  readonly kind: JobKind;
  readonly waiting: number;
  readonly running: number;
  readonly late: number;
  readonly oldest: number | undefined;
};

/** The maximum of a count. Above it, only "more" is reported. */
export const MOST_COUNTED = 10_000;

/** `day` is the day's first instant in UTC. */
export type DaySize = { readonly day: number; readonly bytes: number };

/** `app` is the provider and its app id. The budget is full again at `fullAt`. */
export type UsedBudget = { readonly app: string; readonly fullAt: number };

export type NotedBackup = { readonly name: string; readonly bytes: number; readonly at: number };
export type BackupFailure = { readonly at: number; readonly reason: string };
export type LastBackups = {
  /** The creation of the database. */
  readonly begunAt: number;
  readonly made: NotedBackup | undefined;
  /** Undefined if a later backup succeeded. */
  readonly failure: BackupFailure | undefined;
};

/** `at`: when all checks last ran. */
export type KeptChecks = { readonly at: number; readonly checks: readonly KeptCheck[] };
