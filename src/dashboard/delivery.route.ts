/** One delivery: its attempts, its body for members who may read it, and resending it. */
import type { FastifyReply } from 'fastify';
import { readApplication } from '../administration/applications.ts';
import { checkReceived, findDelivery, openDelivery, replayOne } from '../administration/delivery.ts';
import { html } from '../http/html.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { isFresh } from '../people/sessions.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { DELIVERIES, deliveryPath, describeChange } from './pages/deliveries.page.ts';
import { type DeliveryParts, deliveryPage } from './pages/delivery.page.ts';
import { get, post } from './routes.ts';

const ONE = `${DELIVERIES}/:clientId/:messageId`;

const namedIn = ({ parameter }: DashboardVisit) => ({
  clientId: parameter('clientId'),
  messageId: parameter('messageId'),
});

async function showDelivery(
  visit: DashboardVisit,
  parts: Pick<DeliveryParts, 'opened' | 'question' | 'said'> = {},
): Promise<FastifyReply> {
  const { person, viewer, show, deps } = visit;
  const names = namedIn(visit);
  const client = await readApplication(person, names.clientId, deps);
  const message = await findDelivery(person, names, deps);
  const url = (await deps.endpoints.findEndpoint(message.endpointId))?.url;
  const content = deliveryPage({ client, message, url, ...parts }, viewer);
  return show({ title: describeChange(message), content });
}

export const deliveryRoutes = (): DashboardRoute[] => [
  get(ONE, 'delivery.read', (visit) => {
    const isReplayed = visit.query('done') === 'replayed';
    return showDelivery(visit, isReplayed ? { said: html`${messages.text('delivery.replayed')}` } : {});
  }),
  get(`${ONE}/body`, 'delivery.body', async (visit) => {
    const { isOfTestUser } = await findDelivery(visit.person, namedIn(visit), visit.deps);
    if (!isOfTestUser && !isFresh(visit, visit.deps.now())) throw new PeopleRefusal('not_fresh');
    return showDelivery(visit, { opened: await openDelivery(visit.person, namedIn(visit), visit.deps) });
  }),
  post(`${ONE}/signature`, 'delivery.body', async (visit) => {
    const received = { timestamp: visit.field('timestamp').trim(), line: visit.field('signature').trim() };
    const verdict = await checkReceived(visit.person, { ...namedIn(visit), received }, visit.deps);
    return showDelivery(visit, { question: { ...received, found: verdict } });
  }),
  post(`${ONE}/replay`, 'delivery.replay', async (visit) => {
    await replayOne(visit.person, namedIn(visit), visit.deps);
    return goTo(visit.reply, `${deliveryPath(namedIn(visit))}?done=replayed`);
  }),
];
