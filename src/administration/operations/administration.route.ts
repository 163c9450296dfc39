/** The administration API under `/admin/v1`: a route for each operation of the table, and its OpenAPI document. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestClaim } from '../../audit/audit-entry.ts';
import { answerHead } from '../../http/allowed-methods.ts';
import { beforeBody } from '../../http/before-body.ts';
import { notFound } from '../../http/error-mapping.ts';
import type { Members } from '../../http/fields.ts';
import { ANY_CALL, ApiError } from '../../http/refusal.ts';
import { FORM_BYTES } from '../../http/sizes.ts';
import type { Log } from '../../lib/log.ts';
import type { PresentedKey } from '../../people/admin-keys.ts';
import { PeopleRefusal } from '../../people/people-refusal.ts';
import { mayRole, mustBeAllowed } from '../../people/permission.ts';
import { type AlertChannel, testChannels } from '../../system/alert-channels.ts';
import type { WebhookSigner } from '../../webhooks/webhook-signer.ts';
import { readHeader } from '../../writing/events.route.ts';
import { executeOnce } from '../../writing/idempotency.ts';
import type { AdminRequestStore } from '../../writing/idempotency-store.ts';
import { type AdminAccess, type AdminAccessDeps, admitKey, inAdminSlot } from './admin-access.ts';
import { toApiError } from './administration-error.ts';
import {
  type AdministrationDeps,
  type AdminOperation,
  COMMAND_MEDIA_TYPE,
  dryRun,
  readInput,
} from './operation.ts';
import { ADMIN_OPERATIONS, ADMIN_PREFIX } from './operations.ts';

export type AdministrationRouteDeps = Omit<
  AdministrationDeps,
  'actor' | 'addresses' | 'by' | 'ifVersion' | 'noteFailure' | 'openSigner' | 'testAlerts'
> &
  AdminAccessDeps & {
    readonly webhookSigner: WebhookSigner;
    readonly log: Pick<Log, 'error'>;
    readonly adminAccess: AdminAccess;
    readonly alertChannels: readonly AlertChannel[];
    /** The requests with an Idempotency-Key. */
    readonly adminRequests: AdminRequestStore;
    /** The origin of the Connect pages and the API. */
    readonly publicUrl: string;
    /** The origin of the dashboard. Undefined if it is off. */
    readonly dashboardUrl: string | undefined;
    /** Returns the OpenAPI document as JSON. */
    readonly adminDocument: () => Promise<string>;
    /** Returns the renderer of the operation's command, `undefined` if it has none. */
    readonly findRenderer: (row: AdminOperation) => Promise<CommandRenderer | undefined>;
  };

/** Returns the output of a command for a result of its operation. */
export type CommandRenderer = (
  result: unknown,
  completed: { readonly input: Members; readonly deps: AdministrationDeps },
) => Promise<object>;

/** Mounts the API. Requests that `isHere` rejects get 404. */
export function administrationRoutes(
  deps: AdministrationRouteDeps,
  isHere: (request: FastifyRequest) => boolean,
): FastifyPluginAsync {
  return async (app) => {
    answerHead(app);
    app.addHook('onRequest', (request, reply, next) => {
      reply.header('cache-control', 'no-store');
      next(isHere(request) ? undefined : notFound(request));
    });
    app.get(`${ADMIN_PREFIX}/openapi.json`, async (_request, reply) =>
      reply.type(JSON_TYPE).send(await deps.adminDocument()),
    );
    for (const operation of ADMIN_OPERATIONS) mountOperation(app, operation, deps);
  };
}

function mountOperation(parent: FastifyInstance, row: AdminOperation, deps: AdministrationRouteDeps): void {
  if (!('picture' in row.fields)) mountRoute(parent, row, deps);
  else
    parent.register(async (app) => {
      const parse = async (_request: FastifyRequest, picture: Buffer) => ({ picture });
      app.addContentTypeParser(PICTURE, { parseAs: 'buffer' }, parse);
      mountRoute(app, row, deps);
    });
}

const PICTURE = /^(image\/[\w.+-]+|application\/octet-stream)$/;

function mountRoute(app: FastifyInstance, row: AdminOperation, deps: AdministrationRouteDeps): void {
  const admission = beforeBody((request: FastifyRequest) => admit(request, row, deps));
  app.route({
    method: row.method.toUpperCase(),
    url: ADMIN_PREFIX + row.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: row.mostBytes ?? FORM_BYTES,
    onRequest: admission.check,
    handler: async (request, reply) => {
      const key = admission.foundOf(request);
      return inAdminSlot(key, () => answer({ request, reply, key }, row, deps), deps.adminAccess);
    },
  });
}

