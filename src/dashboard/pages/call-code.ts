/** A playground call as code for curl, TypeScript and Python. Tokens and secrets are placeholders. */
import { jsonIn } from '../../lib/json.ts';
import type { Client } from '../../oauth/client.ts';
import type { OperationForm } from '../../playground/operation-forms.ts';
import type { Call } from '../../playground/read-call.ts';
import { quoted } from './application-code.ts';

export type CodeOfCall = {
  /** The public URL of this instance. */
  readonly url: string;
  readonly client: Pick<Client, 'clientId' | 'redirectUri' | 'senderConstraint' | 'clientAuthentication'>;
  readonly form: OperationForm;
  readonly call: Call;
};

/** Whether access tokens are sent with a DPoP proof (RFC 9449), which code for the call reads as a variable. */
const isProven = ({ senderConstraint }: CodeOfCall['client']): boolean => senderConstraint === 'required';

export function curlOfCall({ url, client, call }: CodeOfCall): string {
  const { method, path, headers, body, credentials } = call;
  const authorization = {
    user: isProven(client)
      ? ['-H "Authorization: DPoP $ACCESS_TOKEN"', '-H "DPoP: $DPOP_PROOF"']
      : ['-H "Authorization: Bearer $ACCESS_TOKEN"'],
    application: [`-u ${quoted(client.clientId)}:"$KALENDS_CLIENT_SECRET"`],
    none: [],
  }[credentials];
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url + path)}`,
    ...authorization,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, undefined, 2))}`]),
  ].join(' \\\n  ');
}

type Values = Readonly<Record<string, unknown>>;
/** Code of the client's call, from the sent values by name. */
type ClientCall = (sent: Values) => string;

const PLACE = ['provider', 'calendarId', 'account'];
const EVENT = [...PLACE, 'eventId'];
const HOW = ['updateMode', 'deleteMode', 'recurringEventId', 'If-Match', 'Idempotency-Key', 'comment'];
const HOW_NAMES: Readonly<Record<string, string>> = {
  updateMode: 'mode',
  deleteMode: 'mode',
  'If-Match': 'ifMatch',
  'Idempotency-Key': 'idempotencyKey',
};

const CLIENT_CALLS: Readonly<Record<string, ClientCall>> = {
  listCalendars: () => 'user.calendars()',
  getConnectionStatus: () => 'user.connectionStatus()',
  disconnectAccount: ({ provider, account }) => calling('user.disconnect', [provider, account]),
  createCalendar: (sent) => writing('user.createCalendar', sent, ['provider', 'account']),
  updateCalendar: (sent) => writing('user.updateCalendar', sent, PLACE),
  deleteCalendar: (sent) => calling('user.deleteCalendar', [only(sent, PLACE)]),
  listEvents: (sent) => calling('user.eventsPage', [sent]),
  getEvent: (sent) => calling('user.event', [only(sent, EVENT)]),
  createEvent: (sent) => writing('user.createEvent', sent, PLACE),
  updateEvent: (sent) => writing('user.updateEvent', sent, EVENT),
  deleteEvent: (sent) => calling('user.deleteEvent', [only(sent, EVENT), how(sent)]),
  respondToEvent: (sent) => calling('user.respond', [only(sent, EVENT), sent.response, how(sent)]),
  listEventChanges: (sent) => calling('user.changesPage', [sent]),
  getFreeBusy: (sent) => calling('user.freeBusy', [sent]),
  findAvailability: (sent) => calling('user.availability', [sent]),
};

const CREDENTIALS = {
  secret: '  clientSecret: process.env.KALENDS_CLIENT_SECRET!,\n',
  private_key_jwt: '  privateKey: JSON.parse(process.env.KALENDS_CLIENT_PRIVATE_KEY!),\n',
  none: '',
};

/** Returns code for the client if it has a function for the call, otherwise for `fetch`. */
export function typescriptOfCall({ url, client, form, call }: CodeOfCall): string {
  const clientCall = call.credentials === 'user' ? CLIENT_CALLS[form.id] : undefined;
  if (clientCall === undefined) return fetchOfCall({ url, client, call });
  return `import { kalends } from '@kalends/client';

const calendars = kalends({
  url: ${JSON.stringify(url)},
  clientId: ${JSON.stringify(client.clientId)},
${CREDENTIALS[client.clientAuthentication]}  redirectUri: ${JSON.stringify(client.redirectUri)},${isProven(client) ? '\n  dpop: true,' : ''}
});

// \`tokens\` loads and saves what \`completeAuthorization\` answered for this user.
const user = calendars.user(tokens);
console.log(await ${clientCall(sentBy(form, call))});`;
}

