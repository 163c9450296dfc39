/**
 * A provider with its own sign-in pages, at the port. Methods act as its user there and return the address that the
 * browser is sent to. It checks the return as a real adapter does.
 */
import { randomBytes } from 'node:crypto';
import type { AppKind } from '../../src/access/provider-apps.ts';
import type {
  AppInUse,
  OAuthCredentials,
  PendingSignIn,
  RedirectProvider,
  RedirectSignIn,
  SignedInAccount,
  SignInRequest,
} from '../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../src/calendars/provider-error.ts';
import { SCOPES, type Scope } from '../../src/oauth/scope.ts';

/** A user's choices on the provider's pages. */
export type Deed = {
  readonly email?: string;
  /** The user's identity at the provider; `sub:` and the address by default. */
  readonly identity?: string;
  /** Leaves the calendars out. */
  readonly withoutCalendars?: true;
  /** Another issuer that the return names. */
  readonly issuer?: string;
};

export class FakeSignInProvider implements RedirectProvider {
  readonly kind: AppKind;
  readonly signIn: RedirectSignIn;
  /** The requests so far, in order. */
  readonly begun: SignInRequest[] = [];
  readonly redeemed: { readonly code: string; readonly app: AppInUse }[] = [];
  /** Errors thrown by the next call of that name, each once. */
  readonly failures: { call: 'begin' | 'complete'; error: Error }[] = [];
  /** Awaited before a code is redeemed. */
  beforeComplete: () => Promise<void> = async () => {};
  readonly #now: () => number;
  readonly #codes = new Map<string, SignedInAccount>();

  constructor(kind: AppKind, now: () => number) {
    this.kind = kind;
    this.#now = now;
    this.signIn = {
      method: 'redirect',
      begin: (request) => this.#begin(request),
      complete: (callback, pending, app) => this.#complete(callback, pending, app),
      covers: (granted, scope) => SCOPES.some((wider) => granted.includes(wider) && isWider(wider, scope)),
      ...(kind === 'microsoft' && {
        adminConsentUrl: ({ clientId }) =>
          new URL(`https://login.example/adminconsent?client_id=${clientId}`),
      }),
      renew: async () => {
        throw new Error('The Connect pages renew nothing');
      },
      revoke: async () => {},
    };
  }

  open(): never {
    throw new Error('The Connect pages open no account');
  }

  /** Signs the user in and allows what `deed` says; returns the address that the browser is sent to. */
  allow(
    sentTo: string,
    { email = 'ada@example.com', identity = `sub:${email}`, withoutCalendars, issuer = this.kind }: Deed = {},
  ): string {
    const { searchParams } = new URL(sentTo);
    const code = randomBytes(8).toString('hex');
    const scope = searchParams.get('scope') ?? '';
    const scopes = withoutCalendars ? ['email'] : ['email', scope];
    const credentials: OAuthCredentials = {
      accessToken: `access-${code}`,
      refreshToken: `refresh-${code}`,
      expiresAt: this.#now() + 3_600_000,
      scopes,
      appClientId: searchParams.get('client_id') ?? '',
      issuedAt: this.#now(),
    };
    const calendarPermission = withoutCalendars === undefined;
    const granted = { credentials, grantedScopes: scopes, calendarPermission };
    this.#codes.set(code, {
      accountId: email,
      identity,
      provesOwner: true,
      display: email,
      ...granted,
    });
    return this.#back(searchParams, { code, iss: issuer });
  }

  /** Refuses, as the user or the provider; returns the address that the browser is sent to. */
  refuse(sentTo: string, error = 'access_denied'): string {
    return this.#back(new URL(sentTo).searchParams, { error, iss: this.kind });
  }

  #back(sent: URLSearchParams, answer: Record<string, string>): string {
    const back = new URL(sent.get('redirect_uri') ?? '');
    back.search = String(new URLSearchParams({ ...answer, state: sent.get('state') ?? '' }));
    return back.pathname + back.search;
  }

  async #begin(request: SignInRequest): Promise<{ url: URL; pending: PendingSignIn }> {
    this.#fail('begin');
    this.begun.push(request);
    const { app, redirectUri, scope, state, language, loginHint } = request;
    const url = new URL(`https://${this.kind}.example/sign-in`);
    const query = { client_id: app.clientId, redirect_uri: redirectUri, scope, state, hl: language };
    url.search = String(new URLSearchParams({ ...query, ...(loginHint && { login_hint: loginHint }) }));
    return { url, pending: { state } };
  }

  async #complete(callback: URL, pending: PendingSignIn, app: AppInUse): Promise<SignedInAccount> {
    const answer = callback.searchParams;
    await this.beforeComplete();
    this.#fail('complete');
    if (answer.get('state') !== pending.state || answer.get('iss') !== this.kind) {
      throw new ProviderError('invalid_response', 'The answer is not to what was asked');
    }
    if (answer.get('error') === 'consent_required') {
      const reason = 'admin_consent_required';
      throw new ProviderError('permission_missing', 'An administrator has to consent', { reason });
    }
    if (answer.has('error')) throw new ProviderError('access_denied', 'The user said no');
    const code = answer.get('code') ?? '';
    const signedIn = this.#codes.get(code);
    this.#codes.delete(code);
    if (signedIn?.credentials.appClientId !== app.clientId) {
      throw new ProviderError('unauthorized', 'The code is not known');
    }
    this.redeemed.push({ code, app });
    return signedIn;
  }

  #fail(call: 'begin' | 'complete'): void {
    const failing = this.failures.findIndex((failure) => failure.call === call);
    if (failing >= 0) throw this.failures.splice(failing, 1)[0]?.error;
  }
}

const isWider = (wider: Scope, scope: Scope): boolean => SCOPES.indexOf(wider) >= SCOPES.indexOf(scope);
