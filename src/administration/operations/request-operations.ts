/** The operations on the log of requests. */
import { parsedText, refuseMistakes, required, text } from '../../http/fields.ts';
import { PeopleRefusal } from '../../people/people-refusal.ts';
import type { RequestEntry } from '../../request-log/request-entry.ts';
import { parseStatus } from '../../request-log/request-filter.ts';
import type { RequestPlace } from '../../request-log/request-log.ts';
import { time } from '../../webhooks/deliveries.ts';
import { readApplication } from '../applications.ts';
import { toDocument } from '../documents/field.ts';
import { REQUEST } from '../documents/request.ts';
import { readableClientIds } from '../users.ts';
import { lists, operation, PAGE, readPage } from './operation.ts';

const GROUP = 'Requests';
const MOST_CHARACTERS = 512;
const filter = (doc: string, example?: string) => text({ max: MOST_CHARACTERS, doc, example });
const REQUEST_ID = filter('The request whose response had this X-Request-Id.', 'req-1');

export const listRequests = operation({
  ...{ id: 'listRequests', method: 'get', path: '/requests', group: GROUP },
  summary: 'List requests of applications, newest first: errors and a sample of successes',
  description: '`user_id` needs `client_id`.',
  permission: 'request.list',
  pathFields: {},
  fields: {
    client_id: filter('By this application; by all that the key may read by default.'),
    user_id: filter('For this user of the application.'),
    status: parsedText(parseStatus, {
      doc: 'With this status, such as `429`, of this class, such as `4xx`, or `errors`.',
      schema: { pattern: '^(errors|all|[1-5]xx|[1-5]\\d\\d)$' },
      problem: 'must be a status such as 429, a class such as 4xx, or errors',
    }),
    route: filter('To this route, such as `/events/:id`.'),
    request_id: REQUEST_ID,
    from: time('At this time or later.', '2026-11-22T00:00:00Z'),
    to: time('Before this time.', '2026-11-23T00:00:00Z'),
    ...PAGE,
  },
  ...{ command: 'requests list', ...lists('requests', REQUEST) },
  async run({ client_id: clientId, user_id: userId, request_id: requestId, ...sent }, deps) {
    const { status, limit, after, ...others } = sent;
    if (clientId !== undefined) await readApplication(deps.actor, clientId, deps);
    else if (userId !== undefined)
      refuseMistakes([{ field: 'client_id', problem: 'is missing: user ids belong to an application' }]);
    const clientIds = clientId === undefined ? await readableClientIds(deps.actor, deps) : [clientId];
    const user = userId === undefined ? undefined : await deps.requestLog.userOf(clientId ?? '', userId);
    // A user without requests has no name in the log.
    if (userId !== undefined && user === undefined) return { subjects: [], next: null };
    const selected = { ...others, ...status, requestId, clientIds, user };
    const list = {
      list: 'requests',
      read: (page: { after: RequestPlace | undefined; limit: number }) =>
        deps.requestLog.listRequests(selected, page),
      toPosition: ({ at, requestId: id }: RequestEntry): RequestPlace => ({ at, requestId: id }),
    };
    return readPage({ limit, after }, list, deps);
  },
});

export const showRequest = operation({
  ...{ id: 'showRequest', method: 'get', path: '/requests/{request_id}', group: GROUP },
  ...{ summary: 'Show a request of the log', permission: 'request.read' },
  pathFields: { request_id: required(REQUEST_ID) },
  ...{ fields: {}, command: 'requests list', result: REQUEST.map(({ name }) => name) },
  async run({ request_id: requestId }, deps) {
    const clientIds = await readableClientIds(deps.actor, deps);
    const [entry] = await deps.requestLog.listRequests({ requestId, clientIds }, { limit: 1 });
    if (entry === undefined) throw new PeopleRefusal('not_there');
    return entry;
  },
  toDocument: (entry) => toDocument(REQUEST, entry),
});
