/**
 * The steps of a review, and the states that they lead to:
 *
 *   not submitted ──submit──▶ under review ──approve──▶ approved (verified)
 *        ▲  ▲  ◀──cancel, edit──┘    │                      │
 *        │  │                        └─request changes─▶ changes requested ──submit──▶ under review
 *        │  └───────────────edit, withdraw──────────────────┘
 *
 * An edit changes a reviewed value. Being verified is independent of the status: only `withdraw` ends it. `verify` is
 * the operator's approval without a submission.
 */
import type { ActivityKind, ReviewStatus } from './verification.ts';

export type ReviewState = { readonly status: ReviewStatus; readonly isVerified: boolean };

export const REVIEW_STEPS = [
  'submit',
  'cancel',
  'approve',
  'request_changes',
  'edit',
  'verify',
  'withdraw',
] as const;

export type ReviewStep = (typeof REVIEW_STEPS)[number];

/** The result of a step, and its kind in the activity log. */
export type Transition = ReviewState & { readonly kind: ActivityKind };

/** Returns `undefined` if the step is not possible or, for an edit and `verify`, if it changes nothing. */
export function transitionOf({ status, isVerified }: ReviewState, step: ReviewStep): Transition | undefined {
  const isUnderReview = status === 'under_review';
  switch (step) {
    case 'submit':
      if (isUnderReview || status === 'approved') return undefined;
      return { status: 'under_review', isVerified, kind: 'submitted' };
    case 'cancel':
      return isUnderReview ? { status: 'not_submitted', isVerified, kind: 'cancelled' } : undefined;
    case 'approve':
      return isUnderReview ? { status: 'approved', isVerified: true, kind: 'approved' } : undefined;
    case 'request_changes':
      return isUnderReview
        ? { status: 'changes_requested', isVerified, kind: 'changes_requested' }
        : undefined;
    case 'edit':
      if (isUnderReview) return { status: 'not_submitted', isVerified, kind: 'cancelled' };
      return status === 'approved' ? { status: 'not_submitted', isVerified, kind: 'edited' } : undefined;
    case 'verify':
      return status === 'approved' ? undefined : { status: 'approved', isVerified: true, kind: 'approved' };
    case 'withdraw':
      // A running review continues.
      if (!isVerified) return undefined;
      return {
        status: status === 'approved' ? 'not_submitted' : status,
        isVerified: false,
        kind: 'withdrawn',
      };
    default:
      return step satisfies never;
  }
}
