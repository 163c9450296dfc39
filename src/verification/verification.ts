/**
 * Which values of an application the operator reviews, and how far that is (docs/wire.md 5.3). Users of a verified
 * application see what was approved, whatever the application has set since.
 */
import type { Logo } from '../branding/branding.ts';

export const REVIEW_STATUSES = ['not_submitted', 'under_review', 'approved', 'changes_requested'] as const;

/** How far the review of what an application has set is. */
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

/** The values that are reviewed. All others act at once. */
export type ReviewedValues = {
  readonly displayName: string | undefined;
  /** An absolute https address, as the support URL. */
  readonly applicationUrl: string | undefined;
  readonly supportEmail: string | undefined;
  readonly supportUrl: string | undefined;
  readonly logo: Logo | undefined;
  readonly darkLogo: Logo | undefined;
};

export type ReviewedField = keyof ReviewedValues;

/** In the order in which they are shown. */
export const REVIEWED_FIELDS: readonly ReviewedField[] = [
  'displayName',
  'applicationUrl',
  'supportEmail',
  'supportUrl',
  'logo',
  'darkLogo',
];

/** The verification of one application. Instants are epoch milliseconds. */
export type Verification = {
  readonly clientId: string;
  readonly status: ReviewStatus;
  /** When it was last submitted. */
  readonly submittedAt: number | undefined;
  /** What the reviewer asks for, while changes are requested. */
  readonly reviewerNote: string | undefined;
  /** When `approved` was approved; `undefined` for an application that is not verified. */
  readonly verifiedAt: number | undefined;
  /** What the application has set. */
  readonly present: ReviewedValues;
  /** What users see while it is verified; `undefined` while it is not. */
  readonly approved: ReviewedValues | undefined;
  /** Has to be fit for the public too, but is not reviewed: changing it acts at once. */
  readonly redirectUri: string;
};

export const ACTIVITY_KINDS = [
  'submitted',
  'approved',
  'changes_requested',
  'cancelled',
  'edited',
  'withdrawn',
] as const;

/** What was done. `edited`: a value that had been approved was changed. */
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** An entry in the activity log of an application. */
export type Activity = {
  /** From 1 on, by application. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Who did it; `undefined` where it is not known. */
  readonly actor: string | undefined;
  readonly kind: ActivityKind;
  readonly note: string | undefined;
  /** The reviewed values that an edit changed. */
  readonly fields: readonly ReviewedField[];
};

/** The reviewed values in which two states of an application differ. */
export function changedFields(before: ReviewedValues, after: ReviewedValues): ReviewedField[] {
  const comparable = (value: string | Logo | undefined) => (typeof value === 'object' ? value.hash : value);
  return REVIEWED_FIELDS.filter((field) => comparable(before[field]) !== comparable(after[field]));
}
