/**
 * A Google on loopback whose every answer a test chooses: `odd` sees each request first. Without it, it signs one
 * user in, and has one calendar whose events are `events`, in pages of `pageSize`.
 */
import http from 'node:http';

import type { calendar_v3 } from '@googleapis/calendar';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { close, listen, originOf } from '../harness/loopback.ts';

type GoogleCall = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly authorization: string | undefined;
};
export type GoogleAnswer = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

type Key = Awaited<ReturnType<typeof generateKeyPair>>;

export class OddGoogle {
  readonly calls: GoogleCall[] = [];
  odd: (call: GoogleCall) => GoogleAnswer | undefined | Promise<GoogleAnswer | undefined> = () => undefined;
  events: readonly calendar_v3.Schema$Event[] = [];
  pageSize = 1_000;
  nonce = '';
  /** The scope that the token endpoint grants. */
  scope = '';
  readonly #server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
    const call = {
      method: request.method ?? '',
      path: pathname,
      query: searchParams,
      form: new URLSearchParams(Buffer.concat(chunks).toString()),
      authorization: request.headers.authorization,
    };
    this.calls.push(call);
    const { status, body, headers } = (await this.odd(call)) ?? (await this.#answer(call));
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers }).end(text);
  });
  readonly #keys: { own: Key; foreign: Key };

  constructor(own: Key, foreign: Key) {
    this.#keys = { own, foreign };
  }

  static async start(): Promise<OddGoogle> {
    const google = new OddGoogle(await generateKeyPair('RS256'), await generateKeyPair('RS256'));
    await listen(google.#server);
    return google;
  }

  async stop(): Promise<void> {
    await close(this.#server);
  }

  get origin(): string {
    return originOf(this.#server);
  }

  /** An ID token, signed by Google's key or by somebody else's. */
  idToken(claims: Record<string, unknown> = {}, key: 'own' | 'foreign' = 'own'): Promise<string> {
    const whole = {
      iss: this.origin,
      aud: 'app-1',
      sub: '1001',
      email: 'ada@example.com',
      nonce: this.nonce,
      ...claims,
    };
    const token = new SignJWT(whole).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).setIssuedAt();
    if (!('exp' in claims)) token.setExpirationTime('1h');
    return token.sign(this.#keys[key].privateKey);
  }

  tokens(id_token: string, more: object = {}): GoogleAnswer {
    const grant = { access_token: 'access-1', refresh_token: 'refresh-1', scope: this.scope };
    return {
      status: 200,
      body: { token_type: 'Bearer', expires_in: 3599, ...grant, id_token, ...more },
    };
  }

  async #answer({ path, query }: GoogleCall): Promise<GoogleAnswer> {
    if (path === '/.well-known/openid-configuration') return { status: 200, body: this.metadata() };
    if (path === '/certs') {
      const jwk = { ...(await exportJWK(this.#keys.own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
      return { status: 200, body: { keys: [jwk] } };
    }
    if (path === '/token') return this.tokens(await this.idToken());
    if (path === '/revoke') return { status: 200 };
    if (path.endsWith('/calendarList')) return { status: 200, body: { items: [{ id: 'work' }] } };
    const at = Number(query.get('pageToken') ?? 0);
    const rest = at + this.pageSize < this.events.length;
    const items = this.events.slice(at, at + this.pageSize);
    const end = rest ? { nextPageToken: `${at + this.pageSize}` } : { nextSyncToken: 'sync-1' };
    return { status: 200, body: { timeZone: 'Europe/Paris', items, ...end } };
  }

  metadata() {
    return {
      issuer: this.origin,
      authorization_endpoint: `${this.origin}/auth`,
      token_endpoint: `${this.origin}/token`,
      revocation_endpoint: `${this.origin}/revoke`,
      jwks_uri: `${this.origin}/certs`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
    };
  }
}
