/** The review of an application as operators see it (docs/wire.md 5.3). */
import { logoPath } from '../../branding/branding.ts';
import { registeredUris } from '../../oauth/client.ts';
import { missingForReview } from '../../verification/requirements.ts';
import { submissionOf } from '../../verification/reviews.ts';
import {
  type Activity,
  changedFields,
  REVIEWED_FIELDS,
  type ReviewedField,
  type ReviewedValues,
  type Verification,
} from '../../verification/verification.ts';
import { TEXT_SETTINGS } from './application-settings.ts';
import { type DocumentField, toDocument, toTime, within } from './field.ts';

export type ReviewSubject = {
  readonly verification: Verification;
  readonly url: string;
  readonly activity?: readonly Activity[];
};

/** Renders a status or kind of activity for people. */
export const reviewText = (word: string): string => word.replaceAll('_', ' ');

/** The status, as documents of applications have it too. */
export const REVIEW_STATUS: readonly DocumentField<Verification | undefined>[] = [
  {
    name: 'verified',
    label: 'verified',
    value: (review) => review?.verifiedAt !== undefined,
    text: (review) => (review?.verifiedAt === undefined ? 'off' : `on, since ${toTime(review.verifiedAt)}`),
  },
  { name: 'verified_at', value: (review) => toTime(review?.verifiedAt) },
  {
    name: 'review_status',
    label: 'review',
    value: (review) => review?.status ?? 'not_submitted',
    text: (review) => reviewText(review?.status ?? 'not_submitted'),
  },
];

export const REVIEWED: Readonly<Record<ReviewedField, { readonly name: string; readonly label: string }>> = {
  ...TEXT_SETTINGS,
  logo: { name: 'logo_url', label: 'logo' },
  darkLogo: { name: 'dark_logo_url', label: 'dark logo' },
};

const isUnderReview = ({ verification }: ReviewSubject): boolean => verification.status === 'under_review';

const renderValue = (value: ReviewedValues[ReviewedField], url: string): string | null =>
  typeof value === 'object' ? url + logoPath(value) : (value ?? null);

const toValues = (values: ReviewedValues | undefined, url: string) =>
  values &&
  Object.fromEntries(REVIEWED_FIELDS.map((key) => [REVIEWED[key].name, renderValue(values[key], url)]));

export const ACTIVITY: readonly DocumentField<Activity>[] = [
  { name: 'number', value: ({ number }) => number },
  { name: 'at', value: ({ at }) => toTime(at) },
  { name: 'kind', value: ({ kind }) => kind, text: ({ kind }) => reviewText(kind) },
  { name: 'actor', value: ({ actor }) => actor ?? null, text: ({ actor = '(not known)' }) => actor },
  { name: 'note', value: ({ note }) => note ?? null, text: ({ note = '' }) => inOneLine(note) },
  {
    name: 'fields',
    value: ({ fields }) => fields.map((key) => REVIEWED[key].name),
    text: ({ fields }) => fields.map((key) => REVIEWED[key].label).join(', '),
  },
];

export const REVIEW: readonly DocumentField<ReviewSubject>[] = [
  { name: 'client_id', label: 'client_id', value: ({ verification }) => verification.clientId },
  ...within(REVIEW_STATUS, ({ verification }: ReviewSubject) => verification),
  {
    name: 'submission',
    label: 'submission',
    value: (review) => (isUnderReview(review) ? submissionOf(review.verification) : null),
  },
  {
    name: 'submitted_at',
    label: 'submitted',
    value: (review) => (isUnderReview(review) ? toTime(review.verification.submittedAt) : null),
  },
  {
    name: 'reviewer_note',
    label: 'requested changes',
    value: ({ verification }) => verification.reviewerNote ?? null,
    text: ({ verification: { reviewerNote } }) => reviewerNote && inOneLine(reviewerNote),
  },
  { name: 'redirect_uri', value: ({ verification }) => verification.redirectUri },
  {
    name: 'redirect_uris',
    label: 'redirect URIs',
    value: ({ verification }) => registeredUris(verification),
  },
  {
    name: 'missing',
    value: ({ verification }) => missingForReview(verification).map(({ sentence }) => sentence),
  },
  { name: 'present', value: ({ verification, url }) => toValues(verification.present, url) },
  { name: 'approved', value: ({ verification, url }) => toValues(verification.approved, url) ?? null },
  { name: 'activity', value: ({ activity }) => activity?.map((entry) => toDocument(ACTIVITY, entry)) },
];

/** The reviewed values in text. A value that users see differently names both. */
export const REVIEWED_LINES: readonly DocumentField<ReviewSubject>[] = REVIEWED_FIELDS.map((key) => ({
  ...REVIEWED[key],
  value: ({ verification, url }) => renderValue(verification.present[key], url),
  text({ verification: { present, approved }, url }) {
    const hasChanged = approved !== undefined && changedFields(present, approved).includes(key);
    const seen = hasChanged ? `; users see ${renderValue(approved[key], url) ?? '(none)'}` : '';
    return `${renderValue(present[key], url) ?? '(none)'}${seen}`;
  },
}));

/** Joins the lines of a note: one of them could pass for a line of the table. */
const inOneLine = (note: string): string => note.replace(/\s*\n\s*/g, ' / ');
