/** The delivery log, and resending all deliveries that match a filter. */

import { readApplication, readableApplications } from '../administration/applications.ts';
import { replayAll, replayOne } from '../administration/delivery.ts';
import { type Html, html } from '../http/html.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { may } from '../people/permission.ts';
import { MOST_REPLAYS, VISIBLE_STATES } from '../webhooks/deliveries.ts';
import {
  countReplay,
  deliveriesPath,
  formatPosition,
  parsePosition,
  planReplay,
  readFilter,
  resentPath,
} from './deliveries.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { filterValues, oneApplication, type Query, utcText } from './log-filter.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { DELIVERIES, deliveriesPage, FILTER_NAMES } from './pages/deliveries.page.ts';
import { addressWith } from './pages/filter-form.page.ts';
import { replayPage } from './pages/replay.page.ts';
import { get, post } from './routes.ts';

const ON_A_PAGE = 35;
const REPLAY = `${DELIVERIES}/:clientId/replay`;

export const deliveriesRoutes = (): DashboardRoute[] => [
  get(DELIVERIES, 'delivery.list', async (visit) => {
    const { person, query, viewer, show, deps } = visit;
    const clients = await readableApplications(person, deps);
    const { filter, problems } = readFilter(person, query, { clients, now: deps.now() });
    const after = parsePosition(query('after'));
    const page = { after, limit: ON_A_PAGE + 1 };
    const matches = problems.length > 0 ? [] : await deps.messages.listMessages(filter, page);
    const deliveries = matches.slice(0, ON_A_PAGE);
    const last = matches.length > ON_A_PAGE ? deliveries.at(-1) : undefined;
    const values = filterValues(FILTER_NAMES, query);
    const application = oneApplication(query, clients);
    const mayReplay = application !== undefined && may(person, 'delivery.replay', application.clientId);
    const replay =
      mayReplay && deliveries.length > 0
        ? addressWith(`${DELIVERIES}/${encodeURIComponent(application.clientId)}/replay`, values)
        : undefined;
    const older = last && deliveriesPath({ ...values, after: formatPosition(last) });
    const back = deliveriesPath({ ...values, after: query('after') });
    const hosts = await deps.audit.findNames(deliveries.map(({ endpointId }) => endpointId));
    const lists = { clients, states: VISIBLE_STATES, deliveries, hosts, older, replay, back };
    const content = deliveriesPage({ ...lists, query, problems, said: renderNotice(query) }, viewer);
    const isLive = after === undefined && problems.length === 0;
    const title = messages.text('deliveries.title');
    return show({ title, content, isLive }, problems.length === 0 ? 200 : 400);
  }),
  post(DELIVERIES, 'delivery.list', async ({ person, field, reply, deps }) => {
    const [clientId = '', messageId = ''] = field('delivery').split(' ');
    await replayOne(person, { clientId, messageId }, deps);
    return goTo(reply, resentPath(field('back')));
  }),
  get(REPLAY, 'delivery.replay', async (visit) => {
    const { person, viewer, query, show, deps } = visit;
    const { client, replay } = await replayIn(visit, query);
    const count = await countReplay(person, replay, deps);
    const fields = { ...filterValues(FILTER_NAMES, query), client: client.clientId };
    const times = { from: utcText(replay.from), to: utcText(replay.to) };
    const parts = { client, count, most: MOST_REPLAYS, replay, fields: { ...fields, ...times } };
    return show({ title: messages.text('replay.title'), content: replayPage(parts, viewer) });
  }),
  post(REPLAY, 'delivery.replay', async (visit) => {
    const { person, field, reply, deps } = visit;
    const { client, replay } = await replayIn(visit, field);
    const count = await replayAll(person, replay, deps);
    const values = filterValues(FILTER_NAMES, field);
    return goTo(reply, deliveriesPath({ ...values, client: client.clientId, replayed: String(count) }));
  }),
];

/** Reads the replay from a form or query. Throws PeopleRefusal if the filter is invalid. */
async function replayIn({ person, parameter, deps }: DashboardVisit, read: Query) {
  const client = await readApplication(person, parameter('clientId'), deps);
  // The guard has checked only the application in the path.
  const query: Query = (name) => (name === 'client' ? client.clientId : read(name));
  const filter = readFilter(person, query, { clients: [client], now: deps.now() });
  if (filter.problems.length > 0) throw new PeopleRefusal('not_there');
  return { client, replay: planReplay(client.clientId, filter, deps) };
}

function renderNotice(query: Query): Html | undefined {
  const count = /^\d{1,6}$/.test(query('replayed')) ? Number(query('replayed')) : undefined;
  if (count === undefined) return undefined;
  return html`${messages.text(count < MOST_REPLAYS ? 'replay.done' : 'replay.done.more', { count })}`;
}
