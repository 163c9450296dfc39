/** `kalends requests`, `kalends webhook deliveries|show|replay` and `kalends audit`: the three logs. */

import { AUDIT_ENTRY, CHANGE } from '../administration/documents/audit-entry.ts';
import { ATTEMPT, DELIVERY } from '../administration/documents/delivery.ts';
import { type DocumentField, toRows, toTable } from '../administration/documents/field.ts';
import { REQUEST } from '../administration/documents/request.ts';
import { exportAuditEntries, listAuditEntries } from '../administration/operations/audit-operations.ts';
import {
  listDeliveriesOperation,
  openDeliveryOperation,
  replayDeliveriesOperation,
  replayDeliveryOperation,
} from '../administration/operations/delivery-operations.ts';
import { listRequests } from '../administration/operations/request-operations.ts';
import { AUDIT_ACTIONS } from '../audit/audit-entry.ts';
import { DURATION_FORM, parseDuration } from '../lib/duration.ts';
import type { RequestEntry } from '../request-log/request-entry.ts';
import { parseStatus } from '../request-log/request-filter.ts';
import { renderErrorText } from '../request-log/shown-body.ts';
import { CLIENT_ID, clientInput } from './client-commands.ts';
import { type Command, type CommandOption, type Input, type Positional, usageError } from './command.ts';
import { tabulate } from './help.ts';
import { listOutput, operationCommand, pageInput, runAndPrint } from './operation-command.ts';
import { numberIn, oneOf, PAGE_OPTIONS, text } from './option-values.ts';
import { rendering } from './rendering.ts';
import { terminalLine } from './terminal-text.ts';

const COLUMNS = ['at', 'status', 'duration_ms', 'method', 'route', 'client_id', 'request_id'];

const emptyText = (days: number): string =>
  days === 0
    ? 'The request log is off: set KALENDS_REQUEST_LOG to a number of days.'
    : `No requests match these options. Errors and one success in a hundred are stored for ${days} days.`;

/** The message of an error. JSON has it in the body. */
const ANSWER: DocumentField<RequestEntry> = {
  name: 'answer',
  value: (entry) =>
    (renderErrorText(entry) ?? '') + (entry.repeated > 1 ? ` (${entry.repeated} times within a minute)` : ''),
};

const requestList = rendering({
  operation: listRequests,
  render: ({ subjects: requests }, { deps: { requestLogDays } }) =>
    listOutput(
      [...REQUEST, ANSWER],
      { columns: [...COLUMNS, ANSWER.name], none: emptyText(requestLogDays) },
      requests,
    ),
});

const listRequestLog: Command = {
  name: 'requests list',
  summary: 'List requests of applications, newest first: errors and a sample of successes',
  options: [
    { name: 'client', value: 'CLIENT_ID', doc: 'Only requests of this application.' },
    { name: 'user', value: 'USER_ID', doc: 'Only requests for this user of the application.' },
    {
      name: 'status',
      value: 'STATUS',
      doc: 'Only this status (such as 429), this class (such as 4xx), or `errors`.',
    },
    { name: 'route', value: 'ROUTE', doc: 'Only requests to this route, such as /events/:id.' },
    { name: 'request', value: 'ID', doc: 'The request whose response had this X-Request-Id.' },
    { name: 'since', value: 'TIME', doc: `How far back to list, ${DURATION_FORM}.` },
    ...PAGE_OPTIONS,
  ],
  notes: ['docs/operations.md says which requests are stored, and for how long.'],
  renderings: [requestList],
  run: (parsed, context) => {
    const { client, user, status, route, request, since } = parsed.options;
    if (user !== undefined && client === undefined)
      throw usageError('--user needs --client: user ids belong to an application.');
    if (status !== undefined && parseStatus(String(status)) === undefined)
      throw usageError('--status must be a status such as 429, a class such as 4xx, or errors.');
    const ids = { client_id: client, user_id: user, request_id: request };
    const from = startOf(since, context.deps.now());
    return context.withOperations((operations) =>
      runAndPrint(requestList, { ...ids, status, route, from, ...pageInput(parsed) }, operations),
    );
  },
};

