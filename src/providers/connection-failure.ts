/** What failures below HTTP mean, the same with every provider. */
import { ProviderError } from '../calendars/provider-error.ts';
import type { EgressError } from '../lib/egress/egress-error.ts';

export function connectionFailure(failure: EgressError): ProviderError {
  const { kind, message } = failure;
  if (kind === 'forbidden_address')
    return new ProviderError('forbidden_address', message, { cause: failure, reason: 'address_forbidden' });
  if (kind === 'too_large' || kind === 'too_many_redirects')
    return new ProviderError('invalid_response', message, {
      cause: failure,
      reason: 'provider_answer_unreadable',
    });
  return new ProviderError('unavailable', message, { cause: failure, reason: 'provider_unavailable' });
}
