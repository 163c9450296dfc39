/** A row of the table: who takes part, and which figures Kalends must reach. */
import type { DurablePostgres } from './durable-postgres.ts';
import type { Pace, Subject } from './measure.ts';

export const ROWS = [
  'refresh',
  'exchange',
  'bearer',
  'dpop',
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
  'jobs',
  'costs',
  'instances',
  'sync',
  'memory',
  'start',
] as const;
export type RowName = (typeof ROWS)[number];

/** A required figure, and the one that we aim for. */
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
  /** Replaces the pace's number of connections: 1 if the row measures waiting. */
  readonly connections?: number;
  /** Starts the servers; the row passes whatever it starts to `after`, and the caller stops it. */
  subjects(context: RowContext): Promise<readonly Subject[]>;
};

export type RowContext = {
  /** Removed at the end. */
  readonly folder: string;
  readonly pace: Pace;
  /** Starts PostgreSQL on the first call. */
  postgres(): Promise<DurablePostgres>;
  /** Registers a function that runs when the row is done, the last one first. */
  after(stop: () => Promise<void>): void;
};
