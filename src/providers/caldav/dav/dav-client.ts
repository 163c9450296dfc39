/** A WebDAV client for one account. It sends requests, and so the password, only to the account's pinned origins. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { Egress, EgressResponse } from '../../../lib/egress/egress.ts';
import { EgressError } from '../../../lib/egress/egress-error.ts';
import { isPinned } from '../../../lib/egress/origins.ts';
import { parseRetryAfter } from '../../../lib/retry-after.ts';
import { connectionFailure } from '../../connection-failure.ts';
import { decodeBody, toDavBody } from './dav-body.ts';
import { davDocument, propElement } from './dav-names.ts';
import { collectParts, type DavReading } from './dav-reading.ts';
import type { DavResponse } from './multistatus.ts';
import { PROPERTIES } from './properties-task.ts';
import { isGone } from './status.ts';

export type DavSession = {
  readonly egress: Egress;
  readonly username: string;
  readonly password: string;
  readonly origins: readonly string[];
  readonly reading: DavReading;
};

export type DavRequest = {
  readonly method: 'PROPFIND' | 'REPORT' | 'GET' | 'PUT' | 'DELETE' | 'MKCALENDAR' | 'PROPPATCH';
  readonly depth?: '0' | '1';
  /** XML, or the calendar object that is put. */
  readonly body?: string;
  /** The condition that the resource must meet (RFC 9110 §13.1). */
  readonly condition?: DavCondition | undefined;
  /** Limits the response in bytes; by default to the limit of egress. */
  readonly maxBytes?: number | undefined;
};

export type DavCondition = { readonly 'if-match': string } | { readonly 'if-none-match': '*' };

/** Returns the response, whatever its status. Fails with ProviderError if there is none. */
export async function davRequest(
  session: DavSession,
  url: URL,
  request: DavRequest,
): Promise<EgressResponse> {
  const { egress, username, password, origins } = session;
  if (!isPinned(origins, url)) throw foreignAddress(url);
  // Basic is sent with the first request: iCloud's challenge names its own scheme first.
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const { method, depth, body, condition, maxBytes } = request;
  const contentType = method === 'PUT' ? 'text/calendar; charset=utf-8' : 'application/xml; charset=utf-8';
  return egress
    .request({
      method,
      url,
      headers: {
        ...(depth === undefined ? {} : { depth }),
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...condition,
      },
      ...(body === undefined ? {} : { body }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
      credentials: { authorization, origins },
      mayFollow: (target) => isPinned(origins, target),
    })
    .catch((failure: unknown) => {
      throw failure instanceof EgressError ? connectionFailure(failure) : failure;
    });
}

export type PropertyRequest = { readonly depth: '0' | '1'; readonly properties: readonly string[] };

export type DavProperties = {
  readonly responses: readonly DavResponse[];
  /** The address of the response, after redirects. */
  readonly url: URL;
};

export async function propfind(
  session: DavSession,
  url: URL,
  request: PropertyRequest,
): Promise<DavProperties> {
  return propertiesIn(session, await sendPropfind(session, url, request));
}

/** Sends a PROPFIND and returns the response, whatever its status. */
export function sendPropfind(
  session: DavSession,
  url: URL,
  { depth, properties }: PropertyRequest,
): Promise<EgressResponse> {
  const body = davDocument('d:propfind', propElement(properties));
  return davRequest(session, url, { method: 'PROPFIND', depth, body });
}

/** Returns the properties in a response. Fails unless its status is 207. */
export async function propertiesIn(
  { reading }: Pick<DavSession, 'reading'>,
  answer: EgressResponse,
): Promise<DavProperties> {
  if (answer.status !== 207) throw toDavError(answer);
  const parts = await collectParts(reading, PROPERTIES, { body: toDavBody(answer) });
  return { responses: parts.flat(), url: answer.url };
}

export const bodyText = (answer: EgressResponse): string => decodeBody(toDavBody(answer));

/** A longer body is no error message, and is not read. */
const LONGEST_ERROR = 16_000;

export const errorText = (answer: EgressResponse): string =>
  answer.body.length > LONGEST_ERROR || answer.body.length === 0 ? '' : bodyText(answer);

export function toDavError(answer: EgressResponse): ProviderError {
  const { status, url } = answer;
  const host = url.hostname;
  const cause = new Error(`${url.pathname} returned ${status}`);
  const retryAfter = parseRetryAfter((name) => answer.header(name));
  const options = retryAfter === undefined ? { cause } : { cause, retryAfter };
  if (status === 401) return unauthorized(answer, host);
  if (isGone(status)) return new ProviderError('not_found', `${host} has no such calendar`, options);
  if (status === 412)
    return new ProviderError('precondition_failed', 'It was changed in the meantime', options);
  if (status === 429) return new ProviderError('rate_limited', `${host} asks to wait`, options);
  // It concerns this address, not the password: a resource that is no longer shared is gone for the account.
  if (status === 403) return new ProviderError('not_found', `${host} does not grant access`, options);
  if (status >= 500) return new ProviderError('unavailable', `${host} has a server error`, options);
  const target = status >= 300 && status < 400 ? URL.parse(answer.header('location') ?? '', url) : null;
  if (target !== null) return foreignAddress(target);
  return new ProviderError('invalid_response', `${host} does not respond as a CalDAV server`, options);
}

/** Returns the error for 401. A server without Basic says nothing about the password. */
function unauthorized(answer: EgressResponse, host: string): ProviderError {
  const challenge = answer.header('www-authenticate');
  if (
    challenge !== undefined &&
    !/\bbasic\b/i.test(challenge) &&
    /\b(digest|negotiate|bearer)\b/i.test(challenge)
  )
    return new ProviderError('invalid_response', `${host} does not accept a user name and password (Basic)`, {
      detail: 'no_basic',
    });
  return new ProviderError('unauthorized', `${host} refuses this user name and password`);
}

/** Returns the error that tells the user the address: only if they type it does the server there get the password. */
export function foreignAddress(target: URL): ProviderError {
  const message = `The server points to ${target.origin}: if you trust it, enter that address`;
  return new ProviderError('invalid_response', message, { detail: 'foreign_address' });
}
