/** Series that are being split at the provider, so that a crash between two steps leaves neither half undone. */

/** How far a split has come. What a step does is safe to do again. */
export type SplitStep =
  /** The new series may be there already. */
  | 'planned'
  /** The new series is there and whole; the old one may be trimmed already. */
  | 'created'
  /** The old series has ended. The attendees of the new one may not be invited yet. */
  | 'inviting'
  /** Given up: the new series is to go. */
  | 'undoing';

export type OpenSplit = {
  readonly splitId: string;
  readonly calendarKey: string;
  readonly step: SplitStep;
  /** JSON text: see split-plan.ts. */
  readonly plan: string;
};

export interface SplitJournal {
  /** Notes the split, and makes the job that finishes it should this process not, due at `resumeAt`; durable when it answers. */
  openSplit(split: OpenSplit, now: number, resumeAt: number): Promise<void>;
  /** Moves it on, with what was learnt for the steps to come. */
  noteStep(splitId: string, step: SplitStep, plan: string): Promise<void>;
  /** It is done, or undone. */
  closeSplit(splitId: string): Promise<void>;
  /** Those of the calendar that are not, oldest first. */
  openSplits(calendarKey: string): Promise<OpenSplit[]>;
}