export const requestCommands: readonly Command[] = [listRequestLog];

/** Returns the beginning of a period until `now` as an instant. */
function startOf(since: Input['options'][string] | undefined, now: number): string | undefined {
  if (since === undefined) return undefined;
  const span = parseDuration(text(since) ?? '');
  if (span === undefined) throw usageError(`--since must be a time ${DURATION_FORM}.`);
  return new Date(now - span).toISOString();
}

const DELIVERY_ID: Positional = {
  name: 'DELIVERY_ID',
  doc: 'The id of a delivery, see `webhook deliveries`.',
};

const FILTERS: readonly CommandOption[] = [
  {
    name: 'state',
    value: 'STATE',
    doc: 'Only deliveries in this state: pending, retrying (pending with an attempt), delivered, dead or withheld.',
  },
  { name: 'user', value: 'USER_ID', doc: 'Only deliveries about this user.' },
  { name: 'endpoint', value: 'ENDPOINT_ID', doc: 'Only deliveries to this endpoint.' },
  { name: 'from', value: 'TIME', doc: 'Created at this time or later, such as 2026-11-23T09:00:00Z.' },
  { name: 'to', value: 'TIME', doc: 'Created before this time.' },
];

const filterInput = (parsed: Input) => {
  const { state, user, endpoint, from, to } = parsed.options;
  return { ...clientInput(parsed), state, user_id: user, endpoint_id: endpoint, from, to };
};

const listDeliveryLog = operationCommand({
  name: 'webhook deliveries',
  summary: 'List the deliveries of an application, newest first',
  positionals: [CLIENT_ID],
  options: [...FILTERS, ...PAGE_OPTIONS],
  operation: listDeliveriesOperation,
  input: (parsed) => ({ ...filterInput(parsed), ...pageInput(parsed) }),
  render: ({ subjects: deliveries }) =>
    listOutput(
      DELIVERY,
      {
        columns: ['id', 'createdAt', 'state', 'attempts', 'userId', 'calendarId'],
        none: 'No deliveries match these options. Deliveries are stored for 30 days.',
      },
      deliveries,
    ),
});

const deliveryInput = (parsed: Input) => ({
  ...{ ...clientInput(parsed), delivery_id: parsed.positionals.DELIVERY_ID ?? '' },
});

const show = operationCommand({
  name: 'webhook show',
  summary: 'Show one delivery with its attempts and its body',
  positionals: [CLIENT_ID, DELIVERY_ID],
  operation: openDeliveryOperation,
  input: deliveryInput,
  render({ attemptLog, body, ...delivery }) {
    const columns = ATTEMPT.map(({ name }) => name);
    const parts = [
      tabulate(toRows(DELIVERY, delivery)),
      tabulate(toTable(ATTEMPT, columns, attemptLog)),
      body === null
        ? 'The body is hidden: no active grant covers its account.'
        : JSON.stringify(body, null, 2),
    ];
    return { text: parts.join('\n\n') };
  },
});

const resendOne = rendering({
  operation: replayDeliveryOperation,
  render: (_, { input }) => ({ text: `${input.delivery_id} will be sent again.` }),
});
const resendAll = rendering({
  operation: replayDeliveriesOperation,
  render({ count, more }) {
    const rest = more ? ' There are more: repeat the command when these have been sent.' : '';
    return { text: `${count} deliveries will be sent again.${rest}` };
  },
});

const replay: Command = {
  name: 'webhook replay',
  summary: 'Resend one delivery, or all deliveries of a period',
  positionals: [CLIENT_ID, { ...DELIVERY_ID, optional: true }],
  options: FILTERS,
  notes: [
    'A resend has the same body and id, if a grant still covers the account. A running server sends it within a second and logs it as another attempt. Without a DELIVERY_ID, --from and --to are required; one call resends at most 10,000, oldest first.',
  ],
  renderings: [resendOne, resendAll],
  run: (input, context) =>
    context.withOperations((operations) =>
      input.positionals.DELIVERY_ID === undefined
        ? runAndPrint(resendAll, filterInput(input), operations)
        : runAndPrint(resendOne, deliveryInput(input), operations),
    ),
};

