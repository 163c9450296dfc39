/** Derives an account's health from a failure. */
import type { AccountProblem } from './account-store.ts';
import { actorOf, type HealthReason } from './health-reason.ts';
import type { ProviderErrorKind } from './provider-error.ts';
import type { ProviderKind } from './provider-facts.ts';
import { PROVIDER_FACTS } from './provider-facts.ts';
import type { SyncFailure } from './sync-failure.ts';

const REASONS: Readonly<Record<Exclude<ProviderErrorKind, 'unauthorized'>, HealthReason | undefined>> = {
  access_denied: 'access_revoked',
  permission_missing: 'calendar_permission_missing',
  misconfigured: 'app_credentials_refused',
  rate_limited: 'quota_exhausted',
  unavailable: 'provider_unavailable',
  forbidden_address: 'address_forbidden',
  invalid_response: 'provider_answer_unreadable',
  sync_token_expired: 'provider_answer_unreadable',
  not_found: 'calendar_gone',
  no_calendars: 'calendar_gone',
  too_large: 'calendar_too_large',
  set_aside: 'calendar_set_aside',
  // Somebody else changed the event first: that says nothing about the account.
  precondition_failed: undefined,
  busy: undefined,
};

/** Returns `undefined` if the failure says nothing about the account. */
export function healthAfter(failure: SyncFailure, provider: ProviderKind): AccountProblem | undefined {
  const reason = failure.reason ?? usualReason(failure.kind, provider);
  if (reason === undefined) return undefined;
  return { state: stateAfter(failure.kind, reason), reason, message: failure.message };
}

function usualReason(kind: ProviderErrorKind, provider: ProviderKind): HealthReason | undefined {
  if (kind !== 'unauthorized') return REASONS[kind];
  return PROVIDER_FACTS[provider].signIn === 'password' ? 'password_refused' : 'access_revoked';
}

/** `reauth_required` only if signing in again helps: after a rejected token too, even if the operator must also act. */
function stateAfter(kind: ProviderErrorKind, reason: HealthReason): AccountProblem['state'] {
  if (kind === 'unauthorized' || kind === 'access_denied') return 'reauth_required';
  return kind === 'permission_missing' && actorOf(reason) === 'user' ? 'reauth_required' : 'degraded';
}
