/** The errors of the server itself: a request that reaches no operation, or that an operation cannot read. */
import { errorTable } from './refusal.ts';

export const SERVER = errorTable({
  unusable_text: {
    status: 400,
    message: 'Text must not contain the character U+0000 or half a surrogate pair',
    when: 'A string contains U+0000 or half a surrogate pair.',
    fix: 'Send well-formed Unicode without U+0000.',
  },
  not_found: {
    status: 404,
    message: 'There is nothing at this path',
    when: 'No operation has this path.',
    fix: 'Compare the path with the [reference](wire.md).',
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not support this method',
    when: 'The path does not support this method. `Allow` lists the methods that it supports.',
    fix: 'Compare the method with the [reference](wire.md).',
    headers: { Allow: 'The methods that the path supports.' },
  },
  request_refused: {
    status: 413,
    otherStatuses: [408, 414, 415, 417, 431],
    message: 'This content type is not supported',
    when: 'The request did not arrive in time, is too large, or has an unsupported content type.',
    fix: '`message` and `details` name the limit. All limits are listed in [requests](operations.md#requests).',
  },
  too_many_connections: {
    status: 503,
    otherStatuses: [429],
    message: 'Too many connections',
    when: 'Too many connections are open, either from one address (429) or in total (503).',
    fix: 'Reuse connections (keep-alive), and wait for the seconds in `Retry-After`.',
    field: 'connections',
    retryAfter: 5,
  },
  too_many_bodies: {
    status: 503,
    message: 'Too many large bodies are being received: send the request again in a few seconds',
    when: 'Large bodies that are being received have used up the memory for them.',
    fix: 'Send the request again after the seconds in `Retry-After`.',
    field: 'body',
    retryAfter: 5,
  },
  server_error: {
    status: 500,
    message:
      'Something went wrong on our side; the operator can find it in the log by request 1f2e3d4c5b6a-0',
    when: 'An unexpected error occurred in the server.',
    fix: 'Give `requestId` to the operator, who can find it in the log. Repeat a write with its `Idempotency-Key`.',
    fields: { requestId: '1f2e3d4c5b6a-0' },
  },
});
