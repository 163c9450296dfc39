/** The verification of an application as commands print it: a document for programs, rows for people. */
import { logoPath } from '../branding/branding.ts';
import { missingForReview } from '../verification/requirements.ts';
import { submissionOf } from '../verification/reviews.ts';
import {
  type Activity,
  changedFields,
  REVIEWED_FIELDS,
  type ReviewedField,
  type ReviewedValues,
  type Verification,
} from '../verification/verification.ts';
import { tabulate } from './table.ts';
import { describeVerification, wordsOf } from './verified-option.ts';

/** What each value is called: in documents, and in rows. */
const NAMES: Readonly<Record<ReviewedField, readonly [string, string]>> = {
  displayName: ['display_name', 'display name'],
  applicationUrl: ['application_url', 'application URL'],
  supportEmail: ['support_email', 'support e-mail'],
  supportUrl: ['support_url', 'support URL'],
  logo: ['logo_url', 'logo'],
  darkLogo: ['dark_logo_url', 'dark logo'],
};

type Shown = { readonly url: string; readonly activity?: readonly Activity[] };

/** The document; `url` is the instance's own. */
export function reviewDocument(verification: Verification, { url, activity }: Shown) {
  const { clientId, status, submittedAt, reviewerNote, present, approved, redirectUri } = verification;
  const isUnderReview = status === 'under_review';
  return {
    client_id: clientId,
    ...describeVerification(verification).document,
    submission: isUnderReview ? submissionOf(verification) : null,
    submitted_at: isUnderReview ? instantOf(submittedAt) : null,
    reviewer_note: reviewerNote ?? null,
    redirect_uri: redirectUri,
    missing: missingForReview(verification).map(({ sentence }) => sentence),
    present: valuesDocument(present, url),
    approved: approved === undefined ? null : valuesDocument(approved, url),
    ...(activity && { activity: activity.map(activityDocument) }),
  };
}

/** The same for people: what users see stands beside what is set where the two differ. */
export function describeReview(verification: Verification, url: string): string {
  const { clientId, status, submittedAt, reviewerNote, present, approved, redirectUri } = verification;
  const isUnderReview = status === 'under_review';
  const changed = approved === undefined ? [] : changedFields(present, approved);
  const values = REVIEWED_FIELDS.map((field) => {
    const now = textOf(present[field], url);
    const shown = changed.includes(field) ? `; users see ${textOf(approved?.[field], url)}` : '';
    return [NAMES[field][1], now + shown];
  });
  const submission = [
    ['submitted', instantOf(submittedAt) ?? ''],
    ['submission', submissionOf(verification)],
  ];
  return tabulate([
    ['client_id', clientId],
    ...describeVerification(verification).rows,
    ...(isUnderReview ? submission : []),
    ...(reviewerNote === undefined ? [] : [['to be changed', inOneLine(reviewerNote)]]),
    ...values,
    ['redirect URI', redirectUri],
  ]);
}

/** The log for people, with a head. */
export const activityRows = (activity: readonly Activity[]): string[][] => [
  ['AT', 'WHAT', 'WHO', 'NOTE'],
  ...activity.map(({ at, kind, actor, note, fields }) => [
    new Date(at).toISOString(),
    wordsOf(kind),
    actor ?? '(not known)',
    [inOneLine(note ?? ''), fields.map((field) => NAMES[field][1]).join(', ')]
      .filter((part) => part !== '')
      .join('; '),
  ]),
];

/** A line of a note could pass for a row of its own. */
const inOneLine = (note: string): string => note.replace(/\s*\n\s*/g, ' / ');

const activityDocument = ({ number, at, kind, actor, note, fields }: Activity) => ({
  number,
  at: instantOf(at),
  kind,
  actor: actor ?? null,
  note: note ?? null,
  fields: fields.map((field) => NAMES[field][0]),
});

function valuesDocument(values: ReviewedValues, url: string): Record<string, string | null> {
  const addressOf = (value: ReviewedValues[ReviewedField]) =>
    typeof value === 'object' ? url + logoPath(value) : (value ?? null);
  return Object.fromEntries(REVIEWED_FIELDS.map((field) => [NAMES[field][0], addressOf(values[field])]));
}

const textOf = (value: ReviewedValues[ReviewedField], url: string): string =>
  typeof value === 'object' ? url + logoPath(value) : (value ?? '(none)');

const instantOf = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();
