/** The operations on the review of an application. */
import { text } from '../../http/fields.ts';
import { PeopleRefusal } from '../../people/people-refusal.ts';
import { mustBeAllowed } from '../../people/permission.ts';
import { REVIEWS, submissionOf, verifyNow } from '../../verification/reviews.ts';
import { toDocument } from '../documents/field.ts';
import { REVIEW, type ReviewSubject } from '../documents/review.ts';
import { makeReviewStep, REVIEW_STEPS, type ReviewStepName, readReview, waitingReviews } from '../reviews.ts';
import { CLIENT, lists, operation, PAGE, toPage } from './operation.ts';

const GROUP = 'Reviews';
const PATH = '/applications/{client_id}/verification';
const ENTRIES = 50;
const NAMES = REVIEW.map(({ name }) => name);

export const listReviews = operation({
  ...{ id: 'listReviews', method: 'get', path: '/reviews', group: GROUP },
  summary: 'List the applications under review, earliest submission first',
  permission: 'verification.review',
  ...{ pathFields: {}, fields: PAGE, command: 'client verification list' },
  ...lists('applications', REVIEW),
  async run(page, deps) {
    const waiting = await waitingReviews(deps.actor, deps);
    const { subjects, next } = toPage(waiting, ({ clientId }) => clientId, page);
    const { url } = await deps.addresses();
    return { subjects: subjects.map((verification) => ({ verification, url })), next };
  },
});

export const showReview = operation({
  ...{ id: 'showReview', method: 'get', path: PATH, group: GROUP },
  summary: 'Show the review of an application, its submission and its activity',
  permission: 'application.read',
  ...{ pathFields: CLIENT, fields: {}, command: 'client verification show', result: NAMES },
  async run({ client_id: clientId }, deps) {
    const { verification, activity } = await readReview(deps.actor, { clientId, limit: ENTRIES }, deps);
    return { verification, activity, url: (await deps.addresses()).url };
  },
  toDocument: (review) => toDocument(REVIEW, review),
});

type Step = { readonly id: string; readonly summary: string };

const NOTE = text({
  ...{ max: 10_000, allowsControls: true },
  doc: 'A note for the activity log, at most 2,000 characters.',
});
const SUBMISSION = text({
  max: 100,
  doc: 'The `submission` that was reviewed, the present one by default. The operation fails if another one is under review.',
});

/** Returns the operation of a step. A decision is about a submission. */
const stepOperation = (
  step: ReviewStepName,
  { id, summary }: Step,
  decision: { readonly submission?: typeof SUBMISSION } = {},
) =>
  operation({
    ...{ id, method: 'post', path: `${PATH}/${step}`, group: GROUP, summary },
    permission: REVIEW_STEPS[step].needs,
    errors: Object.values(REVIEWS),
    ...{ pathFields: CLIENT, fields: { note: NOTE, ...decision }, result: NAMES },
    command: `client verification ${step}`,
    async run({ client_id: clientId, note, ...given }, deps): Promise<ReviewSubject> {
      const { verification: current } = await readReview(deps.actor, { clientId, limit: 0 }, deps);
      const submission = given.submission ?? submissionOf(current);
      const verification = await makeReviewStep(deps.actor, { step, clientId, note, submission }, deps);
      return { verification, url: (await deps.addresses()).url };
    },
    toDocument: (review) => toDocument(REVIEW, review),
  });

export const REVIEW_STEP_OPERATIONS = {
  submit: stepOperation('submit', { id: 'submitForReview', summary: 'Submit an application for review' }),
  cancel: stepOperation('cancel', { id: 'cancelReview', summary: 'Cancel a submission' }),
  approve: stepOperation(
    'approve',
    { id: 'approveSubmission', summary: 'Approve a submission: users see its values from now on' },
    { submission: SUBMISSION },
  ),
  'request-changes': stepOperation(
    'request-changes',
    { id: 'requestChanges', summary: 'Reject a submission and request changes, with a note' },
    { submission: SUBMISSION },
  ),
  withdraw: stepOperation('withdraw', {
    id: 'withdrawVerification',
    summary: 'Withdraw a verification, with a note',
  }),
};

export const verifyApplication = operation({
  ...{ id: 'verifyApplication', method: 'post', path: `${PATH}/verify`, group: GROUP },
  summary: 'Approve the present values of an application without a submission',
  ...{ permission: 'verification.review', pathFields: CLIENT, fields: { note: NOTE }, result: NAMES },
  ...{ errors: [REVIEWS.invalid_note], command: 'client update' },
  async run({ client_id: clientId, note }, deps): Promise<ReviewSubject> {
    await readReview(deps.actor, { clientId, limit: 0 }, deps);
    mustBeAllowed(deps.actor, 'verification.review');
    const verification = await verifyNow({ clientId, note }, deps);
    if (verification === undefined) throw new PeopleRefusal('not_there');
    return { verification, url: (await deps.addresses()).url };
  },
  toDocument: (review) => toDocument(REVIEW, review),
});

export const REVIEW_OPERATIONS = [
  ...[showReview, ...Object.values(REVIEW_STEP_OPERATIONS), verifyApplication, listReviews],
];
