/** Requests that reach no route. Node's own responses would lack our headers and body format (docs/wire.md 3.1). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyInstance } from 'fastify';

import { canRefuse, type OpenConnections } from './open-connections.ts';
import { answerHeaders, rawAnswer } from './raw-answer.ts';
import { ANY_CALL, ApiError } from './refusal.ts';
import { HEADER_BYTES, headerTooLarge } from './sizes.ts';

type Headers = Readonly<Record<string, string>>;

/** The milliseconds in which a whole request and its header must arrive. The response may take longer. */
export type ArrivalTimes = {
  readonly request: number;
  readonly headers: number;
};

const UNREADABLE = new ApiError(ANY_CALL.invalid_request, 'The request is not HTTP that can be read');
const UNEXPECTED = new ApiError(ANY_CALL.request_refused, {
  status: 417,
  message: 'Of Expect, nothing but 100-continue can be met',
});
const WITHOUT_HOST = new ApiError(ANY_CALL.invalid_request, 'The Host header is missing');
const EXTENDED = new ApiError(ANY_CALL.request_refused, 'Extensions of chunks must not be larger than 16 kB');

/** Creates the responses to bytes that are no request, or arrive too late; for Fastify's `clientErrorHandler`. */
export function unparsedRequestAnswers(headers: Headers, open: OpenConnections, times: ArrivalTimes) {
  const refusals: Readonly<Record<string, ApiError>> = {
    HPE_HEADER_OVERFLOW: headerTooLarge(HEADER_BYTES),
    HPE_CHUNK_EXTENSIONS_OVERFLOW: EXTENDED,
    ERR_HTTP_REQUEST_TIMEOUT: late(times),
  };
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (socket.writable && canRefuse(open.get(socket)?.exchange)) {
      socket.write(rawAnswer(refusals[error.code ?? ''] ?? UNREADABLE, headers));
    }
    socket.destroy(error);
  };
}

function late({ request, headers }: ArrivalTimes): ApiError {
  const message = `The request did not arrive in time: within ${request / 1000} seconds, its header within ${headers / 1000}`;
  return new ApiError(ANY_CALL.request_refused, { status: 408, message, field: 'request' });
}

/** Returns a 400 error for HTTP/1.1 without `Host` (RFC 9112 §3.2), otherwise `undefined`. */
export const problemOfHost = ({ headers, httpVersion }: IncomingMessage): ApiError | undefined =>
  headers.host === undefined && httpVersion === '1.1' ? WITHOUT_HOST : undefined;

/** Responds with 417 to an `Expect` that cannot be met (RFC 9110 §10.1.1). */
export function refuseExpectations(app: FastifyInstance, headers: Headers): void {
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const text = JSON.stringify(UNEXPECTED.body);
    response.writeHead(UNEXPECTED.status, answerHeaders(headers, text)).end(text);
  });
}
