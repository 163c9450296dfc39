/** How large the parts of a request may be, and the refusals that say so (docs/operations.md, Limits). */
import { ANY_CALL, ApiError } from './refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The longest query, in bytes as it is sent; READ_QUERY_BYTES by default. */
    mostQueryBytes?: number;
  }
}

/** Of the whole header, the address within it: cookies and a query fit beside each other. */
export const HEADER_BYTES = 64 * 1024;
/** Of a JSON body. */
export const BODY_BYTES = 1024 * 1024;
/** Of bodies that are read before anybody knows who sends them, in all but two places. */
export const FORM_BYTES = 16 * 1024;
/** Of the one form with a field for each calendar of an account: hundreds of them fit. */
export const CHOICE_BYTES = 48 * 1024;
/** Of what providers tell: dozens of notices of Microsoft's fit. */
export const NOTICE_BYTES = 48 * 1024;
/** Of a query: a hundred calendar ids of Outlook fit. */
export const READ_QUERY_BYTES = 32 * 1024;
/** Of a query at `/authorize` and its pages: the longest legal user id, state and redirect URI fit. */
export const PAGE_QUERY_BYTES = 16 * 1024;
/** How deep JSON may be nested. */
export const JSON_LEVELS = 64;

/** As people read it: whole kilobytes (of 1,024 bytes), or MiB. */
export const sizeOf = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} kB`;

/** 413, for a body. */
export const bodyTooLarge = (most: number): ApiError =>
  tooLarge(413, 'body', `The body must not be larger than ${sizeOf(most)}`);

/** 414, for a query. */
export const queryTooLong = (most: number): ApiError =>
  tooLarge(414, 'query', `The query must not be longer than ${sizeOf(most)}`);

/** 431, for all of the header. */
export const headerTooLarge = (most: number): ApiError =>
  tooLarge(431, 'header', `The header must not be larger than ${sizeOf(most)}`);

/** How many bytes of a request target are its query. */
export function queryBytes(target: string): number {
  const start = target.indexOf('?');
  return start < 0 ? 0 : target.length - start - 1;
}

const tooLarge = (status: number, field: string, message: string): ApiError =>
  new ApiError(ANY_CALL.request_refused, { status, field, message });
