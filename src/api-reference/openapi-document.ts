/** The features' operations as one OpenAPI 3.1 document: a pure function. */

import { ErrorBody, OAuthErrorBody } from '../http/error.schema.ts';
import { objectSchema, type Table } from '../http/fields.ts';
import type { Answer, Body, Caller, Operation, OperationError, WebhookMessage } from '../http/operation.ts';
import { ApiError } from '../http/refusal.ts';
import { SERVER } from '../http/server-error.ts';
import { HEADER_BYTES, headerTooLarge } from '../http/sizes.ts';
import { OAuthError } from '../oauth/oauth-error.ts';
import { collectSchemas, type Json } from './schema-references.ts';

export type OpenApiDocument = {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact: { readonly name: string; readonly url: string };
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: OpenApiOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly securitySchemes: Readonly<Record<string, Json>>;
  };
};

export type OpenApiOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** The alternatives for authentication; an empty one requires no credentials. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
};

export type OpenApiParameter = {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
  readonly example?: unknown;
  /** Whether example requests have it although it is optional. */
  readonly 'x-shown'?: true;
};

export type OpenApiResponse = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Json }>>;
  readonly content?: Content;
};

export type Content = Readonly<
  Record<
    string,
    {
      readonly schema: Json;
      readonly example?: unknown;
      readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
    }
  >
>;

/** Returns the example of a body or response, the first of several. */
export const firstExample = ({ example, examples = {} }: Content[string]): unknown =>
  example ?? Object.values(examples)[0]?.value;

export type DocumentSource = {
  /** The public origin, without a slash at the end. */
  readonly publicUrl: string;
  readonly version: string;
  readonly operations: readonly Operation[];
  readonly webhooks?: readonly WebhookMessage[];
  /** The texts of the administration API; by default, those of the interface for applications. */
  readonly title?: string;
  readonly description?: string;
  readonly securitySchemes?: Readonly<Record<string, Json>>;
};

const DESCRIPTION = `Connects an application to its users’ calendars at Google, Microsoft, Apple and any CalDAV server.

\`/authorize\`, \`/token\`, \`/par\`, \`/revoke\` and \`/introspect\` are also served under \`/api/oauth\`. Applications with the profile \`fapi2\` use these five under \`/fapi2\`. \`/openapi.json\`, \`/ready\` and the paths under \`/.well-known\` have no other prefix. All other paths are also served under \`/api\` and, except \`/health\`, under \`/api/oauth\`. Unknown fields and parameters are ignored; an empty parameter or a null field counts as absent. Instants are RFC 3339 in UTC.`;

/** Returns the document. Its errors are those that the program throws, so that the examples have the actual bodies. */
export function openapiDocument({
  publicUrl,
  version,
  operations,
  webhooks = [],
  title = 'Kalends',
  description = DESCRIPTION,
  securitySchemes = interfaceSchemes(publicUrl),
}: DocumentSource): OpenApiDocument {
  const schemas = collectSchemas();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    methods[operation.method] = toOpenApiOperation(operation, schemas.reference);
    paths[operation.path] = methods;
  }
  return {
    openapi: '3.1.1',
    info: {
      ...{ title, version, description },
      contact: { name: 'The operator of this server', url: `${publicUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl, description: 'This server' }],
    tags: [...new Set(operations.map(({ group }) => group))].map((name) => ({
      name,
      description: groupDescription(name),
    })),
    paths,
    ...(webhooks.length > 0 && {
      webhooks: Object.fromEntries(
        webhooks.map((one) => [one.name, { post: toWebhook(one, schemas.reference) }]),
      ),
    }),
    components: { schemas: schemas.named(), securitySchemes },
  };
}

const GROUPS: Readonly<Record<string, string>> = {
  Authorization:
    'A user connects calendars and allows an application to use them. The application gets, refreshes and revokes tokens.',
  'Calendars and accounts': 'Connected accounts and their calendars.',
  'Reading events': 'List and search events, and read their changes.',
  'Writing events': 'Create, change and delete events and series, and respond to invitations.',
  'Free time': 'Find out when users are busy, and when several users are free.',
  Users: 'The users of an application, with its client secret instead of an access token.',
  Webhooks: 'Deliveries of changes: the calendars, the endpoints, and the result of each delivery.',
  Server: 'The server itself.',
  Applications: 'Applications and their secrets.',
  Members: 'Members of the dashboard, their invitations and reset links.',
  Keys: 'Keys of the administration API.',
  Branding: 'The appearance of the Connect pages of an application.',
  'Provider apps': "Applications' own apps at Google and Microsoft.",
  Reviews: 'The review of what applications show to users.',
  Endpoints: 'The webhook endpoints of applications.',
  Deliveries: 'The log of deliveries, and resending them.',
  Requests: 'The log of requests.',
  'Signing keys': 'The keys that sign tokens and deliveries.',
  'Audit log': 'Changes by members, keys and the command line.',
  Observation: 'Alerts, the load of applications, and metrics.',
  Manifest: 'Applications and members as a file.',
  System: 'The deployment: its state, settings, checks and backups.',
};

function groupDescription(name: string): string {
  const description = GROUPS[name];
  if (description === undefined) throw new Error(`The group ${name} has no description`);
  return description;
}

type Reference = (schema: object) => Json;

const interfaceSchemes = (publicUrl: string): Record<string, Json> => ({
  accessToken: {
    type: 'oauth2',
    description: 'Authorization: Bearer ACCESS_TOKEN. A wider scope includes the narrower ones.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${publicUrl}/authorize`,
        tokenUrl: `${publicUrl}/token`,
        refreshUrl: `${publicUrl}/token`,
        scopes: {
          'free-busy': 'See when the user is busy',
          read: 'Read calendars and events',
          'read-write': 'Read and write calendars and events',
        },
      },
    },
  },
  DPoP: {
    type: 'http',
    scheme: 'dpop',
    description:
      'Authorization: DPoP ACCESS_TOKEN, for an access token that is bound to a key, with the same scopes. The header DPoP has a proof of that key (RFC 9449).',
  },
  application: {
    type: 'http',
    scheme: 'basic',
    description: 'The application’s client_id and client_secret.',
  },
  privateKeyJwt: {
    type: 'oauth2',
    description:
      'For an application with client authentication private_key_jwt (RFC 7523): /token, /par, /revoke and /introspect take client_assertion in the body, signed with its key. Elsewhere it sends the access token that /token returns for grant_type=client_credentials and scope=application, as Bearer, or as DPoP if it is bound.',
    flows: {
      clientCredentials: {
        tokenUrl: `${publicUrl}/token`,
        scopes: { application: 'Act as the application' },
      },
    },
  },
});

