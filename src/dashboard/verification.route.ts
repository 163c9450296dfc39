/** The review of one application, and the list of reviews that wait for a decision. */
import {
  makeReviewStep,
  REVIEW_STEPS,
  type ReviewStepName,
  readReview,
  waitingReviews,
} from '../administration/reviews.ts';
import { apiMessage } from '../http/refusal.ts';
import { showTab } from './application-tab.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { APPLICATIONS, applicationPath } from './pages/applications.page.ts';
import {
  REVIEWS,
  reviewsPage,
  type TypedStep,
  VERIFICATION_DONE,
  VERIFICATION_TAB,
  verificationContent,
} from './pages/verification.page.ts';
import { get, post } from './routes.ts';

const TAB = `${APPLICATIONS}/:clientId${VERIFICATION_TAB}`;

export const verificationRoutes = (): DashboardRoute[] => [
  get(REVIEWS, 'verification.review', async ({ person, show, deps }) => {
    const waiting = await waitingReviews(person, deps);
    return show({ title: messages.text('reviews.title'), content: reviewsPage(waiting) });
  }),
  get(TAB, 'application.read', (visit) => showReview(visit)),
  get(`${TAB}/withdraw`, REVIEW_STEPS.withdraw.needs, (visit) => showReview(visit, { step: 'withdraw' })),
  ...(Object.keys(REVIEW_STEPS) as ReviewStepName[]).map(stepRoute),
];

const stepRoute = (step: ReviewStepName): DashboardRoute =>
  post(`${TAB}/${step}`, REVIEW_STEPS[step].needs, async (visit) => {
    const { person, parameter, field, reply, deps } = visit;
    const clientId = parameter('clientId');
    const note = field('note');
    const input = { step, clientId, note, submission: field('submission') };
    const problem = await makeReviewStep(person, input, deps).catch(apiMessage);
    if (typeof problem !== 'string')
      return goTo(reply, `${applicationPath(clientId)}${VERIFICATION_TAB}?done=${step}`);
    return showReview(visit, { step, note, problem });
  });

async function showReview(visit: DashboardVisit, typed?: TypedStep) {
  const { person, viewer, parameter, query, deps } = visit;
  const before = Number.parseInt(query('before'), 10);
  const page = {
    clientId: parameter('clientId'),
    ...(Number.isSafeInteger(before) && before > 0 && { before }),
  };
  const review = await readReview(person, page, deps);
  const { operatorName } = deps;
  const content = verificationContent({ ...review, operatorName, typed }, viewer);
  const status = typed?.problem === undefined ? 200 : 400;
  return showTab(visit, { tab: VERIFICATION_TAB, content, done: VERIFICATION_DONE, status });
}
