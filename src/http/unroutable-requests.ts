/**
 * Requests that no route ever sees: Node would answer them itself, without headers and in bodies of its own
 * (docs/wire.md 3.1).
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyInstance } from 'fastify';

import { ApiError } from './refusal.ts';

type Headers = Readonly<Record<string, string>>;

const REFUSALS: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: new ApiError(431, 'request_refused', 'The header is too large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError(413, 'request_refused', 'The body is too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError(408, 'request_refused', 'The request did not arrive in time'),
};
const UNREADABLE = new ApiError(400, 'invalid_request', 'The request is not HTTP that can be read');
const UNEXPECTED = new ApiError(417, 'request_refused', 'Of Expect, nothing but 100-continue can be met');
const WITHOUT_HOST = new ApiError(400, 'invalid_request', 'The Host header is missing');

/** Makes what answers bytes that are no request, or not in time; for Fastify's `clientErrorHandler`. */
export const unparsedRequestAnswers =
  (headers: Headers) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (socket.writable) {
      const { status, body } = REFUSALS[error.code ?? ''] ?? UNREADABLE;
      const text = JSON.stringify(body);
      const lines = Object.entries(answerHeaders(headers, text)).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
    }
    socket.destroy(error);
  };

/** HTTP/1.1 without `Host` is refused with 400 (RFC 9112 §3.2); `undefined` for what has one. */
export const problemOfHost = ({ headers, httpVersion }: IncomingMessage): ApiError | undefined =>
  headers.host === undefined && httpVersion === '1.1' ? WITHOUT_HOST : undefined;

/** Answers an `Expect` that nobody can meet with 417 (RFC 9110 §10.1.1). */
export function refuseExpectations(app: FastifyInstance, headers: Headers): void {
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const text = JSON.stringify(UNEXPECTED.body);
    response.writeHead(UNEXPECTED.status, answerHeaders(headers, text)).end(text);
  });
}

const answerHeaders = (headers: Headers, text: string): Headers => ({
  ...headers,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(text)),
  connection: 'close',
});
