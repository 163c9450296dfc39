/** `kalends client verification …`: the review of the values that applications show to users. */
import { toRows, toTable } from '../administration/documents/field.ts';
import { ACTIVITY, REVIEW, REVIEWED_LINES, type ReviewSubject } from '../administration/documents/review.ts';
import {
  listReviews,
  REVIEW_STEP_OPERATIONS,
  showReview,
} from '../administration/operations/review-operations.ts';
import type { ReviewStepName } from '../administration/reviews.ts';
import { missingForReview } from '../verification/requirements.ts';
import { CLIENT_ID } from './client-commands.ts';
import type { Command, CommandOption, Input } from './command.ts';
import { tabulate } from './help.ts';
import { listOutput, operationCommand } from './operation-command.ts';
import { text } from './option-values.ts';

const NOTE: CommandOption = { name: 'note', value: 'TEXT', doc: 'A note for the activity log.' };
const SUBMISSION: CommandOption = {
  name: 'submission',
  value: 'ID',
  doc: 'The id of the submission that you reviewed, see `client verification show`. The command fails if another one is under review.',
};

const clientInput = ({ positionals: { CLIENT_ID: clientId = '' } }: Input) => ({ client_id: clientId });

const show = operationCommand({
  name: 'client verification show',
  summary: 'Show the review of an application, its submission and its activity',
  positionals: [CLIENT_ID],
  operation: showReview,
  input: clientInput,
  render(review) {
    const { verification, activity } = review;
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
    return { text: parts.join('\n\n') };
  },
});

const list = operationCommand({
  name: 'client verification list',
  summary: 'List the applications under review, earliest submission first',
  operation: listReviews,
  input: () => ({}),
  render: ({ subjects }) => {
    const columns = ['client_id', 'submitted_at', 'verified', 'display_name'];
    return listOutput(
      [...REVIEW, ...REVIEWED_LINES],
      { columns, none: 'No application is under review.' },
      subjects,
    );
  },
});

/** Returns the command of a step. A decision is about the selected submission, by default the current one. */
const stepCommand = (step: ReviewStepName, help: Pick<Command, 'summary' | 'options' | 'notes'>): Command =>
  operationCommand({
    ...{ name: `client verification ${step}`, positionals: [CLIENT_ID], ...help },
    operation: REVIEW_STEP_OPERATIONS[step],
    input: (parsed) => ({
      ...clientInput(parsed),
      ...{ submission: text(parsed.options.submission), note: text(parsed.options.note) },
    }),
    render: (review) => ({ text: reviewText(review) }),
  });

export const verificationCommands: readonly Command[] = [
  show,
  list,
  stepCommand('submit', {
    summary: 'Submit an application for review',
    options: [NOTE],
    notes: [
      'Requires a display name, an application URL, a public https redirect URI, and a support contact.',
    ],
  }),
  stepCommand('approve', {
    summary: 'Approve a submission: users see its values from now on',
    options: [SUBMISSION, NOTE],
    notes: ['Without --submission, this approves the current submission and prints it.'],
  }),
  stepCommand('request-changes', {
    summary: 'Reject a submission and request changes',
    options: [{ ...NOTE, doc: 'The requested changes, for the developer.', required: true }, SUBMISSION],
  }),
  stepCommand('cancel', { summary: 'Cancel a submission', options: [NOTE] }),
  stepCommand('withdraw', {
    summary: 'Withdraw the verification of an application',
    options: [{ ...NOTE, doc: 'The reason, for the developer.', required: true }],
    notes: [
      'Users see the current values and a notice that the application is not verified. A review in progress continues.',
    ],
  }),
];

const reviewText = (review: ReviewSubject): string =>
  tabulate(toRows([...REVIEW, ...REVIEWED_LINES], review));
