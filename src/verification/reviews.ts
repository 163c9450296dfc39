/** The steps of developers and reviewers in the verification of an application (docs/wire.md 5.3). */
import { hash } from 'node:crypto';

import type { By } from '../audit/audit-entry.ts';
import { ApiError, type ErrorRow, errorTable } from '../http/refusal.ts';
import { missingForReview } from './requirements.ts';
import type { ReviewStep } from './review-states.ts';
import { REVIEWED_FIELDS, type Verification } from './verification.ts';
import type { VerificationStore } from './verification-store.ts';

export const REVIEWS = errorTable({
  not_ready_for_review: {
    status: 409,
    message: 'The application cannot be submitted yet',
    when: 'A value that the review requires is missing. `details` lists the missing fields.',
    fix: 'Set these fields, and submit again.',
  },
  submission_changed: {
    status: 409,
    message: 'The application was changed and submitted again after you opened it: review the new submission',
    when: 'The application was changed and submitted again after the reviewer opened it.',
    fix: 'Review the new submission.',
  },
  already_under_review: {
    status: 409,
    message: 'The application is already under review',
    when: 'The application is already under review.',
    fix: 'Wait for the decision, or cancel the review first.',
  },
  already_approved: {
    status: 409,
    message: 'The current values are already approved',
    when: 'The current values of the application are already approved.',
    fix: 'Nothing to do.',
  },
  not_verified: {
    status: 409,
    message: 'The application is not verified',
    when: 'The application is not verified.',
    fix: 'Check its status first.',
  },
  not_under_review: {
    status: 409,
    message: 'The application is not under review',
    when: 'The application is not under review.',
    fix: 'Check its status first.',
  },
  note_missing: {
    status: 400,
    message: 'A note is required',
    when: 'The note is empty. A note is required to request changes or to withdraw a verification.',
    fix: 'Add a note that says what has to change, or gives the reason.',
  },
  invalid_note: {
    status: 400,
    message: 'A note must not contain control characters',
    when: 'The note has more than 2,000 characters, or it contains control characters.',
    fix: 'Shorten the note, and remove control characters.',
  },
});

export const MOST_NOTE_CHARACTERS = 2000;

/** The activity log names the caller. */
export type ReviewDeps = By & {
  readonly verification: Pick<VerificationStore, 'makeStep'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export type ReviewInput = {
  readonly clientId: string;
  readonly note?: string | undefined;
};

/** The input of a reviewer's decision. `submission` is `submissionOf` the verification that the reviewer saw. */
export type DecisionInput = ReviewInput & { readonly submission: string };

/** Returns a digest of an application's reviewed values. */
export const submissionOf = ({ clientId, present }: Verification): string =>
  hash('sha256', JSON.stringify([clientId, ...REVIEWED_FIELDS.map((field) => present[field] ?? null)]));

/**
 * Submits the present values to the reviewers. Like all steps, returns the verification afterwards, or `undefined` if
 * the application does not exist. Throws ApiError 409 if the step is not possible (`details` lists missing values by
 * field), and 400 for an invalid note.
 */
export const submitForReview = (input: ReviewInput, deps: ReviewDeps): Promise<Verification | undefined> =>
  makeStep({ ...input, step: 'submit' }, deps, (verification) => {
    refuseUnless(verification.status !== 'under_review', REVIEWS.already_under_review);
    refuseUnless(verification.status !== 'approved', REVIEWS.already_approved);
    refuseIncomplete(verification);
  });

export const cancelReview = (input: ReviewInput, deps: ReviewDeps): Promise<Verification | undefined> =>
  makeStep({ ...input, step: 'cancel' }, deps, refuseUnlessUnderReview);

/** Approves a submission: users see its values from now on. Refused if it is not what the reviewer saw. */
export const approveSubmission = (
  input: DecisionInput,
  deps: ReviewDeps,
): Promise<Verification | undefined> =>
  makeStep({ ...input, step: 'approve' }, deps, (verification) => refuseUnlessSubmitted(verification, input));

/** Returns the submission to the developer with a note about the required changes. */
export async function requestChanges(
  input: DecisionInput,
  deps: ReviewDeps,
): Promise<Verification | undefined> {
  refuseWithoutNote(input, 'what has to change');
  return makeStep({ ...input, step: 'request_changes' }, deps, (verification) =>
    refuseUnlessSubmitted(verification, input),
  );
}

/** Ends the verification: users see the present values. The note gives the reason. */
export async function withdrawVerification(
  input: ReviewInput,
  deps: ReviewDeps,
): Promise<Verification | undefined> {
  refuseWithoutNote(input, 'why');
  return makeStep({ ...input, step: 'withdraw' }, deps, ({ verifiedAt }) =>
    refuseUnless(verifiedAt !== undefined, REVIEWS.not_verified),
  );
}

/** Approves the present values for the operator, without a submission. Does nothing if they are approved already. */
export const verifyNow = (input: ReviewInput, deps: ReviewDeps): Promise<Verification | undefined> =>
  makeStep({ ...input, step: 'verify' }, deps, () => undefined);

async function makeStep(
  { clientId, note, step }: ReviewInput & { readonly step: ReviewStep },
  { verification, now, by }: ReviewDeps,
  check: (verification: Verification) => void,
): Promise<Verification | undefined> {
  const entry = { clientId, step, note: readNote(note), now: now(), by };
  return (await verification.makeStep(entry, check))?.verification;
}

function refuseUnlessSubmitted(verification: Verification, { submission }: DecisionInput): void {
  refuseUnlessUnderReview(verification);
  refuseUnless(submissionOf(verification) === submission, REVIEWS.submission_changed);
}

const refuseUnlessUnderReview = ({ status }: Verification): void =>
  refuseUnless(status === 'under_review', REVIEWS.not_under_review);

function refuseUnless(condition: boolean, row: ErrorRow): void {
  if (!condition) throw new ApiError(row);
}

function refuseIncomplete(verification: Verification): void {
  const missing = missingForReview(verification);
  if (missing.length === 0) return;
  throw new ApiError(REVIEWS.not_ready_for_review, {
    message: `The application cannot be submitted yet. ${missing.map(({ sentence }) => sentence).join(' ')}`,
    details: Object.fromEntries(missing.map(({ field, sentence }) => [field, [sentence]])),
  });
}

function refuseWithoutNote({ note }: ReviewInput, what: string): void {
  if (readNote(note) === undefined) throw new ApiError(REVIEWS.note_missing, `Add a note that says ${what}`);
}

/** Returns the note without surrounding space; `undefined` if it is empty. */
function readNote(note: string | undefined): string | undefined {
  const text = note?.replaceAll('\r\n', '\n').trim() ?? '';
  if (text.length > MOST_NOTE_CHARACTERS)
    throw new ApiError(REVIEWS.invalid_note, `A note has at most ${MOST_NOTE_CHARACTERS} characters`);
  // Direction overrides could change how it reads.
  if (/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u.test(text) || !text.isWellFormed())
    throw new ApiError(REVIEWS.invalid_note);
  return text === '' ? undefined : text;
}
