/** Graph's errors: `{error: {code, message, innerError}}`. */
import { randomUUID } from 'node:crypto';

import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';

/** Code and message where a fault names a status only. No source confirms all of them. */
const CODES: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ['BadRequest', 'The request is malformed.'],
  401: ['InvalidAuthenticationToken', 'Access token has expired or is not yet valid.'],
  403: ['ErrorAccessDenied', 'Access is denied. Check credentials and try again.'],
  404: ['ErrorItemNotFound', 'The specified object was not found in the store.'],
  409: ['Conflict', 'The request conflicts with the state of the resource.'],
  410: ['SyncStateNotFound', 'The sync state generation is not found. Please restart the synchronization.'],
  412: [
    'ErrorIrresolvableConflict',
    'The change key passed in the request does not match the current change key for the item.',
  ],
  429: ['ApplicationThrottled', 'Application is over its MailboxConcurrency limit.'],
  500: ['InternalServerError', 'An internal server error occurred. The operation failed.'],
  502: ['BadGateway', 'The gateway got no valid answer.'],
  503: ['ServiceUnavailable', 'The service is temporarily unavailable.'],
  504: ['UnknownError', ''],
};

export function graphErrorAnswer(
  {
    status,
    reason,
    message,
  }: { readonly status: number; readonly reason?: string; readonly message?: string },
  now: number,
): SandboxAnswer {
  const [code, text] = CODES[status] ?? ['UnknownError', ''];
  const requestId = randomUUID();
  const innerError = {
    date: new Date(now).toISOString().slice(0, 19),
    'request-id': requestId,
    'client-request-id': requestId,
  };
  const error = { code: reason ?? code, message: message ?? text, innerError };
  const headers = {
    'content-type': 'application/json',
    'request-id': requestId,
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="", authorization_uri="", client_id=""' } : {}),
  };
  return { status, headers, body: JSON.stringify({ error }) };
}

/** The item is not there, or not the caller's. */
export const itemNotFound = (): SandboxRefusal =>
  new SandboxRefusal(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');

export const accessDenied = (): SandboxRefusal =>
  new SandboxRefusal(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');

/** A query option, or a use of one, that the sandbox does not support. Better refused than answered wrongly. */
export const unsupportedQuery = (option: string): SandboxRefusal =>
  new SandboxRefusal(400, 'ErrorInvalidUrlQuery', `The query parameter '${option}' is not supported here.`);
