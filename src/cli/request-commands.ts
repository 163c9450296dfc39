/** `kalends requests list`: the request log. */
import type { DocumentField } from '../administration/documents/field.ts';
import { REQUEST } from '../administration/documents/request.ts';
import type { RequestEntry } from '../request-log/request-entry.ts';
import { parseStatus } from '../request-log/request-filter.ts';
import type { RequestFilter } from '../request-log/request-log.ts';
import { refusalText } from '../request-log/shown-body.ts';
import { requireClient } from './client-commands.ts';
import { type Command, type Input, usageError } from './command.ts';
import { DURATION_FORM, parseDuration } from './duration.ts';
import { text } from './option-values.ts';
import { LIMIT, limitIn, listResult } from './page-options.ts';

const list: Command = {
  name: 'requests list',
  summary: 'List requests of applications, newest first: errors and a sample of successes',
  options: [
    { name: 'client', value: 'CLIENT_ID', doc: 'By this application.' },
    { name: 'user', value: 'USER_ID', doc: 'For this user of the application.' },
    {
      name: 'status',
      value: 'STATUS',
      doc: 'With this status, such as 429, or of this class, such as 4xx.',
    },
    { name: 'route', value: 'ROUTE', doc: 'To this route, such as /events/:id.' },
    { name: 'request', value: 'ID', doc: 'The request whose response had this X-Request-Id.' },
    { name: 'since', value: 'TIME', doc: `Of this period until now, ${DURATION_FORM}.` },
    LIMIT,
  ],
  notes: ['docs/operations.md says which requests are stored, and for how long.'],
  run: (input, { withStorage, config, deps }) =>
    withStorage(async ({ clients, requestLog }) => {
      const limit = limitIn(input.options);
      const { filter, clientId, userId } = {
        ...filterIn(input.options, deps.now()),
        ...ownerIn(input.options),
      };
      if (clientId !== undefined) await requireClient(clientId, clients);
      const user = userId === undefined ? undefined : await requestLog.userOf(clientId ?? '', userId);
      const clientIds = clientId === undefined ? undefined : [clientId];
      const isUnknownUser = userId !== undefined && user === undefined;
      const requests = isUnknownUser
        ? []
        : await requestLog.listRequests({ ...filter, clientIds, user }, { limit });
      return listResult({
        name: 'requests',
        fields: REQUEST,
        textFields: [ANSWER],
        columns: [...COLUMNS, ANSWER.name],
        subjects: requests,
        none: emptyText(config().requestLogDays),
      });
    }),
};

export const requestCommands: readonly Command[] = [list];

function ownerIn({ client, user }: Input['options']) {
  if (user !== undefined && client === undefined)
    throw usageError('--user needs --client: user ids belong to an application.');
  return { clientId: text(client), userId: text(user) };
}

function filterIn(
  { status, since, route, request }: Input['options'],
  now: number,
): { filter: RequestFilter } {
  const span = since === undefined ? undefined : parseDuration(text(since) ?? '');
  if (since !== undefined && span === undefined) throw usageError(`--since must be a time ${DURATION_FORM}.`);
  const from = span === undefined ? undefined : now - span;
  return { filter: { ...statusIn(text(status)), route: text(route), requestId: text(request), from } };
}

function statusIn(status: string | undefined): Pick<RequestFilter, 'status' | 'statusClass'> {
  if (status === undefined) return {};
  const parsed = parseStatus(status);
  if (parsed === undefined)
    throw usageError('--status must be a status such as 429, or a class such as 4xx.');
  return parsed;
}

const COLUMNS = ['at', 'status', 'duration_ms', 'method', 'route', 'client_id', 'request_id'];

const emptyText = (days: number): string =>
  days === 0
    ? 'The request log is off (KALENDS_REQUEST_LOG).'
    : `There are no such requests. Errors and one success in a hundred are stored for ${days} days.`;

/** The message of an error. JSON has it in the body. */
const ANSWER: DocumentField<RequestEntry> = {
  name: 'answer',
  value: (entry) =>
    (refusalText(entry) ?? '') + (entry.repeated > 1 ? ` (${entry.repeated} times within a minute)` : ''),
};
