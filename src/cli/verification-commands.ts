/** `kalends client verification …`: the review of what applications tell their users of themselves. */
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
import { text } from './option-values.ts';
import { tabulate } from './table.ts';

const ENTRIES_SHOWN = 50;

const NOTE: CommandOption = { name: 'note', value: 'TEXT', doc: 'Kept in the activity log.' };
const SUBMISSION: CommandOption = {
  name: 'submission',
  value: 'ID',
  doc: 'What you looked at, as `client verification show` names it: refused when it is not what is under review any more.',
};

const show: Command = {
  name: 'client verification show',
  summary: 'Show how far the review of an application is, what is reviewed, and what was done',
  positionals: [CLIENT_ID],
  options: [],
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
  summary: 'List the applications that are under review, the one submitted first at the beginning',
  positionals: [],
  options: [],
  run: (_, { config, withStorage }) =>
    withStorage(async ({ verification: reviews }) => {
      const all = await reviews.listUnderReview();
      const listed = all.map((verification) => ({ verification, url: config().url }));
      const fields = [...REVIEW, ...REVIEWED_LINES];
      const table = toTable(fields, ['client_id', 'submitted_at', 'verified', 'display_name'], listed);
      return {
        json: { applications: listed.map((one) => toDocument(REVIEW, one)) },
        text: all.length === 0 ? 'No application is under review.' : tabulate(table),
      };
    }),
};

type Step = (input: ReviewInput, deps: ReviewDeps) => Promise<Verification | undefined>;

const submit: Command = {
  name: 'client verification submit',
  summary: 'Submit an application for review',
  positionals: [CLIENT_ID],
  options: [NOTE],
  notes: ['It needs a display name, an application URL, a public https redirect URI, and a support contact.'],
  run: (input, context) => runStep(input, context, submitForReview),
};

const cancel: Command = {
  name: 'client verification cancel',
  summary: 'Take a submission back',
  positionals: [CLIENT_ID],
  options: [NOTE],
  run: (input, context) => runStep(input, context, cancelReview),
};

const approve: Command = {
  name: 'client verification approve',
  summary: 'Approve what an application has submitted: its users see it from now on',
  positionals: [CLIENT_ID],
  options: [SUBMISSION, NOTE],
  notes: ['Without --submission, what is under review at this moment is approved, and shown.'],
  run: (input, context) => runDecision(input, context, approveSubmission),
};

const request: Command = {
  name: 'client verification request-changes',
  summary: 'Hand a submission back, with what has to change',
  positionals: [CLIENT_ID],
  options: [{ ...NOTE, doc: 'What has to change, for its developer.', required: true }, SUBMISSION],
  run: (input, context) => runDecision(input, context, requestChanges),
};

const withdraw: Command = {
  name: 'client verification withdraw',
  summary: 'Make an application one that is not verified',
  positionals: [CLIENT_ID],
  options: [{ ...NOTE, doc: 'Why, for its developer.', required: true }],
  notes: [
    'Its users see what it has set, and the notice that it is not verified. A review under way goes on.',
  ],
  run: (input, context) => runStep(input, context, withdrawVerification),
};

export const verificationCommands: readonly Command[] = [
  show,
  list,
  submit,
  approve,
  request,
  cancel,
  withdraw,
];

function runStep({ positionals, options }: Input, context: Context, step: Step): Promise<Result> {
  return context.withStorage(async ({ verification }) => {
    const { clientId } = await findReview(positionals, verification);
    const after = await step({ clientId, note: text(options.note) }, { verification, now: context.deps.now });
    if (after === undefined) throw unknownClient(clientId);
    return shownAfter(after, context);
  });
}

type Decision = (input: DecisionInput, deps: ReviewDeps) => Promise<Verification | undefined>;

/** On the submission that is named, else on the one there is. */
function runDecision({ positionals, options }: Input, context: Context, decide: Decision): Promise<Result> {
  return context.withStorage(async ({ verification }) => {
    const current = await findReview(positionals, verification);
    const { clientId } = current;
    const submission = text(options.submission) ?? submissionOf(current);
    const input = { clientId, submission, note: text(options.note) };
    const after = await decide(input, { verification, now: context.deps.now });
    if (after === undefined) throw unknownClient(clientId);
    return shownAfter(after, context);
  });
}

function shownAfter(verification: Verification, { config }: Context): Result {
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
