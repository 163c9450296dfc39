/** `kalends client verification …`: the review of the values that applications show to users. */
import { toDocument, toRows, toTable } from '../administration/documents/field.ts';
import { ACTIVITY, REVIEW, REVIEWED_LINES, type ReviewSubject } from '../administration/documents/review.ts';
import { missingForReview } from '../verification/requirements.ts';
import {
  approveSubmission,
  cancelReview,
  type DecisionInput,
  type ReviewDeps,
  type ReviewInput,
  requestChanges,
  submissionOf,
  submitForReview,
  withdrawVerification,
} from '../verification/reviews.ts';
import type { Verification } from '../verification/verification.ts';
import { CLIENT_ID, unknownClient } from './client-commands.ts';
import type { Command, CommandOption, Context, Input, Result, Storage } from './command.ts';
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
  run: ({ positionals }, { config, withStorage }) =>
    withStorage(async ({ verification: reviews }) => {
      const verification = await findReview(positionals, reviews);
      const activity = await reviews.listActivity(verification.clientId, { limit: ENTRIES_SHOWN });
      const { url } = config();
      const missing = missingForReview(verification).map(({ sentence }) => sentence);
      const canSubmit = ['not_submitted', 'changes_requested'].includes(verification.status);
      const parts = [
        reviewText({ verification, url }),
        ...(canSubmit && missing.length > 0
          ? [['Before it can be submitted:', ...missing.map((sentence) => `  ${sentence}`)].join('\n')]
          : []),
        ...(activity.length > 0
          ? [tabulate(toTable(ACTIVITY, ['at', 'kind', 'actor', 'note', 'fields'], activity))]
          : []),
      ];
      return { json: toDocument(REVIEW, { verification, url, activity }), text: parts.join('\n\n') };
    }),
};

const list: Command = {
  name: 'client verification list',
  summary: 'List the applications under review, earliest submission first',
  run: (_, { config, withStorage }) =>
    withStorage(async ({ verification: reviews }) => {
      const all = await reviews.listUnderReview();
      return listResult({
        name: 'applications',
        fields: REVIEW,
        textFields: REVIEWED_LINES,
        columns: ['client_id', 'submitted_at', 'verified', 'display_name'],
        subjects: all.map((verification) => ({ verification, url: config().url })),
        none: 'No application is under review.',
      });
    }),
};

type Step = (input: ReviewInput, deps: ReviewDeps) => Promise<Verification | undefined>;
type Decision = (input: DecisionInput, deps: ReviewDeps) => Promise<Verification | undefined>;
type Help = Pick<Command, 'summary' | 'options' | 'notes'>;

const stepCommand = (name: string, step: Step, help: Help): Command => ({
  name: `client verification ${name}`,
  positionals: [CLIENT_ID],
  ...help,
  run: (input, context) => runStep(input, context, step),
});

const decisionCommand = (name: string, decide: Decision, help: Help): Command => ({
  name: `client verification ${name}`,
  positionals: [CLIENT_ID],
  ...help,
  run: (input, context) => runDecision(input, context, decide),
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
  decisionCommand('approve', approveSubmission, {
    summary: 'Approve a submission: users see its values from now on',
    options: [SUBMISSION, NOTE],
    notes: ['Without --submission, this approves the current submission and prints it.'],
  }),
  decisionCommand('request-changes', requestChanges, {
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

function runStep({ positionals, options }: Input, context: Context, step: Step): Promise<Result> {
  return context.withStorage(async ({ verification, by }) => {
    const { clientId } = await findReview(positionals, verification);
    const after = await step(
      { clientId, note: text(options.note) },
      { verification, now: context.deps.now, by },
    );
    if (after === undefined) throw unknownClient(clientId);
    return reviewResult(after, context);
  });
}

/** Decides on the selected submission; by default on the current one. */
function runDecision({ positionals, options }: Input, context: Context, decide: Decision): Promise<Result> {
  return context.withStorage(async ({ verification, by }) => {
    const current = await findReview(positionals, verification);
    const { clientId } = current;
    const submission = text(options.submission) ?? submissionOf(current);
    const input = { clientId, submission, note: text(options.note) };
    const after = await decide(input, { verification, now: context.deps.now, by });
    if (after === undefined) throw unknownClient(clientId);
    return reviewResult(after, context);
  });
}

function reviewResult(verification: Verification, { config }: Context): Result {
  const review = { verification, url: config().url };
  return { json: toDocument(REVIEW, review), text: reviewText(review) };
}

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
