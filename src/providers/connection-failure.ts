/** Maps failures below HTTP to errors, in the same way for every provider. */
import type { ProviderError } from '../calendars/provider-error.ts';
import type { EgressError } from '../lib/egress/egress-error.ts';
import { refusalWith } from './meaning.ts';

export function connectionFailure(failure: EgressError): ProviderError {
  const { kind, message } = failure;
  const cause = failure;
  if (kind === 'forbidden_address')
    return refusalWith(['forbidden_address', message, 'address_forbidden'], { cause });
  if (kind === 'too_large' || kind === 'too_many_redirects')
    return refusalWith(['invalid_response', message, 'provider_answer_unreadable'], { cause });
  if (kind === 'too_many_requests')
    return refusalWith(['invalid_response', message], { cause, detail: kind });
  // Without TLS there is no https to connect to.
  const detail = failure.detail === 'no_tls' ? 'connection_refused' : failure.detail;
  return refusalWith(['unavailable', message, 'provider_unavailable'], { cause, detail });
}