export const deliveryCommands: readonly Command[] = [listDeliveryLog, show, replay];

const MOST_LISTED = 200;
const USUALLY_LISTED = 50;
const LIMIT_PROBLEM = `--limit must be a whole number from 1 to ${MOST_LISTED}.`;

const SINCE: CommandOption = {
  name: 'since',
  value: 'TIME',
  doc: `Of this period until now (${DURATION_FORM}), or since this date or instant, such as 2026-11-23 or 2026-11-23T09:00:00Z.`,
};

// Its pages continue with --before, so the text has no `next`.
const AUDIT_LIST = rendering({
  operation: listAuditEntries,
  render: ({ subjects }) => ({
    text:
      subjects.length === 0
        ? 'No entries match these options.'
        : tabulate(toTable([...AUDIT_ENTRY, CHANGE], AUDIT_COLUMNS, subjects)),
  }),
});
const AUDIT_COLUMNS = ['number', 'at', 'actor', 'action', 'client_id', 'subject', 'change'];

const listAudit: Command = {
  name: 'audit list',
  summary: 'List changes and their authors, newest first',
  options: [
    {
      name: 'client',
      value: 'CLIENT_ID',
      doc: 'Only changes to this application, even if it was deleted later.',
    },
    { name: 'action', value: 'ACTION', doc: 'Only this action, such as client.updated.' },
    SINCE,
    {
      name: 'before',
      value: 'NUMBER',
      doc: 'For the next page: only entries with a lower number than this one.',
    },
    {
      name: 'limit',
      value: 'NUMBER',
      doc: `The page size, from 1 to ${MOST_LISTED}; ${USUALLY_LISTED} by default.`,
    },
  ],
  notes: [
    'Entries identify users of applications by a hash that cannot be traced after the user was deleted. No entry contains a secret.',
  ],
  renderings: [AUDIT_LIST],
  run: ({ options }, { withOperations, deps }) => {
    const { action, before, limit } = options;
    const fields = {
      client_id: text(options.client),
      action: oneOf(action, AUDIT_ACTIONS, `--action must be one of ${AUDIT_ACTIONS.join(', ')}.`),
      from: sinceIn(options, deps.now()),
      after: numberIn(before, Number.MAX_SAFE_INTEGER, '--before must be a whole number from 1.'),
      limit: numberIn(limit, MOST_LISTED, LIMIT_PROBLEM) ?? USUALLY_LISTED,
    };
    return withOperations((operations) => runAndPrint(AUDIT_LIST, fields, operations));
  },
};

const exportAll: Command = {
  name: 'audit export',
  summary: 'Write all entries to standard output, oldest first, as JSON Lines',
  options: [SINCE],
  renderings: [],
  run: ({ options }, { withOperations, io, deps }) => {
    const from = sinceIn(options, deps.now());
    return withOperations(async (operations) => {
      for (let after: unknown; after !== null; ) {
        const page = await operations.read(exportAuditEntries, { limit: MOST_LISTED, from, after });
        if (!Array.isArray(page.entries)) throw new Error('The page has no list of entries');
        for (const entry of page.entries) io.stdout.write(`${terminalLine(entry)}\n`);
        after = page.next ?? null;
      }
      return undefined;
    });
  },
};

export const auditCommands: readonly Command[] = [listAudit, exportAll];

function sinceIn({ since }: Input['options'], now: number): string | undefined {
  const given = text(since);
  if (given === undefined) return undefined;
  const duration = parseDuration(given);
  if (duration !== undefined) return Temporal.Instant.fromEpochMilliseconds(now - duration).toString();
  const isDate = /^\d{4}-\d\d-\d\d$/.test(given);
  try {
    return Temporal.Instant.from(isDate ? `${given}T00:00:00Z` : given).toString();
  } catch {
    throw usageError(
      `--since must be a time ${DURATION_FORM}, or a date such as 2026-11-23 or 2026-11-23T09:00:00Z.`,
    );
  }
}
