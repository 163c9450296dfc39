/** `kalends requests list`: what applications called, from the request log. */
import { type DocumentField, toDocument, toTable } from '../administration/documents/field.ts';
import { REQUEST } from '../administration/documents/request.ts';
import type { RequestEntry } from '../request-log/request-entry.ts';
import { parseStatus } from '../request-log/request-filter.ts';
import type { RequestFilter } from '../request-log/request-log.ts';
import { refusalText } from '../request-log/shown-body.ts';
import { unknownClient } from './client-commands.ts';
import { type Command, type Input, usageError } from './command.ts';
import { DURATION_FORM, parseDuration } from './duration.ts';
import { text } from './option-values.ts';
import { LIMIT, limitIn } from './page-options.ts';
import { tabulate } from './table.ts';

const list: Command = {
  name: 'requests list',
  summary: 'List what applications called, the newest first: refusals and a share of the rest',
  positionals: [],
  options: [
    { name: 'client', value: 'CLIENT_ID', doc: 'Of one application.' },
    { name: 'user', value: 'USER_ID', doc: 'Of one user of that application.' },
    {
      name: 'status',
      value: 'STATUS',
      doc: 'Answered with that status, such as 429, or one of a class, such as 4xx.',
    },
    { name: 'route', value: 'ROUTE', doc: 'Of one route, such as /events/:id.' },
    { name: 'request', value: 'ID', doc: 'The one whose answer had this X-Request-Id.' },
    { name: 'since', value: 'TIME', doc: `Of that time until now, ${DURATION_FORM}.` },
    LIMIT,
  ],
  notes: ['What is kept, and for how long, is in docs/operations.md.'],
  run: (input, { withStorage, config, deps }) =>
    withStorage(async ({ clients, requestLog }) => {
      const limit = limitIn(input.options);
      const { filter, clientId, userId } = {
        ...filterIn(input.options, deps.now()),
        ...ownerIn(input.options),
      };
      if (clientId !== undefined && (await clients.findClient(clientId)) === undefined)
        throw unknownClient(clientId);
      const user = userId === undefined ? undefined : await requestLog.userOf(clientId ?? '', userId);
      const clientIds = clientId === undefined ? undefined : [clientId];
      const isUnknownUser = userId !== undefined && user === undefined;
      const requests = isUnknownUser
        ? []
        : await requestLog.listRequests({ ...filter, clientIds, user }, { limit });
      return {
        json: { requests: requests.map((entry) => toDocument(REQUEST, entry)) },
        text: textOf(requests, config().requestLogDays),
      };
    }),
};

export const requestCommands: readonly Command[] = [list];

function ownerIn({ client, user }: Input['options']) {
  if (user !== undefined && client === undefined)
    throw usageError('--user needs --client: a user is one of an application.');
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

function textOf(requests: readonly RequestEntry[], days: number): string {
  const columns = ['at', 'status', 'duration_ms', 'method', 'route', 'client_id', 'request_id', 'answer'];
  if (requests.length > 0) return tabulate(toTable([...REQUEST, ANSWER], columns, requests));
  return days === 0
    ? 'The request log is switched off (KALENDS_REQUEST_LOG).'
    : `There are no such requests. Errors and one success in a hundred are stored for ${days} days.`;
}

/** The message of an error, which JSON has within the body. */
const ANSWER: DocumentField<RequestEntry> = {
  name: 'answer',
  value: (entry) =>
    (refusalText(entry) ?? '') + (entry.repeated > 1 ? ` (${entry.repeated} times within a minute)` : ''),
};
