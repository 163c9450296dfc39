/**
 * The client of Kalends. `kalends(...)` speaks for the application; `user(...)` of it for one of its users. The
 * package's entry: everything an integrator imports is exported here.
 */
import { type ApplicationCalls, applicationCalls, type WebhookPayload } from './application-calls.ts';
import {
  type AuthorizationRequest,
  authorizationUrl,
  type Callback,
  codeOf,
  type PushedAuthorizationRequest,
  pushedAuthorizationUrl,
  type Registration,
  requireUser,
  sendAuthenticated,
  tokenEndpoint,
} from './authorization.ts';
import { clientAuthentication } from './client-authentication.ts';
import { type DpopKeyPair, dpopProofs } from './dpop.ts';
import type { SendOptions } from './send.ts';
import { type TokenStore, type Tokens, tokenKeeper } from './tokens.ts';
import { type UserCalendars, userCalendars } from './user-calendars.ts';
import { userCall } from './user-call.ts';
import { webhookVerifier } from './webhook-keys.ts';
import type { Delivery, WebhookKey } from './webhook-verification.ts';

export type * from './api-types.ts';
export type * from './application-calls.ts';
export type {
  AuthorizationRequest,
  Callback,
  Pkce,
  PushedAuthorizationRequest,
  Registration,
} from './authorization.ts';
export { createPkce } from './authorization.ts';
export type * from './calendar-shapes.ts';
export type { CalendarWrites } from './calendar-writes.ts';
export type { ClientCredentials, PrivateJwk } from './client-authentication.ts';
export type { DpopKeyPair } from './dpop.ts';
export type { EventReads } from './event-reads.ts';
export type * from './event-shapes.ts';
export type { EventWrites } from './event-writes.ts';
export { AccountNeedsReconnect, KalendsError, ReauthorizationRequired } from './kalends-error.ts';
export type { TokenStore, Tokens } from './tokens.ts';
export type { UserCalendars } from './user-calendars.ts';
export { type NodeRequest, type NodeResponse, webhookExpressHandler } from './webhook-express.ts';
export { type FastifyLike, type WebhookRouteOptions, webhookFastifyPlugin } from './webhook-fastify.ts';
export { webhookFetchHandler } from './webhook-fetch.ts';
export type { ReceivedWebhook, WebhookReceiver } from './webhook-receiver.ts';
export { type RefusalReason, WebhookRefused } from './webhook-refused.ts';
export {
  type Delivery,
  type VerificationOptions,
  verifyWebhook,
  type WebhookKey,
} from './webhook-verification.ts';

/** The application, and where the service is. */
export type KalendsOptions = Registration & {
  /** Such as `https://calendars.example.com`. */
  readonly url: string;
  /** Milliseconds per attempt; 35,000 by default, more than the service itself waits for a calendar. */
  readonly timeout?: number;
  /** The number of retries of a call that is safe to repeat; 2 by default. */
  readonly retries?: number;
  /** The secret of the webhook endpoint, `whsec_…`; two of them during a rotation. */
  readonly webhookSecret?: string | readonly string[] | undefined;
  /** Keys for when the service's own keys cannot be fetched. */
  readonly webhookKeys?: readonly WebhookKey[];
  /** Replaces the runtime's own `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * Binds tokens to a key (RFC 9449), for an application with a sender constraint. `true`: a key that this client creates.
   * Processes that share tokens use one key pair.
   */
  readonly dpop?: boolean | DpopKeyPair;
  /** Epoch milliseconds; the machine's clock by default. */
  readonly now?: () => number;
};

/** The calls of an application to Kalends. */
export type Kalends = ApplicationCalls & {
  /** Returns the address to send the user's browser to. */
  authorizationUrl(request: AuthorizationRequest): URL;
  /**
   * Sends the request to the service first, so nobody can begin or change it in a browser. Returns the address to send
   * the user's browser to within 60 seconds.
   */
  pushedAuthorizationUrl(request: PushedAuthorizationRequest): Promise<URL>;
  /**
   * Checks the redirect from the service and exchanges the code for the user's tokens: store them. Fails with
   * KalendsError: `access_denied` if the user cancelled, `state_mismatch`, `issuer_mismatch` or `user_mismatch` if the
   * response is not for this user, `invalid_grant` if the code was used or has expired.
   */
  completeAuthorization(callback: Callback): Promise<Tokens>;
  /** Returns the calls of one user, whose tokens are in the store. Sends no request yet. */
  user(store: TokenStore): UserCalendars;
  /** Ends every grant of the token's user, given an access or a refresh token. Provider accounts stay connected. */
  revoke(token: string): Promise<void>;
  /**
   * Returns the JSON of a webhook delivery that Kalends signed for this application: with the endpoint's secret, if
   * `webhookSecret` is given, or with one of the application's public keys, which are fetched. Fails with WebhookRefused,
   * and with KalendsError if no key is available.
   */
  webhook(delivery: Delivery): Promise<WebhookPayload>;
};

/**
 * Returns a client of the service for one application. Keep one for the whole process: it joins concurrent refreshes.
 * Fails with TypeError if `webhookSecret` is not a secret.
 */
export function kalends(options: KalendsOptions): Kalends {
  const { now = Date.now, webhookKeys: pinned = [], dpop = false } = options;
  const secrets = [options.webhookSecret ?? []].flat();
  const sending: SendOptions = {
    baseUrl: options.url.replace(/\/+$/, ''),
    fetch: options.fetch ?? fetch,
    timeout: options.timeout ?? 35_000,
    retries: options.retries ?? 2,
    proofs: dpop ? dpopProofs(dpop === true ? undefined : dpop, now) : undefined,
  };
  const oauth = { ...sending, baseUrl: oauthUrl(options.issuer, sending.baseUrl) };
  const authenticated = { sending: oauth, authentication: clientAuthentication(options, oauth, now) };
  const { exchange, refresh } = tokenEndpoint(options, authenticated, now);

  return {
    ...applicationCalls(authenticated, sending),

    authorizationUrl: (request) => authorizationUrl(request, options, oauth.baseUrl),

    pushedAuthorizationUrl: (request) => pushedAuthorizationUrl(request, options, authenticated),

    async completeAuthorization(callback) {
      const code = codeOf(callback, options, sending.baseUrl);
      return requireUser(await exchange(code, callback.codeVerifier), callback.userId, options);
    },

    user: (store) => userCalendars(userCall(tokenKeeper(store, { refresh, now }), sending)),

    async revoke(token) {
      await sendAuthenticated('/revoke', { token }, authenticated);
    },

    webhook: webhookVerifier({ sending, pinned, secrets, clientId: options.clientId, now }),
  };
}

/** Returns the URL above the endpoints of OAuth, which the strict issuer has below its own path. */
const oauthUrl = (issuer: string | undefined, baseUrl: string): string =>
  issuer?.endsWith('/fapi2') ? issuer : baseUrl;
