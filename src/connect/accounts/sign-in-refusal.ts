/** Why a sign-in at a provider failed, as a page that says who can do what about it. */

import type { AppKind } from '../../access/provider-apps.ts';
import type { ProviderApp, RedirectSignIn } from '../../calendars/calendar-provider.ts';
import { actorOf } from '../../calendars/health-reason.ts';
import type { ProviderError } from '../../calendars/provider-error.ts';
import type { Scope } from '../../oauth/scope.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import {
  backToAccounts,
  ConnectError,
  type ConnectErrorContext,
  type ConnectErrorKind,
} from '../flow/connect-error.ts';
import { selectionPath, signInPath } from '../flow/paths.ts';

/** One of a sign-in's two steps, to the provider or back from it, and what it was done with. */
export type SignInStep = {
  readonly request: AuthorizationRequest;
  readonly kind: AppKind;
  readonly app: ProviderApp;
  readonly signIn: RedirectSignIn;
  /** The account that was to be connected again. */
  readonly accountKey: string | undefined;
  /** What the provider was asked for. */
  readonly requested: { readonly redirectUri: string; readonly scope: Scope };
  readonly at: 'departure' | 'return';
};

export function refusalOf(step: SignInStep, failure: ProviderError): ConnectError {
  const { request, kind, app, signIn, accountKey, requested } = step;
  const page = pageFor(step, failure);
  const context: ConnectErrorContext = { request, provider: kind, cause: failure };
  if (page === 'provider_misconfigured') {
    return new ConnectError(page, { ...context, ...backToAccounts(request) });
  }
  const wayBack = { path: signInPath(kind, request, accountKey), label: 'try_again' } as const;
  const link = page === 'admin_consent' ? signIn.adminConsentUrl?.(app, requested).href : undefined;
  const retryAfter = page === 'provider_unavailable' ? Math.ceil((failure.retryAfter ?? 0) / 1000) : 0;
  return new ConnectError(page, {
    ...context,
    back: selectionPath(request),
    wayBack,
    ...(link !== undefined && { link }),
    ...(retryAfter > 0 && { retryAfter }),
  });
}

function pageFor({ at }: SignInStep, { kind, reason }: ProviderError): ConnectErrorKind {
  const actor = reason && actorOf(reason);
  if (actor === 'administrator') return 'admin_consent';
  // Before the departure only the provider has answered. What a browser brings back can be from anybody.
  if (kind === 'invalid_response') return at === 'departure' ? 'provider_unavailable' : 'sign_in_failed';
  if (actor === 'operator' || kind === 'misconfigured' || kind === 'forbidden_address') {
    return 'provider_misconfigured';
  }
  return kind === 'unavailable' || kind === 'rate_limited' ? 'provider_unavailable' : 'sign_in_failed';
}
