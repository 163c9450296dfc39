/** An entry of the request log as operators see it. */
import type { RequestEntry } from '../../request-log/request-entry.ts';
import { type DocumentField, toTime } from './field.ts';

export const REQUEST: readonly DocumentField<RequestEntry>[] = [
  { name: 'request_id', value: ({ requestId }) => requestId },
  { name: 'at', value: ({ at }) => toTime(at) },
  { name: 'method', value: ({ method }) => method },
  { name: 'route', value: ({ route }) => route ?? null, text: ({ route = '(no such route)' }) => route },
  { name: 'status', value: ({ status }) => status },
  { name: 'duration_ms', value: ({ durationMs }) => durationMs },
  { name: 'client_id', value: ({ clientId }) => clientId ?? null, text: renderClient },
  { name: 'user', value: ({ user }) => user ?? null },
  { name: 'network', value: ({ network }) => network ?? null },
  // The log stores the body of an error as JSON.
  { name: 'body', value: ({ body }) => (body === undefined ? null : (JSON.parse(body) as unknown)) },
  { name: 'repeated', value: ({ repeated }) => repeated },
  // Whether the request only named the application, without proving it.
  { name: 'claimed', value: ({ isClaimed }) => isClaimed },
];

function renderClient({ clientId = '', isClaimed }: RequestEntry): string {
  return isClaimed ? `${clientId} (claimed)` : clientId;
}
