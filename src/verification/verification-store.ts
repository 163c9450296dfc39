import type { ReviewStep } from './review-states.ts';
import type { Activity, Verification } from './verification.ts';

/** What is done to a review. `now` is epoch milliseconds. */
export type ReviewEntry = {
  readonly clientId: string;
  readonly step: ReviewStep;
  readonly note: string | undefined;
  readonly now: number;
};

/** A page of an activity log: `before` is the number of the last entry of the page before. */
export type ActivityPage = { readonly before?: number | undefined; readonly limit: number };

/**
 * The verification of applications. Changes of reviewed values in ClientStore and BrandingStore make the step `edit` in
 * their own transaction.
 */
export interface VerificationStore {
  /** `undefined` when there is no such application. */
  findVerification(clientId: string): Promise<Verification | undefined>;

  /**
   * One transaction, in which steps and edits of one application take turns. `check` sees the application as it is then,
   * and what it throws leaves everything as it was; so does a step that cannot be made (`transitionOf`). With a step to
   * `approved`, the present values become what users see; the end of verification forgets those. Answers how it is
   * afterwards and whether the step was made, `undefined` when there is no such application.
   */
  makeStep(
    entry: ReviewEntry,
    check: (verification: Verification) => void,
  ): Promise<{ readonly verification: Verification; readonly isMade: boolean } | undefined>;

  /** Those under review, the one submitted first at the beginning. */
  listUnderReview(): Promise<Verification[]>;

  /** The newest entry first. */
  listActivity(clientId: string, page: ActivityPage): Promise<Activity[]>;
}
