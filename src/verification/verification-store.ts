import type { ChangeTerms } from '../audit/audit-entry.ts';
import type { ReviewStep } from './review-states.ts';
import type { Activity, Verification } from './verification.ts';

/** A step of a review. The activity log names the caller. */
export type ReviewEntry = ChangeTerms & {
  readonly clientId: string;
  readonly step: ReviewStep;
  readonly note: string | undefined;
};

/** A page of an activity log. `before` is the number of the last entry of the previous page. */
export type ActivityPage = { readonly before?: number | undefined; readonly limit: number };

/** Stores verifications. Changes in ClientStore and BrandingStore make the step `edit` in their own transaction. */
export interface VerificationStore {
  /** Returns `undefined` if the application does not exist. */
  findVerification(clientId: string): Promise<Verification | undefined>;

  /**
   * Makes a step in one transaction, serialized with other steps and edits of the application. `check` sees its state.
   * If `check` throws or the step is not possible (`transitionOf`), nothing changes. Approval copies the present values
   * to those that users see; the end of verification deletes the copy. Returns `undefined` if the application does not
   * exist.
   */
  makeStep(
    entry: ReviewEntry,
    check: (verification: Verification) => void,
  ): Promise<{ readonly verification: Verification; readonly isMade: boolean } | undefined>;

  /** Lists applications under review, the first submitted first. */
  listUnderReview(): Promise<Verification[]>;

  /** Lists the activity, the newest entry first. */
  listActivity(clientId: string, page: ActivityPage): Promise<Activity[]>;
}
