/**
 * A small WebDAV client for one account. It requests addresses within the account's pinned origins only, so that no
 * other server is ever given the password.
 */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { Egress, EgressResponse } from '../../../lib/egress/egress.ts';
import { EgressError } from '../../../lib/egress/egress-error.ts';
import { isPinned } from '../../../lib/egress/origins.ts';
import { retryAfterOf } from '../../../lib/retry-after.ts';
import { connectionFailure } from '../../connection-failure.ts';
import { davDocument, propElement } from './dav-names.ts';
import { type DavResponse, type Multistatus, readMultistatus } from './multistatus.ts';

/** What all requests of one account need. */
export type DavSession = {
  readonly egress: Egress;
  readonly username: string;
  readonly password: string;
  /** See lib/egress/origins.ts. */
  readonly origins: readonly string[];
};

export type DavRequest = {
  readonly method: 'PROPFIND' | 'REPORT' | 'GET' | 'PUT' | 'DELETE' | 'MKCALENDAR' | 'PROPPATCH';
  readonly depth?: '0' | '1';
  /** XML, or the calendar object that is put. */
  readonly body?: string;
  /** Sent as a header: the server does it only if the resource is in this state (RFC 9110 §13.1). */
  readonly condition?: DavCondition | undefined;
};

export type DavCondition = { readonly 'if-match': string } | { readonly 'if-none-match': '*' };

/** The answer, whatever its status. Fails with ProviderError when there is none. */
export async function davRequest(
  session: DavSession,
  url: URL,
  request: DavRequest,
): Promise<EgressResponse> {
  const { egress, username, password, origins } = session;
  if (!isPinned(origins, url)) throw foreignAddress(url);
  // Basic before being asked: iCloud's challenge names a scheme of its own first.
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const { method, depth, body, condition } = request;
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
      credentials: { authorization, origins },
      mayFollow: (target) => isPinned(origins, target),
    })
    .catch((failure: unknown) => {
      throw failure instanceof EgressError ? connectionFailure(failure) : failure;
    });
}

export type PropertyRequest = { readonly depth: '0' | '1'; readonly properties: readonly string[] };

/** Properties of a resource, and of its members with depth 1. Fails unless the status is 207. */
export async function propfind(
  session: DavSession,
  url: URL,
  request: PropertyRequest,
): Promise<Multistatus & { readonly url: URL }> {
  const answer = await sendPropfind(session, url, request);
  return { ...multistatusOf(answer), url: answer.url };
}

/** As `propfind`, but resolves to the answer itself, whatever its status. */
export function sendPropfind(
  session: DavSession,
  url: URL,
  { depth, properties }: PropertyRequest,
): Promise<EgressResponse> {
  const body = davDocument('d:propfind', propElement(properties));
  return davRequest(session, url, { method: 'PROPFIND', depth, body });
}

/** The answer's multistatus. Fails with `refusalOf` when the status is not 207. */
export const multistatusOf = (answer: EgressResponse): Multistatus =>
  mapMultistatus(answer, (response) => response);

/** As `multistatusOf`, but holds only what `keep` returns for each response: listings are long. */
export function mapMultistatus<Kept>(
  answer: EgressResponse,
  keep: (response: DavResponse) => Kept,
): Multistatus<Kept> {
  if (answer.status !== 207) throw refusalOf(answer);
  return readMultistatus(bodyText(answer), keep);
}

/** The body as text. UTF-8 unless the server says otherwise. */
export function bodyText(answer: EgressResponse): string {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(answer.header('content-type') ?? '') ?? [];
  try {
    return new TextDecoder(charset).decode(answer.body);
  } catch (cause) {
    throw new ProviderError('invalid_response', 'The server answers in an unknown character set', { cause });
  }
}

/** Whether the status says that nothing is at this address (any more). */
export const isGone = (status: number | undefined): boolean => status === 404 || status === 410;

const TEMPORARY: readonly number[] = [401, 429, 502, 503, 504];

/** Whether the status says nothing of what the server can do: the same request may succeed later, or signed in. */
export const isTemporary = (status: number): boolean => TEMPORARY.includes(status);

/** The error for an answer whose status is no success. */
export function refusalOf(answer: EgressResponse): ProviderError {
  const { status, url } = answer;
  const host = url.hostname;
  const cause = new Error(`${url.pathname} was answered with ${status}`);
  const retryAfter = retryAfterOf((name) => answer.header(name));
  const options = retryAfter === undefined ? { cause } : { cause, retryAfter };
  if (status === 401) return unauthorized(answer, host);
  if (isGone(status)) return new ProviderError('not_found', `${host} has no such calendar`, options);
  if (status === 412) return new ProviderError('precondition_failed', 'It was changed meanwhile', options);
  if (status === 429) return new ProviderError('rate_limited', `${host} asks to wait`, options);
  // About this one address, not the password: what is no longer shared with the account is gone for it.
  if (status === 403) return new ProviderError('not_found', `${host} does not grant access`, options);
  if (status >= 500) return new ProviderError('unavailable', `${host} is out of order`, options);
  const target = status >= 300 && status < 400 ? URL.parse(answer.header('location') ?? '', url) : null;
  if (target !== null) return foreignAddress(target);
  return new ProviderError('invalid_response', `${host} does not answer as a CalDAV server does`, options);
}

/** For 401. A server that does not take Basic says nothing of the password. */
function unauthorized(answer: EgressResponse, host: string): ProviderError {
  const challenge = answer.header('www-authenticate');
  if (
    challenge !== undefined &&
    !/\bbasic\b/i.test(challenge) &&
    /\b(digest|negotiate|bearer)\b/i.test(challenge)
  )
    return new ProviderError('invalid_response', `${host} does not take a user name and password (Basic)`, {
      detail: 'no_basic',
    });
  return new ProviderError('unauthorized', `${host} refuses this user name and password`);
}

/** The user may type that address: a server's word alone does not get it the password. */
export function foreignAddress(target: URL): ProviderError {
  const message = `The server points to ${target.origin}: if you trust it, enter that address`;
  return new ProviderError('invalid_response', message, { detail: 'foreign_address' });
}
