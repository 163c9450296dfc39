/** Size limits of the parts of a request, and their errors (docs/operations.md, Limits). */
import { ApiError } from './refusal.ts';
import { SERVER } from './server-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The longest query, in bytes as it is sent; READ_QUERY_BYTES by default. */
    mostQueryBytes?: number;
  }
}

/** Limits the whole header, including the address: cookies and a query fit together. */
export const HEADER_BYTES = 64 * 1024;
export const BODY_BYTES = 1024 * 1024;
/** Limits bodies that are read before the sender is known, except in two routes. */
export const FORM_BYTES = 16 * 1024;
/** Limits the one form with a field for each calendar of an account: hundreds of them fit. */
export const CHOICE_BYTES = 48 * 1024;
/** Limits push notifications of providers: dozens of Microsoft's notifications fit. */
export const NOTICE_BYTES = 48 * 1024;
/** Limits a query: a hundred Outlook calendar ids fit. */
export const READ_QUERY_BYTES = 32 * 1024;
/** Limits a query at `/authorize` and its pages: the longest valid user id, state and redirect URI fit. */
export const PAGE_QUERY_BYTES = 16 * 1024;
export const JSON_LEVELS = 64;

/** Renders a size for people: whole kilobytes (of 1,024 bytes), or MiB. */
export const formatSize = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} kB`;

export const bodyTooLarge = (most: number): ApiError =>
  tooLarge(413, 'body', `The body must not be larger than ${formatSize(most)}`);

export const queryTooLong = (most: number): ApiError =>
  tooLarge(414, 'query', `The query must not be longer than ${formatSize(most)}`);

export const headerTooLarge = (most: number): ApiError =>
  tooLarge(431, 'header', `The header must not be larger than ${formatSize(most)}`);

/** Returns the length of the query in a request target, in bytes. */
export function queryBytes(target: string): number {
  const start = target.indexOf('?');
  return start < 0 ? 0 : target.length - start - 1;
}

const tooLarge = (status: number, field: string, message: string): ApiError =>
  new ApiError(SERVER.request_refused, { status, field, message });
