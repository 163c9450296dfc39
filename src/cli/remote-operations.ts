/** Runs operations at a server, through its administration API. The admin key is never printed. */
import { randomUUID } from 'node:crypto';
import {
  type AdminOperation,
  COMMAND_MEDIA_TYPE,
  toRequest,
} from '../administration/operations/operation.ts';
import { ADMIN_PREFIX } from '../administration/operations/operations.ts';
import { asObject, type Members, readMembers } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import { errorCode } from '../lib/error-code.ts';
import { jsonIn } from '../lib/json.ts';
import { CommandError, type Server } from './command.ts';
import type { OperationOutput, Operations } from './rendering.ts';

const TIMEOUT_MS = 120_000;

/** Returns the operations at a server. */
export const remoteOperations = (server: Server): Operations => ({
  async run({ operation }, fields) {
    const output = readOutput(
      await call(server, operation, { fields, accept: COMMAND_MEDIA_TYPE, read: readObject }),
    );
    if (output === undefined) throw noKalends(server, 200);
    return output;
  },
  read: (operation, fields) => call(server, operation, { fields, accept: JSON_TYPE, read: readObject }),
  stream: (operation, fields) =>
    call(server, operation, { fields, accept: JSON_TYPE, read: async (body) => decode(server, body) }),
});

const JSON_TYPE = 'application/json';

type Call<T> = {
  readonly fields: Members;
  readonly accept: string;
  /** Reads the body of the response. If it fails, the request is sent again. */
  readonly read: (response: Response) => Promise<T>;
};

const readObject = async (response: Response): Promise<Members> =>
  asObject(jsonIn(await response.text())) ?? {};

/** Yields the text of the body. Throws CommandError if the connection breaks before its end. */
async function* decode(server: Server, { body }: Response): AsyncGenerator<string> {
  try {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) yield piece;
  } catch (reason) {
    throw unreachable(server, reason);
  }
}

async function call<T>(server: Server, row: AdminOperation, { fields, accept, read }: Call<T>): Promise<T> {
  const { params, query, body } = toRequest(row, fields);
  readMembers(params, row.pathFields);
  const path = row.path.replace(/\{(\w+)\}/g, (_, name) => pathPart(String(params[name])));
  const url = `${server.origin}${ADMIN_PREFIX}${path}?${new URLSearchParams(query)}`;
  const isPost = row.method === 'post';
  const init = {
    method: row.method.toUpperCase(),
    headers: {
      ...{ accept, authorization: `Bearer ${server.adminKey}` },
      ...(isPost && { 'idempotency-key': randomUUID() }),
      ...((isPost || row.method === 'patch') && { 'content-type': 'application/json' }),
    },
    ...((isPost || row.method === 'patch') && { body: JSON.stringify(body) }),
  };
  const send = async () => {
    // A body in pieces takes as long as it is large. fetch ends one without a piece for five minutes.
    const limit = read === readObject && { signal: AbortSignal.timeout(TIMEOUT_MS) };
    const response = await fetch(url, { ...init, redirect: 'manual', ...limit });
    const type = response.headers.get('content-type') ?? '';
    if (response.status < 300 && type.startsWith(accept)) return { value: await read(response) };
    return { failure: toError(server, response.status, await readObject(response)) };
  };
  // The server performs a POST once for each key. Another method that was performed would fail the second time.
  const isRepeatable = isPost || row.method === 'get';
  const reply = await send()
    .catch((reason) => (isRepeatable ? send() : Promise.reject(reason)))
    .catch((reason) => {
      throw unreachable(server, reason);
    });
  if ('failure' in reply) throw reply.failure;
  return reply.value;
}

const unreachable = ({ origin }: Server, reason: unknown): CommandError =>
  new CommandError(
    'unreachable',
    `${origin} cannot be reached (${causeText(reason)}). Check the address and the network.`,
  );

/** Encodes a part of a path. URLs have no form of the parts `.` and `..`. */
function pathPart(text: string): string {
  if (!/^\.{1,2}$/.test(text)) return encodeURIComponent(text);
  throw new CommandError('refused', `"${text}" cannot be sent in a URL; run this command without --server.`);
}

function toError(server: Server, status: number, { code, message, details }: Members): Error {
  if (status < 400 || typeof code !== 'string' || typeof message !== 'string')
    return noKalends(server, status);
  if (code === 'invalid_admin_key')
    return new CommandError(
      code,
      `${server.origin} rejects the admin key in KALENDS_ADMIN_KEY. Use a key that is neither expired nor removed.`,
    );
  if (code === 'not_found') return noKalends(server, status);
  const row = { code, message, status, when: '', fix: '' };
  return new ApiError(row, { fields: details === undefined ? {} : { details } });
}

const noKalends = ({ origin }: Server, status: number): CommandError =>
  new CommandError(
    'no_kalends',
    `${origin} returns ${status} without a document of this command. Is it the origin of the administration API, and of this version?`,
  );

function readOutput(body: Members): OperationOutput | undefined {
  const { text, table, none } = body;
  const json = asObject(body.json);
  if (json === undefined) return undefined;
  if (typeof text === 'string')
    return { json, text, exitCode: typeof body.exitCode === 'number' ? body.exitCode : 0 };
  const isTable = Array.isArray(table) && table.every((row) => Array.isArray(row));
  return isTable && typeof none === 'string' ? { json, table, none } : undefined;
}

/** Returns the cause of "fetch failed": a code such as ECONNREFUSED, or a message. */
export function causeText(reason: unknown): string {
  const cause = reason instanceof Error ? (reason.cause ?? reason) : reason;
  return errorCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
}
