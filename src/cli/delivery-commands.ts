/** `kalends webhook deliveries|show|replay`: what was told to an application, and sending it again. */
import { ApiError } from '../http/refusal.ts';
import { busyIds } from '../reading/event-text.ts';
import {
  type DeliveriesDeps,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
  showDelivery,
} from '../webhooks/deliveries.ts';
import { CLIENT_ID, unknownClient } from './client-commands.ts';
import {
  type Command,
  CommandError,
  type CommandOption,
  type Context,
  type Input,
  type Positional,
  usageError,
} from './command.ts';
import { tabulate } from './table.ts';

const DELIVERY_ID: Positional = {
  name: 'DELIVERY_ID',
  doc: 'The delivery, as `webhook deliveries` shows it.',
};

const FILTERS: readonly CommandOption[] = [
  { name: 'state', value: 'STATE', doc: 'pending, delivered, dead or withheld.' },
  { name: 'user', value: 'USER_ID', doc: 'Of one user.' },
  { name: 'endpoint', value: 'ENDPOINT_ID', doc: 'To one endpoint.' },
  { name: 'from', value: 'TIME', doc: 'Made at that time or later, such as 2026-11-23T09:00:00Z.' },
  { name: 'to', value: 'TIME', doc: 'Made before.' },
];

/** Under the names that the log of the interface has. */
const filterOf = ({ options }: Pick<Input, 'options'>) => ({
  state: options.state,
  userId: options.user,
  endpointId: options.endpoint,
  from: options.from,
  to: options.to,
});

/** Runs `work` on the log of an application; what the interface refuses is refused here in its words. */
function withLog<T>(
  clientId: string,
  { withStorage, deps: { now } }: Context,
  work: (deps: DeliveriesDeps) => Promise<T>,
): Promise<T> {
  return withStorage(async ({ clients, messages, streams, sealer }) => {
    if ((await clients.findClient(clientId)) === undefined) throw unknownClient(clientId);
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
  summary: 'List the deliveries of an application, the newest first',
  positionals: [CLIENT_ID],
  options: [...FILTERS, { name: 'limit', value: 'NUMBER', doc: 'How many, from 1 to 250; 50 by default.' }],
  run: (input, context) =>
    withLog(input.positionals.CLIENT_ID ?? '', context, async (deps) => {
      const query = { ...filterOf(input), pageSize: input.options.limit };
      const { deliveries } = await listDeliveries(input.positionals.CLIENT_ID ?? '', query, deps);
      const rows = deliveries.map(({ id, createdAt, state, attempts, userId, calendarId = '' }) => {
        return [id, createdAt, state, String(attempts), userId, calendarId];
      });
      const table = tabulate([
        ['DELIVERY_ID', 'CREATED', 'STATE', 'ATTEMPTS', 'USER_ID', 'CALENDAR'],
        ...rows,
      ]);
      const none = 'There are no such deliveries: they are kept for 30 days.';
      return { json: { deliveries }, text: deliveries.length === 0 ? none : table };
    }),
};

const show: Command = {
  name: 'webhook show',
  summary: 'Show one delivery with its attempts and its body',
  positionals: [CLIENT_ID, DELIVERY_ID],
  options: [],
  run: ({ positionals: { CLIENT_ID: clientId = '', DELIVERY_ID: id = '' } }, context) =>
    withLog(clientId, context, async (deps) => {
      const delivery = await showDelivery(clientId, id, deps);
      const { attemptLog, body, ...facts } = delivery;
      const attempts = attemptLog.map(({ number, startedAt, durationMs, status, fault = 'taken' }) => {
        return [String(number), startedAt, `${durationMs} ms`, String(status ?? '-'), fault];
      });
      const shown = [
        tabulate(Object.entries(facts).map(([name, value]) => [name, String(value)])),
        tabulate([['ATTEMPT', 'AT', 'TOOK', 'STATUS', 'OUTCOME'], ...attempts]),
        body === null
          ? 'No grant covers its account any more: its body is not shown.'
          : JSON.stringify(body, null, 2),
      ];
      return { json: delivery, text: shown.join('\n\n') };
    }),
};

const replay: Command = {
  name: 'webhook replay',
  summary: 'Send a delivery once more, or all of a time',
  positionals: [CLIENT_ID, { ...DELIVERY_ID, optional: true }],
  options: FILTERS,
  notes: [
    'The same body under the same id, as far as it is still granted. A running server sends it within a second, and logs it as a further attempt. Without a DELIVERY_ID, --from and --to are needed; at most 10,000 are sent in one call, the oldest first.',
  ],
  run: (input, context) => {
    const { CLIENT_ID: clientId = '', DELIVERY_ID: id } = input.positionals;
    return withLog(clientId, context, async (deps) => {
      if (id !== undefined) {
        await replayDelivery(clientId, id, deps);
        return { json: { count: 1, more: false }, text: `${id} is sent once more.` };
      }
      const { count, more } = await replayDeliveries(clientId, filterOf(input), deps);
      const rest = more ? ' There are more: repeat the command once these are sent.' : '';
      return { json: { count, more }, text: `${count} deliveries are sent once more.${rest}` };
    });
  },
};

export const deliveryCommands: readonly Command[] = [list, show, replay];
