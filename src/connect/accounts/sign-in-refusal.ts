/** Chooses the page for a failed sign-in at a provider, which says who can fix it. */

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

/** A step of a sign-in, to the provider or back, with its input. */
export type SignInStep = {
  readonly request: AuthorizationRequest;
  readonly kind: AppKind;
  readonly app: ProviderApp;
  readonly signIn: RedirectSignIn;
  readonly accountKey: string | undefined;
  readonly requested: { readonly redirectUri: string; readonly scope: Scope };
  readonly at: 'departure' | 'return';
};

export function toSignInError(step: SignInStep, failure: ProviderError): ConnectError {
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
  // On departure only the provider can have sent it. On return the browser, and so anybody.
  if (kind === 'invalid_response') return at === 'departure' ? 'provider_unavailable' : 'sign_in_failed';
  if (actor === 'operator' || kind === 'misconfigured' || kind === 'forbidden_address') {
    return 'provider_misconfigured';
  }
  return kind === 'unavailable' || kind === 'rate_limited' ? 'provider_unavailable' : 'sign_in_failed';
}
