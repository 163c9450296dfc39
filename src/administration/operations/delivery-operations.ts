/** The operations on deliveries. Names of users and calendars are masked for keys that may not read them. */
import { type Input, oneOf, refuseMistakes, required, text, thousands } from '../../http/fields.ts';
import { may } from '../../people/permission.ts';
import { busyIds } from '../../reading/event-text.ts';
import {
  DELIVERY_FILTER,
  MOST_REPLAYS,
  renderAttempt,
  renderDelivery,
  showDelivery,
  VISIBLE_STATES,
} from '../../webhooks/deliveries.ts';
import type { LoggedMessage, MessagePlace } from '../../webhooks/message-log.ts';
import { readApplication } from '../applications.ts';
import { checkReceived, findDelivery, replayAll, replayOne } from '../delivery.ts';
import { DELIVERY } from '../documents/delivery.ts';
import { toDocument } from '../documents/field.ts';
import { readableClientIds } from '../users.ts';
import { type AdministrationDeps, CLIENT, lists, operation, PAGE, readPage } from './operation.ts';
import { visibleName } from './user-operations.ts';

const GROUP = 'Deliveries';
const PATH = '/deliveries/{delivery_id}';
const NAMES = DELIVERY.map(({ name }) => name);
const FIELDS = {
  delivery_id: required(text({ max: 100, doc: 'The id of the delivery.', example: 'msg_Zk3nQ0vTx1' })),
};
const OF_CLIENT = {
  client_id: text({ max: 512, doc: 'The application; all that the key may read by default.' }),
};
const FILTER = {
  state: oneOf(VISIBLE_STATES, {
    doc: 'Deliveries in this state. `pending` includes `retrying`, which had an attempt.',
  }),
  user_id: DELIVERY_FILTER.userId,
  provider: DELIVERY_FILTER.provider,
  calendar_id: DELIVERY_FILTER.calendarId,
  endpoint_id: DELIVERY_FILTER.endpointId,
  from: DELIVERY_FILTER.from,
  to: DELIVERY_FILTER.to,
};

/** Returns the filter of the store. Throws ApiError 400 for a period that ends before it starts. */
function toFilter({ from, to, state, provider, ...ids }: Input<typeof FILTER>) {
  refuseMistakes(
    from !== undefined && to !== undefined && from >= to
      ? [{ field: 'to', problem: 'must be after from' }]
      : [],
  );
  const { user_id: userId, calendar_id: calendarId, endpoint_id: endpointId } = ids;
  return { from, to, state, provider, userId, calendarId, endpointId };
}

/** Returns the delivery as the actor may read it. */
function toVisible(message: LoggedMessage, deps: Pick<AdministrationDeps, 'actor'>) {
  const { clientId, userId, calendarId } = message;
  const name = (text: string) => visibleName(text, clientId, deps);
  const names = { userId: name(userId), calendarId: calendarId === undefined ? undefined : name(calendarId) };
  return { ...renderDelivery({ ...message, ...names }), clientId };
}

export const listDeliveriesOperation = operation({
  ...{ id: 'listDeliveries', method: 'get', path: '/deliveries', group: GROUP },
  summary: 'List the deliveries of the last 30 days, newest first',
  description: '`user_id` and `calendar_id` need `client_id`.',
  permission: 'delivery.list',
  pathFields: {},
  fields: { ...OF_CLIENT, ...FILTER, ...PAGE },
  ...{ command: 'webhook deliveries', ...lists('deliveries', DELIVERY) },
  async run({ client_id: clientId, limit, after, ...sent }, deps) {
    const filter = toFilter(sent);
    if (clientId !== undefined) await readApplication(deps.actor, clientId, deps);
    else if ((filter.userId ?? filter.calendarId) !== undefined)
      refuseMistakes([{ field: 'client_id', problem: 'is missing: ids belong to an application' }]);
    const owner = clientId ?? (await readableClientIds(deps.actor, deps));
    const list = {
      list: 'deliveries',
      read: (page: { after: MessagePlace | undefined; limit: number }) =>
        deps.messages.listMessages({ ...filter, clientId: owner }, page),
      toPosition: ({ createdAt, messageId }: LoggedMessage): MessagePlace => ({ createdAt, messageId }),
    };
    const { subjects, next } = await readPage({ limit, after }, list, deps);
    return { subjects: subjects.map((message) => toVisible(message, deps)), next };
  },
});

const SELECTED = { pathFields: FIELDS, fields: OF_CLIENT };

