/** The contents of the system pages. Instants are in epoch milliseconds. */
import type { AppKind } from '../../access/provider-apps.ts';
import type { SigningKeyRecord } from '../../oauth/signing-key-store.ts';
import type { Alert, AlertRecipient } from '../../system/alert-store.ts';
import type { Backup } from '../../system/backups.ts';
import type { MasterKeyState } from '../../system/master-key.ts';
import type { RunningProgram } from '../../system/running-program.ts';
import type { BackupFailure, DaySize, Instance, JobCount, KeptChecks } from '../../system/system-store.ts';
import type { WebhookKeyRecord } from '../../webhooks/webhook-key-store.ts';

export type StatusFigures = {
  readonly program: RunningProgram;
  readonly instances: readonly Instance[];
  readonly jobs: readonly JobCount[];
  /** The budgets that are partly used. */
  readonly budgets: readonly AppBudget[];
  /** Undefined until the checks have run once. */
  readonly checks: KeptChecks | undefined;
  /** Open ones first. */
  readonly alerts: readonly Alert[];
  readonly channels: readonly AlertRecipient[];
};

export type DatabaseFigures = {
  readonly program: RunningProgram;
  readonly bytes: number;
  readonly sizes: readonly DaySize[];
  /** Undefined if another tool makes the backups. */
  readonly backups: readonly Backup[] | undefined;
  /** Why the last scheduled backup failed. */
  readonly backupFailure: BackupFailure | undefined;
};

/** The keys, the newest first. */
export type KeyFigures = {
  readonly program: RunningProgram;
  readonly signing: readonly SigningKeyRecord[];
  readonly webhook: readonly WebhookKeyRecord[];
  readonly master: MasterKeyState;
};

/** `share` is what is left, from 0 to 1. */
export type AppBudget = {
  readonly kind: AppKind;
  readonly appId: string;
  readonly share: number;
  readonly fullAt: number;
};
