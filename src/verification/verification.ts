/** The reviewed values of an application and the state of their review (docs/wire.md 5.3). */
import type { Logo } from '../branding/branding.ts';

export const REVIEW_STATUSES = ['not_submitted', 'under_review', 'approved', 'changes_requested'] as const;

export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

/** The reviewed values. All others take effect at once. */
export type ReviewedValues = {
  readonly displayName: string | undefined;
  /** An absolute https address, like the support URL. */
  readonly applicationUrl: string | undefined;
  readonly supportEmail: string | undefined;
  readonly supportUrl: string | undefined;
  readonly logo: Logo | undefined;
  readonly darkLogo: Logo | undefined;
};

export type ReviewedField = keyof ReviewedValues;

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
  readonly submittedAt: number | undefined;
  /** The reviewer's request, while changes are requested. */
  readonly reviewerNote: string | undefined;
  /** When `approved` was approved; `undefined` for an application that is not verified. */
  readonly verifiedAt: number | undefined;
  readonly present: ReviewedValues;
  /** The values that users see while it is verified; `undefined` while it is not. */
  readonly approved: ReviewedValues | undefined;
  /** The default has to be public too. Redirect URIs are not reviewed: a change takes effect at once. */
  readonly redirectUri: string;
  readonly furtherRedirectUris: readonly string[];
};

export const ACTIVITY_KINDS = [
  'submitted',
  'approved',
  'changes_requested',
  'cancelled',
  'edited',
  'withdrawn',
] as const;

/** The kind of an activity. `edited`: an approved value was changed. */
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

export type Activity = {
  /** Counts from 1, by application. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The name of the caller; `undefined` if it is not known. */
  readonly actor: string | undefined;
  readonly kind: ActivityKind;
  readonly note: string | undefined;
  readonly fields: readonly ReviewedField[];
};

/** Returns the reviewed values that differ between two states of an application. */
export function changedFields(before: ReviewedValues, after: ReviewedValues): ReviewedField[] {
  const comparable = (value: string | Logo | undefined) => (typeof value === 'object' ? value.hash : value);
  return REVIEWED_FIELDS.filter((field) => comparable(before[field]) !== comparable(after[field]));
}