export const showDeliveryOperation = operation({
  ...{ id: 'showDelivery', method: 'get', path: PATH, group: GROUP },
  summary: 'Show a delivery with its attempts, without its body',
  description: '`answer` of an attempt is present for keys that may read bodies.',
  permission: 'delivery.read',
  ...{ ...SELECTED, command: 'webhook show', result: [...NAMES, 'attemptLog'] },
  async run({ client_id: clientId, delivery_id: messageId }, deps) {
    const message = await findDelivery(deps.actor, { clientId, messageId }, deps);
    const mayOpen = may(deps.actor, 'delivery.body', message.clientId);
    const log = message.log.map((attempt) => (mayOpen ? attempt : { ...attempt, answer: undefined }));
    return { ...toVisible(message, deps), attemptLog: log.map(renderAttempt) };
  },
  toDocument: ({ attemptLog, ...delivery }) => ({ ...toDocument(DELIVERY, delivery), attemptLog }),
});

export const openDeliveryOperation = operation({
  ...{ id: 'openDelivery', method: 'get', path: `${PATH}/body`, group: GROUP },
  summary: 'Show a delivery with its attempts and its body',
  description:
    'The audit log records it. `body` is null if no active grant covers its account, and has only what the grants show now.',
  permission: 'delivery.body',
  ...{ ...SELECTED, command: 'webhook show', result: [...NAMES, 'attemptLog', 'body'] },
  async run({ client_id: selected, delivery_id: messageId }, deps) {
    const terms = { needs: 'delivery.body' as const, ...deps };
    const { clientId } = await findDelivery(deps.actor, { clientId: selected, messageId }, terms);
    const busyId = busyIds(deps.sealer.derive('paging'));
    return { ...(await showDelivery(clientId, messageId, { ...deps, busyId })), clientId };
  },
  toDocument: ({ attemptLog, body, ...delivery }) => ({
    ...{ ...toDocument(DELIVERY, delivery), attemptLog, body },
  }),
});

export const checkDeliverySignature = operation({
  ...{ id: 'checkDeliverySignature', method: 'post', path: `${PATH}/signature`, group: GROUP },
  summary: 'Check which key or secret made the signatures that a receiver got',
  description:
    '`by` is the id of the key, `secret` for the secret of the endpoint, or null if none of them made it.',
  permission: 'delivery.body',
  pathFields: FIELDS,
  fields: {
    ...OF_CLIENT,
    timestamp: required(text({ max: 20, doc: 'The received `webhook-timestamp`.', example: '1763208000' })),
    signature: required(
      text({
        max: 4_000,
        doc: 'The received `webhook-signature`.',
        example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      }),
    ),
  },
  ...{ command: undefined, result: ['signatures'] },
  async run({ client_id: selected, delivery_id: messageId, timestamp, signature }, deps) {
    const terms = { needs: 'delivery.body' as const, ...deps };
    const { clientId } = await findDelivery(deps.actor, { clientId: selected, messageId }, terms);
    const received = { timestamp: timestamp.trim(), line: signature };
    const open = {
      ...deps,
      webhookSigner: await deps.openSigner(),
      busyId: busyIds(deps.sealer.derive('paging')),
    };
    return checkReceived(deps.actor, { clientId, messageId, received }, open);
  },
  toDocument: (signatures) => ({
    signatures: signatures.map(({ scheme = null, by = null, ...rest }) => ({ scheme, by, ...rest })),
  }),
});

const REPLAY = {
  method: 'post',
  group: GROUP,
  permission: 'delivery.replay',
  description: 'A resend has the same body and id, if a grant still covers the account.',
  command: 'webhook replay',
  result: ['count', 'more'],
  toDocument: (result: { readonly count: number; readonly more: boolean }) => result,
} as const;

export const replayDeliveryOperation = operation({
  ...{ id: 'replayDelivery', path: `${PATH}/replay`, ...REPLAY, ...SELECTED },
  summary: 'Resend a delivery',
  async run({ client_id: clientId, delivery_id: messageId }, deps) {
    await replayOne(deps.actor, { clientId, messageId }, deps);
    return { count: 1, more: false };
  },
});

export const replayDeliveriesOperation = operation({
  ...{ id: 'replayDeliveries', path: '/deliveries/replay', ...REPLAY, pathFields: {} },
  summary: `Resend the deliveries of a period, at most ${thousands(MOST_REPLAYS)}, oldest first`,
  fields: { ...CLIENT, ...FILTER, from: required(FILTER.from), to: required(FILTER.to) },
  async run({ client_id: clientId, from, to, ...sent }, deps) {
    const filter = toFilter({ from, to, ...sent });
    await readApplication(deps.actor, clientId, deps);
    const count = await replayAll(deps.actor, { ...filter, clientId, from, to }, deps);
    return { count, more: count === MOST_REPLAYS };
  },
});

export const DELIVERY_OPERATIONS = [
  ...[listDeliveriesOperation, showDeliveryOperation, openDeliveryOperation, checkDeliverySignature],
  ...[replayDeliveryOperation, replayDeliveriesOperation],
];
