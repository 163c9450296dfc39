/** Why a sign-in at a provider did not come about, as a page that says who can do what about it. */

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

/** The way to a provider or back from it, and what it is gone with. */
export type SignInStep = {
  readonly request: AuthorizationRequest;
  readonly kind: AppKind;
  readonly app: ProviderApp;
  readonly signIn: RedirectSignIn;
  /** The account that was to be connected again. */
  readonly accountKey: string | undefined;
  /** What the provider was asked for. */
  readonly asked: { readonly redirectUri: string; readonly scope: Scope };
  readonly at: 'departure' | 'return';
};

export function refusalOf(step: SignInStep, failure: ProviderError): ConnectError {
  const { request, kind, app, signIn, accountKey, asked } = step;
  const page = pageFor(step, failure);
  const back = selectionPath(request);
  const again = { path: signInPath(kind, request, accountKey), label: 'try_again' } as const;
  const context: ConnectErrorContext = { request, provider: kind, cause: failure };
  switch (page) {
    case 'admin_consent': {
      const link = signIn.adminConsentUrl?.(app, asked).href;
      return new ConnectError(page, {
        ...context,
        back,
        wayBack: again,
        ...(link !== undefined && { link }),
      });
    }
    case 'provider_misconfigured':
      return new ConnectError(page, { ...context, ...backToAccounts(request) });
    case 'provider_unavailable': {
      const retryAfter = Math.ceil((failure.retryAfter ?? 0) / 1000);
      return new ConnectError(page, {
        ...context,
        back,
        wayBack: again,
        ...(retryAfter > 0 && { retryAfter }),
      });
    }
    default:
      return new ConnectError(page, { ...context, back, wayBack: again });
  }
}

function pageFor({ at }: SignInStep, { kind, reason }: ProviderError): ConnectErrorKind {
  const actor = reason && actorOf(reason);
  if (actor === 'administrator') return 'admin_consent';
  // On the way there only the provider has spoken; an answer brought back by a browser could be anybody's.
  if (kind === 'invalid_response') return at === 'departure' ? 'provider_unavailable' : 'sign_in_failed';
  if (actor === 'operator' || kind === 'misconfigured' || kind === 'forbidden_address') {
    return 'provider_misconfigured';
  }
  return kind === 'unavailable' || kind === 'rate_limited' ? 'provider_unavailable' : 'sign_in_failed';
}
