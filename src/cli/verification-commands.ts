/** `kalends client verification …`: the review of the values that applications show to users. */
import { toDocument, toRows, toTable } from '../administration/documents/field.ts';
import { ACTIVITY, REVIEW, REVIEWED_LINES, type ReviewSubject } from '../administration/documents/review.ts';
import { missingForReview } from '../verification/requirements.ts';
import {
  approveSubmission,
  cancelReview,
  type DecisionInput,
  type ReviewDeps,
  requestChanges,
  submissionOf,
  submitForReview,
  withdrawVerification,
} from '../verification/reviews.ts';
import type { Verification } from '../verification/verification.ts';
import { CLIENT_ID, unknownClient } from './client-commands.ts';
import type { Command, CommandOption, Input, Storage } from './command.ts';
import { tabulate } from './help.ts';
import { listResult, text } from './option-values.ts';

const ENTRIES_SHOWN = 50;

const NOTE: CommandOption = { name: 'note', value: 'TEXT', doc: 'A note for the activity log.' };
const SUBMISSION: CommandOption = {
  name: 'submission',
  value: 'ID',
  doc: 'The id of the submission that you reviewed, see `client verification show`. The command fails if another one is under review.',
};

const show: Command = {
  name: 'client verification show',
  summary: 'Show the review of an application, its submission and its activity',
  positionals: [CLIENT_ID],
  run: ({ positionals }, { withStorage }) =>
    withStorage(async ({ verification: reviews, addresses }) => {
      const verification = await findReview(positionals, reviews);
      const activity = await reviews.listActivity(verification.clientId, { limit: ENTRIES_SHOWN });
      const review = { verification, url: (await addresses()).url };
      const missing = missingForReview(verification).map(({ sentence }) => sentence);
      const canSubmit = ['not_submitted', 'changes_requested'].includes(verification.status);
      const parts = [
        reviewText(review),
        ...(canSubmit && missing.length > 0
          ? [['Before it can be submitted:', ...missing.map((sentence) => `  ${sentence}`)].join('\n')]
          : []),
        ...(activity.length > 0
          ? [tabulate(toTable(ACTIVITY, ['at', 'kind', 'actor', 'note', 'fields'], activity))]
          : []),
      ];
      return { json: toDocument(REVIEW, { ...review, activity }), text: parts.join('\n\n') };
    }),
};

const list: Command = {
  name: 'client verification list',
  summary: 'List the applications under review, earliest submission first',
  run: (_, { withStorage }) =>
    withStorage(async ({ verification: reviews, addresses }) => {
      const { url } = await addresses();
      return listResult({
        name: 'applications',
        fields: REVIEW,
        textFields: REVIEWED_LINES,
        columns: ['client_id', 'submitted_at', 'verified', 'display_name'],
        subjects: (await reviews.listUnderReview()).map((verification) => ({ verification, url })),
        none: 'No application is under review.',
      });
    }),
};

type Step = (input: DecisionInput, deps: ReviewDeps) => Promise<Verification | undefined>;

/** Returns the command of a step. A decision is about the selected submission, by default the current one. */
const stepCommand = (
  name: string,
  step: Step,
  help: Pick<Command, 'summary' | 'options' | 'notes'>,
): Command => ({
  name: `client verification ${name}`,
  positionals: [CLIENT_ID],
  ...help,
  run: ({ positionals, options }, { withStorage, deps: { now } }) =>
    withStorage(async ({ verification, by, addresses }) => {
      const current = await findReview(positionals, verification);
      const { clientId } = current;
      const submission = text(options.submission) ?? submissionOf(current);
      const after = await step({ clientId, submission, note: text(options.note) }, { verification, now, by });
      if (after === undefined) throw unknownClient(clientId);
      const review = { verification: after, url: (await addresses()).url };
      return { json: toDocument(REVIEW, review), text: reviewText(review) };
    }),
});

export const verificationCommands: readonly Command[] = [
  show,
  list,
  stepCommand('submit', submitForReview, {
    summary: 'Submit an application for review',
    options: [NOTE],
    notes: [
      'Requires a display name, an application URL, a public https redirect URI, and a support contact.',
    ],
  }),
  stepCommand('approve', approveSubmission, {
    summary: 'Approve a submission: users see its values from now on',
    options: [SUBMISSION, NOTE],
    notes: ['Without --submission, this approves the current submission and prints it.'],
  }),
  stepCommand('request-changes', requestChanges, {
    summary: 'Reject a submission and request changes',
    options: [{ ...NOTE, doc: 'The requested changes, for the developer.', required: true }, SUBMISSION],
  }),
  stepCommand('cancel', cancelReview, { summary: 'Cancel a submission', options: [NOTE] }),
  stepCommand('withdraw', withdrawVerification, {
    summary: 'Withdraw the verification of an application',
    options: [{ ...NOTE, doc: 'The reason, for the developer.', required: true }],
    notes: [
      'Users see the current values and a notice that the application is not verified. A review in progress continues.',
    ],
  }),
];

const reviewText = (review: ReviewSubject): string =>
  tabulate(toRows([...REVIEW, ...REVIEWED_LINES], review));

async function findReview(
  { CLIENT_ID: clientId = '' }: Input['positionals'],
  reviews: Storage['verification'],
): Promise<Verification> {
  const verification = await reviews.findVerification(clientId);
  if (verification === undefined) throw unknownClient(clientId);
  return verification;
}
