/** The review of an application in the dashboard, and who may take which step. The CLI takes the same steps. */
import type { By } from '../audit/audit-entry.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed, type Permission } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import {
  approveSubmission,
  cancelReview,
  type DecisionInput,
  type ReviewDeps,
  requestChanges,
  submitForReview,
  withdrawVerification,
} from '../verification/reviews.ts';
import type { Activity, Verification } from '../verification/verification.ts';
import type { VerificationStore } from '../verification/verification-store.ts';

export type ReviewsDeps = {
  readonly verification: VerificationStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

type Step = {
  readonly needs: Permission;
  readonly make: (input: DecisionInput, deps: ReviewDeps) => Promise<Verification | undefined>;
};

/** The steps: developers submit and cancel; owners decide. */
export const REVIEW_STEPS = {
  submit: { needs: 'application.change', make: submitForReview },
  cancel: { needs: 'application.change', make: cancelReview },
  approve: { needs: 'verification.review', make: approveSubmission },
  'request-changes': { needs: 'verification.review', make: requestChanges },
  withdraw: { needs: 'verification.review', make: withdrawVerification },
} as const satisfies Readonly<Record<string, Step>>;
export type ReviewStepName = keyof typeof REVIEW_STEPS;

/** The entries of the activity, unless another number is given. */
const ENTRIES = 30;

export type Review = {
  readonly verification: Verification;
  /** The newest first. */
  readonly activity: readonly Activity[];
  /** The number of the last entry on the page, if there are older ones. */
  readonly older: number | undefined;
};

/** Returns the state of the review and a page of its activity: entries older than `before`. Throws PeopleRefusal. */
export async function readReview(
  actor: Actor,
  {
    clientId,
    before,
    limit = ENTRIES,
  }: { readonly clientId: string; readonly before?: number | undefined; readonly limit?: number },
  { verification: reviews }: ReviewsDeps,
): Promise<Review> {
  mustBeAllowed(actor, 'application.read', clientId);
  const verification = await reviews.findVerification(clientId);
  if (verification === undefined) throw new PeopleRefusal('not_there');
  const entries = await reviews.listActivity(clientId, { before, limit: limit + 1 });
  const activity = entries.slice(0, limit);
  const older = entries.length > limit ? activity.at(-1)?.number : undefined;
  return { verification, activity, older };
}

/** Returns the applications that wait for a decision, the earliest submission first. Throws PeopleRefusal. */
export async function waitingReviews(
  actor: Actor,
  { verification }: Pick<ReviewsDeps, 'verification'>,
): Promise<Verification[]> {
  mustBeAllowed(actor, 'verification.review');
  return verification.listUnderReview();
}

/** Takes a step of the review. Throws PeopleRefusal, and ApiError if it is not possible. */
export async function makeReviewStep(
  actor: Actor,
  { step, ...input }: DecisionInput & { readonly step: ReviewStepName },
  deps: ReviewsDeps & By,
): Promise<Verification> {
  const { needs, make } = REVIEW_STEPS[step];
  mustBeAllowed(actor, needs, input.clientId);
  const after = await make(input, deps);
  if (after === undefined) throw new PeopleRefusal('not_there');
  return after;
}
