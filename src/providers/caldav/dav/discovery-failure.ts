/** Why no calendars were found: the failure that tells most of all addresses tried, in words for a form. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { Egress } from '../../../lib/egress/egress.ts';
import { EgressError } from '../../../lib/egress/egress-error.ts';

/** An address that was tried, and what came of it. */
export type Refusal = { readonly address: URL; readonly failure: ProviderError };

/**
 * The failure to throw after these. Where nothing spoke https at the typed address, it asks it once by http, without the
 * password, if http is allowed there: `http://` may be all that is missing.
 */
export async function discoveryFailure(
  refusals: readonly Refusal[],
  typed: URL,
  egress: Egress,
): Promise<ProviderError> {
  const telling = TELLING.flatMap((tells) => refusals.find(({ failure }) => tells(failure)) ?? [])[0]
    ?.failure;
  if (telling === undefined)
    return new ProviderError('invalid_response', 'No CalDAV server was found at this address', {
      detail: 'no_caldav',
    });
  const atTyped = refusals.find(({ address }) => address.origin === typed.origin);
  if (telling.kind !== 'unavailable' || !lacksHttps(typed, atTyped?.failure)) return telling;
  if (!(await speaksHttp(typed, egress))) return telling;
  const message = `${typed.hostname} answers at http:// only`;
  return new ProviderError('unavailable', message, { cause: telling, detail: 'plain_http' });
}

/** A wrong password tells more than a wrong address, and an address where nothing is tells least. */
const TELLING: readonly ((refusal: ProviderError) => boolean)[] = [
  ({ kind }) => kind === 'unauthorized',
  ({ detail }) => detail === 'no_basic',
  ({ detail }) => detail === 'too_many_requests',
  ({ kind }) => kind === 'no_calendars',
  ({ detail }) => detail === 'principal_unproved',
  ({ kind }) => kind === 'forbidden_address',
  ({ detail }) => detail === 'certificate',
  // A server that answers, if only that it is out of order.
  ({ kind, detail }) => kind === 'unavailable' && detail === undefined,
  ({ detail }) => detail === 'foreign_address',
  ({ detail }) => detail === 'connection_refused',
  ({ detail }) => detail === 'host_unknown',
];

/** Whether the typed address was not reached by https, for a reason that http would not have. */
function lacksHttps(typed: URL, refusal: ProviderError | undefined): boolean {
  const failure = refusal?.cause;
  if (typed.protocol !== 'https:' || !(failure instanceof EgressError)) return false;
  const { kind, detail } = failure;
  // Some servers close the connection instead of answering a handshake.
  return detail === 'no_tls' || detail === 'connection_refused' || (kind === 'unreachable' && !detail);
}

const HTTP_TIMEOUT_MS = 5_000;
const MOST_HTTP_BYTES = 1_000_000;

/** Whether a server is there that does not send its clients back to https. */
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