function fetchOfCall({ url, client, call }: Pick<CodeOfCall, 'url' | 'client' | 'call'>): string {
  const { method, path, headers, body, credentials } = call;
  const authorization = {
    user: `\`${isProven(client) ? 'DPoP' : 'Bearer'} \${accessToken}\``,
    application: `\`Basic \${btoa(\`${client.clientId}:\${process.env.KALENDS_CLIENT_SECRET}\`)}\``,
    none: undefined,
  }[credentials];
  const all = [
    ...(authorization === undefined ? [] : [`authorization: ${authorization}`]),
    ...(credentials === 'user' && isProven(client) ? ['dpop: dpopProof'] : []),
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...(body === undefined ? [] : [`'content-type': 'application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(all.length === 0 ? [] : ['  headers: {', ...all.map((one) => `    ${one},`), '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body, '  ')}),`]),
  ];
  const second = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const answer = await fetch(${JSON.stringify(url + path)}${second});
console.log(answer.status, await answer.json());`;
}

/** Returns code for the `requests` package. */
export function pythonOfCall({ url, client, call }: CodeOfCall): string {
  const { method, path, headers, body, credentials } = call;
  const all = [
    ...(credentials === 'user'
      ? [`        "Authorization": f"${isProven(client) ? 'DPoP' : 'Bearer'} {access_token}",`]
      : []),
    ...(credentials === 'user' && isProven(client) ? [`        "DPoP": dpop_proof,`] : []),
    ...Object.entries(headers).map(
      ([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
    ),
  ];
  const options = [
    ...(credentials === 'application'
      ? [`    auth=(${JSON.stringify(client.clientId)}, os.environ["KALENDS_CLIENT_SECRET"]),`]
      : []),
    ...(all.length === 0 ? [] : ['    headers={', ...all, '    },']),
    ...(body === undefined ? [] : [`    json=${pythonLiteral(body)},`]),
  ];
  return `${credentials === 'application' ? 'import os\n\n' : ''}import requests

response = requests.request(
    "${method}",
    ${JSON.stringify(url + path)},
${options.map((line) => `${line}\n`).join('')})
print(response.status_code, response.json())`;
}

function pythonLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one)}`)
    .join(', ')}}`;
}

/** Returns the sent values by name, as the client takes them: JSON and truth values are parsed. */
function sentBy(form: OperationForm, { path, headers, body }: Call): Values {
  const query = [...new URLSearchParams(path.split('?')[1])].map(([name, text]) => {
    const kind = form.fields.find(({ place, label }) => place === 'query' && label === name)?.kind;
    return [
      name,
      name === 'calendarIds' || kind === 'number' || kind === 'choice' ? (jsonIn(text) ?? text) : text,
    ];
  });
  const members = typeof body === 'object' && body !== null ? body : {};
  return { ...Object.fromEntries(query), ...headers, ...members };
}

const calling = (name: string, values: readonly unknown[]): string => {
  const last = values.findLastIndex((value) => value !== undefined);
  return `${name}(${values
    .slice(0, last + 1)
    .map((value) => literal(value))
    .join(', ')})`;
};

/** Renders a call with three arguments: the place, the new values, and the options. */
const writing = (name: string, sent: Values, place: readonly string[]): string => {
  const rest = Object.fromEntries(
    Object.entries(sent).filter(([key]) => !place.includes(key) && !HOW.includes(key)),
  );
  return calling(name, [only(sent, place), rest, how(sent)]);
};

const only = (sent: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => names.includes(name)));

function how(sent: Values): Values | undefined {
  const entries = Object.entries(only(sent, HOW)).map(([name, value]) => [HOW_NAMES[name] ?? name, value]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Renders a value as a TypeScript literal. Names have quotes only where they need them. */
function literal(value: unknown, indent = ''): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'undefined';
  return text.replaceAll('\n', `\n${indent}`).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}
