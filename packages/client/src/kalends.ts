/**
 * The client of Kalends. `kalends(...)` speaks for the application; `user(...)` of it for one of its users. The
 * package's entry: everything an integrator imports is exported here.
 */
import type { Provider, Scope } from './calendar-shapes.ts';
import { isRecord, KalendsError } from './kalends-error.ts';
import { type SendOptions, send } from './send.ts';
import { type TokenStore, type Tokens, tokenKeeper } from './tokens.ts';
import { type UserCalendars, userCalendars } from './user-calendars.ts';
import { type Delivery, verifyWebhook, type WebhookKey } from './webhook-verification.ts';

export * from './calendar-shapes.ts';
export { KalendsError, ReauthorizationRequired } from './kalends-error.ts';
export type { TokenStore, Tokens } from './tokens.ts';
export type {
  Change,
  ChangeOptions,
  ChangesPage,
  EventPlace,
  FreeBusy,
  UserCalendars,
  WriteOptions,
} from './user-calendars.ts';
export {
  type Delivery,
  type VerificationOptions,
  verifyWebhook,
  type WebhookKey,
  WebhookRefused,
} from './webhook-verification.ts';

export type KalendsOptions = {
  /** Where Kalends is, such as `https://calendars.example.com`. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The one registered with the application. */
  readonly redirectUri: string;
  /** Milliseconds for one try; 35,000 by default, more than the service itself waits for a calendar. */
  readonly timeout?: number;
  /** How often a call that is safe to repeat is tried again; 2 by default. */
  readonly retries?: number;
  readonly fetch?: typeof fetch;
};

export type AuthorizationRequest = {
  /** The application's own id of the user. */
  readonly userId: string;
  /** Unguessable, bound to the browser's session, and compared when the browser is back. */
  readonly state: string;
  /** `read-write` by default. */
  readonly scope?: Scope;
  /** Of the pages, BCP 47. */
  readonly language?: string;
  readonly theme?: 'auto' | 'light' | 'dark';
  /** The providers to offer; all four by default. */
  readonly providers?: readonly Provider[];
  /** PKCE, S256. */
  readonly codeChallenge?: string;
};

export type Callback = {
  /** The whole address the browser came back to. */
  readonly url: string | URL;
  /** The `state` of this browser's session. */
  readonly state: string;
  /** The user who is signed in to the application: no other's code is accepted. */
  readonly userId: string;
  readonly codeVerifier?: string;
};

export type Kalends = {
  /** Where to send the user's browser. */
  authorizationUrl(request: AuthorizationRequest): URL;
  /**
   * Checks what the browser came back with and exchanges the code for the user's tokens. Fails with KalendsError:
   * `access_denied` when the user gave up, `state_mismatch` or `user_mismatch` when the answer is not this user's.
   */
  completeAuthorization(callback: Callback): Promise<Tokens>;
  /** The calls of one user, whose tokens the store has. */
  user(store: TokenStore): UserCalendars;
  /** Ends every grant of the token's user. */
  revoke(token: string): Promise<void>;
  /** The JSON of a webhook delivery that Kalends signed. Fails with WebhookRefused. */
  webhook(delivery: Delivery): Promise<Record<string, unknown>>;
};

const KEYS_KEPT_MS = 3_600_000;

export function kalends(options: KalendsOptions): Kalends {
  const origin = options.url.replace(/\/+$/, '');
  const sending: SendOptions = {
    baseUrl: origin,
    fetch: options.fetch ?? fetch,
    timeout: options.timeout ?? 35_000,
    retries: options.retries ?? 2,
  };
  const basic = `Basic ${btoa(`${options.clientId}:${options.clientSecret}`)}`;
  const grant = async (form: Record<string, string>): Promise<Tokens> => {
    const call = { method: 'POST', path: '/token', form: new URLSearchParams(form) } as const;
    return tokensIn(await send({ ...call, headers: { authorization: basic } }, sending));
  };
  const refresh = (refreshToken: string) =>
    grant({ grant_type: 'refresh_token', refresh_token: refreshToken });
  let keys: { readonly list: readonly WebhookKey[]; readonly at: number } | undefined;

  return {
    authorizationUrl({ userId, state, scope, language, theme, providers, codeChallenge }) {
      const url = new URL(`${origin}/authorize`);
      const parameters = {
        client_id: options.clientId,
        user_id: userId,
        response_type: 'code',
        redirect_uri: options.redirectUri,
        state,
        scope,
        lng: language,
        theme,
        providers: providers?.join(','),
        code_challenge: codeChallenge,
        code_challenge_method: codeChallenge && 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value);
      return url;
    },

    async completeAuthorization({ url, state, userId, codeVerifier }) {
      const answer = new URL(url, options.redirectUri).searchParams;
      if (answer.get('state') !== state)
        throw refusal('state_mismatch', 'This answer is not of this browser’s request');
      const error = answer.get('error');
      if (error !== null)
        throw refusal(error, answer.get('error_description') ?? 'The authorization was refused');
      const code = answer.get('code');
      // The code is the user's id: another one's would link another person's calendars to this session.
      if (code !== userId) throw refusal('user_mismatch', 'This answer is of another user');
      const verifier = codeVerifier === undefined ? {} : { code_verifier: codeVerifier };
      return grant({
        grant_type: 'authorization_code',
        code,
        redirect_uri: options.redirectUri,
        ...verifier,
      });
    },

    user: (store) => userCalendars(tokenKeeper(store, refresh), sending),

    async revoke(token) {
      await send({ method: 'POST', path: '/revoke', json: { token }, repeatable: true }, sending);
    },

    async webhook(delivery) {
      if (keys === undefined || Date.now() - keys.at > KEYS_KEPT_MS) {
        const answer = await send({ method: 'GET', path: '/.well-known/webhook-keys' }, sending);
        keys = { list: keysIn(answer), at: Date.now() };
      }
      return verifyWebhook(delivery, { keys: keys.list });
    },
  };
}

const refusal = (code: string, message: string) => new KalendsError(message, { status: 0, code });

function tokensIn(answer: unknown): Tokens {
  const { access_token, refresh_token, expires_in } = isRecord(answer) ? answer : {};
  if (
    typeof access_token !== 'string' ||
    typeof refresh_token !== 'string' ||
    typeof expires_in !== 'number'
  ) {
    throw refusal('unreadable', 'The service’s answer has no tokens');
  }
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: Date.now() + expires_in * 1000,
  };
}

function keysIn(answer: unknown): readonly WebhookKey[] {
  const list = isRecord(answer) && Array.isArray(answer.keys) ? answer.keys : [];
  return list.filter((key): key is WebhookKey => isRecord(key) && typeof key.key === 'string');
}