function toOpenApiOperation(operation: Operation, reference: Reference): OpenApiOperation {
  const { id, group, summary, description, callers, body, page, answer, errors } = operation;
  const { pathFields = {}, query = {}, headers = {} } = operation;
  const parameters = Object.entries({ path: pathFields, query, header: headers }).flatMap(([place, table]) =>
    toParameters(place, table, reference),
  );
  return {
    operationId: id,
    tags: [group],
    summary,
    ...(description === undefined ? {} : { description }),
    security: toSecurity(callers),
    ...(parameters.length > 0 && { parameters }),
    ...(body === undefined ? {} : { requestBody: toRequestBody(body, callers, reference) }),
    responses: {
      ...(page === undefined ? {} : { 200: toHtmlResponse(page) }),
      ...(answer === undefined ? {} : { [answer.status ?? 200]: toOpenApiResponse(answer, reference) }),
      ...errorResponses(
        [...errors, ...largeHeader(errors), internalError(errors), ...TOO_MANY_CONNECTIONS],
        reference,
      ),
    },
  };
}

/** Connections can be refused before a request is read, so any operation can return these errors. */
const TOO_MANY_CONNECTIONS: readonly OperationError[] = [
  { ...SERVER.too_many_connections, status: 429, when: 'Too many connections are open from one address.' },
  { ...SERVER.too_many_connections, when: 'Too many connections are open in total.' },
];

const SIGNATURE_HEADERS = {
  'webhook-id': 'The id of the delivery, the same in every attempt.',
  'webhook-timestamp': 'The time of the attempt in seconds since 1970.',
  'webhook-signature': 'The signatures of Standard Webhooks, separated by spaces.',
};

/** Returns a message as the operation that an application implements. */
const toWebhook = (
  { id, summary, schema, example }: WebhookMessage,
  reference: Reference,
): OpenApiOperation => ({
  operationId: id,
  tags: ['Webhooks'],
  summary,
  security: [{}],
  parameters: Object.entries(SIGNATURE_HEADERS).map(([name, description]) => ({
    ...{ in: 'header', name, description, required: true, schema: { type: 'string' } },
  })),
  requestBody: { required: true, content: { 'application/json': { schema: reference(schema), example } } },
  responses: {
    204: { description: 'The delivery was received. Every 2xx status within 15 seconds counts.' },
    410: { description: 'The endpoint is paused. After every other status the delivery is retried.' },
  },
});

/** Adds the error of large headers to an operation without a 4xx, which would seem to accept anything. */
function largeHeader(errors: readonly OperationError[]): OperationError[] {
  if (errors.some(({ status }) => status < 500)) return [];
  const { status, message } = headerTooLarge(HEADER_BYTES);
  const field = 'header';
  return [{ ...SERVER.request_refused, status, message, field, when: 'The header is too large.' }];
}

const toHtmlResponse = (description: string): OpenApiResponse => ({
  description,
  content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } },
});

