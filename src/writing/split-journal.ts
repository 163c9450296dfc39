/** Stores series that are being split at the provider, so that a crash between two steps loses neither half. */

/** The progress of a split. A step can be repeated. */
export type SplitStep =
  /** The new series may exist already. */
  | 'planned'
  /** The new series exists completely; the old one may be trimmed already. */
  | 'created'
  /** The old series has ended. The attendees of the new one may not be invited yet. */
  | 'inviting'
  /** Given up: the new series is to be deleted. */
  | 'undoing';

export type OpenSplit = {
  readonly splitId: string;
  readonly calendarKey: string;
  readonly step: SplitStep;
  /** JSON text: see split-plan.ts. */
  readonly plan: string;
};

export interface SplitJournal {
  /**
   * Stores the split, and a job due at `resumeAt` that finishes it if this process does not. Durable when it returns.
   */
  openSplit(split: OpenSplit, now: number, resumeAt: number): Promise<void>;
  /** Stores the next step, with what the following steps need. */
  noteStep(splitId: string, step: SplitStep, plan: string): Promise<void>;
  /** Deletes a split that is finished or undone. */
  closeSplit(splitId: string): Promise<void>;
  /** Lists the open splits of the calendar, the oldest first. */
  openSplits(calendarKey: string): Promise<OpenSplit[]>;
}
