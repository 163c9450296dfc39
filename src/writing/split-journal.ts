/** Stores series that are being split, so that a crash between two steps loses neither half. */

/** The progress of a split. Each step can be repeated. */
export type SplitStep =
  /** The new series may already exist. */
  | 'planned'
  /** The new series is complete; the old one may already be trimmed. */
  | 'created'
  /** The old series has ended. The new one's attendees may be uninvited. */
  | 'inviting'
  /** Given up: the new series must be deleted. */
  | 'undoing';

export type OpenSplit = {
  readonly splitId: string;
  readonly calendarKey: string;
  readonly step: SplitStep;
  /** JSON: see split-plan.ts. */
  readonly plan: string;
};

export interface SplitJournal {
  /** Stores the split and a job at `resumeAt`, in case this process does not finish it. Durable on return. */
  openSplit(split: OpenSplit, now: number, resumeAt: number): Promise<void>;
  /** Stores the next step and the data of the following ones. */
  noteStep(splitId: string, step: SplitStep, plan: string): Promise<void>;
  /** Deletes a finished or undone split. */
  closeSplit(splitId: string): Promise<void>;
  /** Lists the calendar's open splits, the oldest first. */
  openSplits(calendarKey: string): Promise<OpenSplit[]>;
}