function toSecurity(callers: readonly Caller[]): Record<string, string[]>[] {
  const schemes = callers.flatMap((caller): Record<string, string[]>[] => {
    if (caller === 'anybody') return [{}];
    if (caller === 'admin-key') return [{ adminKey: [] }];
    return caller === 'application'
      ? [{ application: [] }, { privateKeyJwt: ['application'] }]
      : [{ accessToken: [caller] }];
  });
  return schemes.some((one) => 'accessToken' in one) ? [...schemes, { DPoP: [] }] : schemes;
}

const toParameters = (place: string, table: Table, reference: Reference): OpenApiParameter[] =>
  Object.entries(table).map(([name, { doc = '', isRequired, isShown, schema, example }]) => {
    const exampleField = {
      ...(example !== undefined && { example }),
      ...(isShown && { 'x-shown': true as const }),
    };
    return {
      in: place,
      name,
      description: doc,
      required: isRequired,
      schema: reference(schema),
      ...exampleField,
    };
  });

function toRequestBody(body: Body, callers: readonly Caller[], reference: Reference) {
  const { fields, name, description, required, types = ['application/json'] } = body;
  const schema = reference(objectSchema(fields, name, description));
  const examples = toBodyExamples(body, callers);
  return { required, content: Object.fromEntries(types.map((type) => [type, { schema, ...examples }])) };
}

/** Returns the example of a body, or one for each kind of caller. */
function toBodyExamples(
  { fields, shows = Object.keys(fields), showsToo = {} }: Body,
  callers: readonly Caller[],
): Omit<Content[string], 'schema'> {
  // A field without an example is undefined, which JSON leaves out.
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.map((field) => [field, fields[field]?.example]));
  if (Object.keys(showsToo).length === 0) return { example: pick(shows) };
  const examples = callers.map((caller) => {
    const summary = caller === 'application' ? 'With HTTP Basic of the application' : 'With an access token';
    return [caller, { summary, value: pick([...shows, ...(showsToo[caller] ?? [])]) }];
  });
  return { examples: Object.fromEntries(examples) };
}

const toOpenApiResponse = (
  { description, schema, example, headers }: Answer,
  reference: Reference,
): OpenApiResponse => ({
  description,
  ...toHeaders(headers),
  ...(schema === undefined
    ? {}
    : { content: { 'application/json': { schema: reference(schema), example } } }),
});

function toHeaders(headers: Readonly<Record<string, string>> | undefined) {
  const entries = Object.entries(headers ?? {});
  if (entries.length === 0) return {};
  const described = entries.map(([name, description]) => [name, { description, schema: { type: 'string' } }]);
  return { headers: Object.fromEntries(described) };
}

/** Returns the internal error, in the shape of the operation's errors. */
const internalError = ([first]: readonly OperationError[]): OperationError => ({
  ...SERVER.server_error,
  ...(first?.shape && { shape: first.shape }),
});

/** Returns the body as it is sent. An internal error has `code` and `requestId` in both shapes. */
function exampleBody(error: OperationError): object {
  const { code } = error;
  const isInternal = code === SERVER.server_error.code;
  const rest = new ApiError(error, isInternal ? { ...error, error: code } : error).body;
  if (error.shape === undefined) return rest;
  const { body } = new OAuthError(error);
  return isInternal ? { ...body, ...rest } : body;
}

function errorResponses(errors: readonly OperationError[], reference: Reference) {
  const byStatus = Map.groupBy(errors, ({ status }) => status);
  const sorted = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, cases]) => [status, toErrorResponse(cases, reference)]));
}

/** Returns the response of one status, with its codes as an enumeration and an example for each. */
function toErrorResponse(cases: readonly OperationError[], reference: Reference): OpenApiResponse {
  const rest = cases.filter(({ shape }) => shape === undefined);
  const oauth = cases.filter(({ shape }) => shape === 'oauth');
  const shapes = [
    ...(rest.length > 0 ? [{ ...reference(ErrorBody), ...codes('code', rest) }] : []),
    ...(oauth.length > 0 ? [{ ...reference(OAuthErrorBody), ...codes('error', oauth) }] : []),
  ];
  const [only] = shapes;
  // Both shapes can have the same code.
  const exampleName = ({ shape, code }: OperationError) =>
    shape === 'oauth' && rest.length > 0 ? `oauth_${code}` : code;
  const examples = cases.map((one) => [exampleName(one), { summary: one.when, value: exampleBody(one) }]);
  return {
    description: [...new Set(cases.map(({ when }) => when))].join(' '),
    ...toHeaders(Object.assign({}, ...cases.map(headersOfError))),
    content: {
      'application/json': {
        schema: shapes.length === 1 && only !== undefined ? only : { anyOf: shapes },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const headersOfError = ({ retryAfter, headers }: OperationError) => ({
  ...(retryAfter === undefined ? {} : { 'Retry-After': 'Whole seconds.' }),
  ...headers,
});

const codes = (member: string, cases: readonly OperationError[]) => ({
  properties: { [member]: { enum: [...new Set(cases.map(({ code }) => code))] } },
});
