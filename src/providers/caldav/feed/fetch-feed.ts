/** Requests a calendar at its address. Errors name the host and no other part of the address. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import { isPublicAddress, parseHostLiteral } from '../../../lib/egress/address-policy.ts';
import type { Egress, EgressResponse } from '../../../lib/egress/egress.ts';
import { EgressError } from '../../../lib/egress/egress-error.ts';
import { isLoopbackHost } from '../../../lib/egress/private-network.ts';
import { parseRetryAfter } from '../../../lib/retry-after.ts';
import { connectionFailure } from '../../connection-failure.ts';
import { type DavBody, toDavBody } from '../dav/dav-body.ts';
import { boundedTag } from '../dav/listed-object.ts';
import { isGone } from '../dav/status.ts';

/** The server's validators of the last version that was read (RFC 9110 §8.8). */
export type Validators = {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
};

/** The response. `maxAge`: the milliseconds for which the server says that the calendar does not change, if it does. */
export type FeedAnswer = { readonly maxAge: number | undefined } & (
  | { readonly type: 'unchanged' }
  /** `from`: the final address after redirects. */
  | { readonly type: 'read'; readonly body: DavBody; readonly validators: Validators; readonly from: URL }
);

/**
 * Requests the calendar. Fails as `not_found` if there is none or nobody may see it, as `unauthorized` if a sign-in is
 * required, as `too_large` above 10 MB. After a redirect to another origin, every failure is the same.
 */
export async function fetchFeed(
  url: URL,
  validators: Validators | undefined,
  egress: Egress,
): Promise<FeedAnswer> {
  let isElsewhere = false;
  const mayFollow = (target: URL): boolean => {
    const isOwn = isOwnOrigin(target, url);
    if (!isOwn && !isPublicSite(target)) return false;
    isElsewhere ||= !isOwn;
    return true;
  };
  const answer = await egress
    .request({ method: 'GET', url, headers: { accept: ACCEPT, ...toConditions(validators) }, mayFollow })
    .catch((failure: unknown) => {
      if (!(failure instanceof EgressError)) throw failure;
      throw isElsewhere ? nothingElsewhere(url) : toFetchError(failure, url);
    });
  const maxAge = parseMaxAge(answer.header('cache-control'));
  if (answer.status === 304 && validators !== undefined) return { type: 'unchanged', maxAge };
  if (REDIRECTS.includes(answer.status) && answer.header('location') !== undefined) throw notFollowed(url);
  if (answer.status !== 200) throw isElsewhere ? nothingElsewhere(url) : toProviderError(answer, url);
  const [etag, lastModified] = ['etag', 'last-modified'].map((name) => boundedTag(answer.header(name)));
  return {
    type: 'read',
    maxAge,
    body: toDavBody(answer),
    validators: { etag, lastModified },
    from: answer.url,
  };
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** The typed origin may be private. The same host with https counts as its own too. */
const isOwnOrigin = ({ origin }: URL, { origin: typed, hostname }: URL): boolean =>
  origin === typed || origin === `https://${hostname}`;

/**
 * Returns whether a URL is public. Even if the operator allows private hosts, a publisher must not choose requests to
 * them (docs/security.md T13). A private host with a public name has no certificate for that name.
 */
function isPublicSite({ protocol, hostname }: URL): boolean {
  const literal = parseHostLiteral(hostname);
  if (protocol !== 'https:') return false;
  return literal === undefined ? !isLoopbackHost(hostname.replace(/\.$/, '')) : isPublicAddress(literal);
}

const notFollowed = ({ hostname }: URL): ProviderError =>
  new ProviderError('forbidden_address', `${hostname} redirects to an address that is not public`, {
    reason: 'address_forbidden',
  });

/** Returns one error for every failure there, so that nobody learns the response of another host. */
const nothingElsewhere = ({ hostname }: URL): ProviderError =>
  new ProviderError('invalid_response', `${hostname} redirects to an address that cannot be read`, {
    detail: 'no_calendar',
  });

const ACCEPT = 'text/calendar, text/plain;q=0.5, */*;q=0.1';

function toConditions(validators: Validators | undefined): Record<string, string> {
  const { etag, lastModified } = validators ?? {};
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

/** RFC 9111 §5.2.2.1. A server that forbids storing the response does not say how long it stays valid. */
function parseMaxAge(cacheControl = ''): number | undefined {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return undefined;
  const [, seconds] = /\bmax-age\s*=\s*"?(\d{1,9})/i.exec(cacheControl) ?? [];
  return seconds === undefined || Number(seconds) === 0 ? undefined : Number(seconds) * 1000;
}

function toFetchError(failure: EgressError, { hostname }: URL): ProviderError {
  if (failure.kind !== 'too_large') return connectionFailure(failure);
  return new ProviderError('too_large', `The calendar at ${hostname} is larger than 10 MB`, {
    cause: failure,
    reason: 'calendar_too_large',
  });
}

function toProviderError(answer: EgressResponse, { hostname }: URL): ProviderError {
  const { status } = answer;
  const retryAfter = parseRetryAfter((name) => answer.header(name));
  const options = retryAfter === undefined ? {} : { retryAfter };
  if (status === 401)
    return new ProviderError('unauthorized', `${hostname} requires a sign-in at this address`, {
      detail: 'sign_in_needed',
    });
  if (status === 403)
    return new ProviderError('not_found', `${hostname} denies access to the calendar at this address`, {
      detail: 'sign_in_needed',
    });
  if (isGone(status))
    return new ProviderError('not_found', `${hostname} has no calendar at this address`, options);
  if (status === 429) return new ProviderError('rate_limited', `${hostname} asks to wait`, options);
  if (status >= 500) return new ProviderError('unavailable', `${hostname} has a server error`, options);
  return new ProviderError(
    'invalid_response',
    `${hostname} returned ${status} instead of a calendar`,
    options,
  );
}