/** Returns the key of the request. Throws ApiError if there is none, or its role does not allow the operation. */
async function admit(
  { headers, ip, params }: FastifyRequest,
  { permission }: AdminOperation,
  deps: AdministrationRouteDeps,
): Promise<PresentedKey> {
  const key = await admitKey({ authorization: headers.authorization, address: ip }, deps);
  const { client_id: clientId } = params as Readonly<Record<string, string>>; // as the router gives them
  await asApiErrors(async () => {
    if (clientId !== undefined) mustBeAllowed(key, permission, clientId);
    else if (!mayRole(key.role, permission)) throw new PeopleRefusal('not_allowed');
  });
  return key;
}

type Exchange = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly key: PresentedKey;
};

/** Sends the response of an operation. A POST with an Idempotency-Key is performed once. */
async function answer(
  { request, reply, key }: Exchange,
  row: AdminOperation,
  deps: AdministrationRouteDeps,
): Promise<FastifyReply> {
  const run = (claim?: RequestClaim) => perform({ request, key, claim }, row, deps);
  const { status, headers, body } =
    row.method === 'post' ? await performOnce(run, { request, key }, deps) : await run();
  return reply.code(status).headers(headers).send(body);
}

type Performed<Body = string | Readable> = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
};

async function performOnce(
  run: (claim?: RequestClaim) => Promise<Performed>,
  { request, key }: Pick<Exchange, 'request' | 'key'>,
  { adminRequests, now }: AdministrationRouteDeps,
): Promise<Performed> {
  const { headers, method, url, body } = request;
  const repeatable = {
    owner: { keyId: key.keyId },
    key: readHeader(request, 'idempotency-key'),
    operation: [method, url, headers.accept, headers['if-match']].join(' '),
    body,
  };
  const execute = async (_seed: string, claim?: RequestClaim) => ({ body: JSON.stringify(await run(claim)) });
  const stored = await executeOnce(repeatable, execute, { idempotency: adminRequests, now });
  return JSON.parse(stored) as Performed; // as `execute` returned it
}

async function perform(
  { request, key, claim }: Pick<Exchange, 'request' | 'key'> & { readonly claim: RequestClaim | undefined },
  row: AdminOperation,
  deps: AdministrationRouteDeps,
): Promise<Performed> {
  const input = readInput(row, request);
  const isCommand = request.headers.accept === COMMAND_MEDIA_TYPE;
  const render = isCommand ? await deps.findRenderer(row) : undefined;
  if (isCommand && render === undefined) throw new ApiError(ANY_CALL.invalid_request, NO_COMMAND);
  const ifVersion = readVersion(request.headers['if-match'], row);
  const actor = { kind: 'admin_key', id: key.keyId, name: key.name } as const;
  const context: AdministrationDeps = {
    ...deps,
    actor: key,
    by: { actor, address: request.ip, now: deps.now, claim },
    ifVersion,
    openSigner: async () => deps.webhookSigner,
    testAlerts: () => testChannels(deps.alertChannels),
    noteFailure: (err) =>
      deps.log.error(
        { event: 'request_failed', err, requestId: request.id, route: row.path },
        'A request failed',
      ),
    addresses: async () => ({ url: deps.publicUrl, dashboardUrl: deps.dashboardUrl }),
  };
  const counts = await asApiErrors(() => dryRun(row, input, context));
  if (counts !== undefined)
    return { status: 200, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(counts) };
  const result = await asApiErrors(() => row.run(input, context));
  const version = row.version?.(result);
  const document =
    render === undefined ? row.toDocument(result, context) : await render(result, { input, deps: context });
  return {
    status: row.status ?? 200,
    headers: {
      'content-type': render === undefined ? JSON_TYPE : `${COMMAND_MEDIA_TYPE}; charset=utf-8`,
      ...(version !== undefined && { etag: `"${version}"` }),
    },
    body: document instanceof Readable ? document : JSON.stringify(document),
  };
}

/** Returns the version in If-Match (RFC 9110 §13.1.1), `undefined` if any will do. */
function readVersion(ifMatch: string | undefined, { version }: AdminOperation): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const message = 'This operation has no ETag: send it without If-Match';
  if (version === undefined) throw new ApiError(ANY_CALL.invalid_request, message);
  const [, number] = /^\s*"(\d{1,15})"\s*$/.exec(ifMatch) ?? [];
  return number === undefined ? -1 : Number(number);
}

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_COMMAND = 'No command of this version prints this operation: send Accept: application/json';

const asApiErrors = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((reason) => {
    throw toApiError(reason);
  });
