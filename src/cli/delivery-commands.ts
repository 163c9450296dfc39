/** `kalends webhook deliveries|show|replay`: the log of deliveries, and resends. */
import { ATTEMPT, DELIVERY } from '../administration/documents/delivery.ts';
import { toRows, toTable } from '../administration/documents/field.ts';
import { ApiError } from '../http/refusal.ts';
import { busyIds } from '../reading/event-text.ts';
import {
  type DeliveriesDeps,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
  showDelivery,
} from '../webhooks/deliveries.ts';
import { CLIENT_ID, requireClient } from './client-commands.ts';
import {
  type Command,
  CommandError,
  type CommandOption,
  type Context,
  type Input,
  type Positional,
  usageError,
} from './command.ts';
import { listResult } from './page-options.ts';
import { tabulate } from './table.ts';

const DELIVERY_ID: Positional = {
  name: 'DELIVERY_ID',
  doc: 'The id of a delivery, see `webhook deliveries`.',
};

const FILTERS: readonly CommandOption[] = [
  { name: 'state', value: 'STATE', doc: 'In this state: pending, delivered, dead or withheld.' },
  { name: 'user', value: 'USER_ID', doc: 'About this user.' },
  { name: 'endpoint', value: 'ENDPOINT_ID', doc: 'To this endpoint.' },
  { name: 'from', value: 'TIME', doc: 'Created at this time or later, such as 2026-11-23T09:00:00Z.' },
  { name: 'to', value: 'TIME', doc: 'Created before this time.' },
];

/** Returns the filter with the names of the REST interface. */
const readFilter = ({ options }: Pick<Input, 'options'>) => ({
  state: options.state,
  userId: options.user,
  endpointId: options.endpoint,
  from: options.from,
  to: options.to,
});

/** Runs `work` on the log of an application. Errors keep the messages of the REST interface. */
function withLog<T>(
  clientId: string,
  { withStorage, deps: { now } }: Context,
  work: (deps: DeliveriesDeps) => Promise<T>,
): Promise<T> {
  return withStorage(async ({ clients, messages, streams, sealer }) => {
    await requireClient(clientId, clients);
    const busyId = busyIds(sealer.derive('paging'));
    return work({ messages, streams, busyId, now }).catch((reason: unknown) => {
      if (!(reason instanceof ApiError)) throw reason;
      throw reason.status === 404
        ? new CommandError('not_found', reason.message)
        : usageError(reason.message);
    });
  });
}

const list: Command = {
  name: 'webhook deliveries',
  summary: 'List the deliveries of an application, newest first',
  positionals: [CLIENT_ID],
  options: [
    ...FILTERS,
    { name: 'limit', value: 'NUMBER', doc: 'The page size, from 1 to 250; 50 by default.' },
  ],
  run: (input, context) =>
    withLog(input.positionals.CLIENT_ID ?? '', context, async (deps) => {
      const query = { ...readFilter(input), pageSize: input.options.limit };
      const { deliveries } = await listDeliveries(input.positionals.CLIENT_ID ?? '', query, deps);
      return listResult({
        name: 'deliveries',
        fields: DELIVERY,
        columns: ['id', 'createdAt', 'state', 'attempts', 'userId', 'calendarId'],
        subjects: deliveries,
        none: 'There are no such deliveries. Deliveries are stored for 30 days.',
      });
    }),
};

const show: Command = {
  name: 'webhook show',
  summary: 'Show one delivery with its attempts and its body',
  positionals: [CLIENT_ID, DELIVERY_ID],
  run: ({ positionals: { CLIENT_ID: clientId = '', DELIVERY_ID: id = '' } }, context) =>
    withLog(clientId, context, async (deps) => {
      const delivery = await showDelivery(clientId, id, deps);
      const { attemptLog, body } = delivery;
      const columns = ATTEMPT.map(({ name }) => name);
      const parts = [
        tabulate(toRows(DELIVERY, delivery)),
        tabulate(toTable(ATTEMPT, columns, attemptLog)),
        body === null
          ? 'The body is hidden: no active grant covers its account.'
          : JSON.stringify(body, null, 2),
      ];
      return { json: delivery, text: parts.join('\n\n') };
    }),
};

const replay: Command = {
  name: 'webhook replay',
  summary: 'Resend one delivery, or all deliveries of a period',
  positionals: [CLIENT_ID, { ...DELIVERY_ID, optional: true }],
  options: FILTERS,
  notes: [
    'A resend has the same body and id, if a grant still covers the account. A running server sends it within a second and logs it as another attempt. Without a DELIVERY_ID, --from and --to are required; one call resends at most 10,000, oldest first.',
  ],
  run: (input, context) => {
    const { CLIENT_ID: clientId = '', DELIVERY_ID: id } = input.positionals;
    return withLog(clientId, context, async (deps) => {
      if (id !== undefined) {
        await replayDelivery(clientId, id, deps);
        return { json: { count: 1, more: false }, text: `${id} will be sent again.` };
      }
      const { count, more } = await replayDeliveries(clientId, readFilter(input), deps);
      const rest = more ? ' There are more: repeat the command when these have been sent.' : '';
      return { json: { count, more }, text: `${count} deliveries will be sent again.${rest}` };
    });
  },
};

export const deliveryCommands: readonly Command[] = [list, show, replay];
