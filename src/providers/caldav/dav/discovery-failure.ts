/** Chooses the failure to report if no calendars were found: the most informative one of all tried addresses. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { Egress } from '../../../lib/egress/egress.ts';
import { EgressError } from '../../../lib/egress/egress-error.ts';

export type Refusal = { readonly address: URL; readonly failure: ProviderError };

/** Returns the failure to throw. If https failed and http is allowed, it first tries http, without the password. */
export async function discoveryFailure(
  refusals: readonly Refusal[],
  typed: URL,
  egress: Egress,
): Promise<ProviderError> {
  const informative = MOST_INFORMATIVE.flatMap(
    (tells) => refusals.find(({ failure }) => tells(failure)) ?? [],
  )[0]?.failure;
  if (informative === undefined)
    return new ProviderError('invalid_response', 'No CalDAV server was found at this address', {
      detail: 'no_caldav',
    });
  const typedRefusal = refusals.find(({ address }) => address.origin === typed.origin);
  if (informative.kind !== 'unavailable' || !lacksHttps(typed, typedRefusal?.failure)) return informative;
  if (!(await speaksHttp(typed, egress))) return informative;
  const message = `${typed.hostname} responds at http:// only`;
  return new ProviderError('unavailable', message, { cause: informative, detail: 'plain_http' });
}

/** The most informative failures first: a wrong password comes before a wrong address. */
const MOST_INFORMATIVE: readonly ((refusal: ProviderError) => boolean)[] = [
  ({ kind }) => kind === 'unauthorized',
  ({ detail }) => detail === 'no_basic',
  ({ detail }) => detail === 'too_many_requests',
  ({ kind }) => kind === 'no_calendars',
  ({ detail }) => detail === 'principal_unproved',
  ({ kind }) => kind === 'forbidden_address',
  ({ detail }) => detail === 'certificate',
  // A server that responds, if only that it is out of order.
  ({ kind, detail }) => kind === 'unavailable' && detail === undefined,
  ({ detail }) => detail === 'foreign_address',
  ({ detail }) => detail === 'connection_refused',
  ({ detail }) => detail === 'host_unknown',
];

/** Returns whether https failed at the typed address for a reason that http would not have. */
function lacksHttps(typed: URL, refusal: ProviderError | undefined): boolean {
  const failure = refusal?.cause;
  if (typed.protocol !== 'https:' || !(failure instanceof EgressError)) return false;
  const { kind, detail } = failure;
  // Some servers close the connection instead of answering a handshake.
  return detail === 'no_tls' || detail === 'connection_refused' || (kind === 'unreachable' && !detail);
}

const HTTP_TIMEOUT_MS = 5_000;
const MOST_HTTP_BYTES = 1_000_000;

/** Returns whether a server is there that does not redirect its clients to https. */
async function speaksHttp(typed: URL, egress: Egress): Promise<boolean> {
  const url = new URL('/', typed);
  url.protocol = 'http:';
  try {
    const answer = await egress.request({
      method: 'OPTIONS',
      url,
      mayFollow: () => false,
      timeoutMs: HTTP_TIMEOUT_MS,
      maxBytes: MOST_HTTP_BYTES,
    });
    return answer.status !== 400 && !/^https:/i.test(answer.header('location') ?? '');
  } catch (failure) {
    if (failure instanceof EgressError) return false;
    throw failure;
  }
}
