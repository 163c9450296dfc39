/** What a row of the table is: who takes part, and what Kalends must reach beside them. */
import type { DurablePostgres } from './durable-postgres.ts';
import type { Pace, Subject } from './measure.ts';

export const ROWS = [
  'refresh',
  'exchange',
  'bearer',
  'postgres',
  'request-log',
  'metrics',
  'listing',
  'recurrence',
  'pages',
  'webhooks',
  'neighbors',
  'dashboard',
  'growth',
  'instances',
  'sync',
  'memory',
  'start',
] as const;
export type RowName = (typeof ROWS)[number];

/** A figure that is required, and the one we are out for. */
export type Target = { readonly required: number; readonly outFor: number };

/** Kalends' rate over a peer's. */
export type Comparison = Target & {
  readonly ours: string;
  readonly theirs: string;
  /** How the ratio is written: `×` of a peer, or `%` of a bare server. */
  readonly unit: '×' | '%';
};

export type LoadRow = {
  readonly name: RowName;
  readonly title: string;
  readonly comparisons: readonly Comparison[];
  /** In place of the pace's: one, where it is waiting that is measured. */
  readonly connections?: number;
  /** Starts the servers; whatever starts is given to `after`, and stopped by the caller. */
  subjects(context: RowContext): Promise<readonly Subject[]>;
};

export type RowContext = {
  /** Removed at the end. */
  readonly folder: string;
  readonly pace: Pace;
  /** Started when it is first asked for. */
  postgres(): Promise<DurablePostgres>;
  /** What is stopped when the row is done, the last first. */
  after(stop: () => Promise<void>): void;
};
