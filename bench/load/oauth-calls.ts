/** The requests of the bench as text for the wire, and the sources that chain them. */
import { type CallSource, runLoad } from './http-load.ts';

export const CLIENT_ID = 'benchapplication';
export const REDIRECT_URI = 'https://app.example/callback';

/** How an application presents itself; every subject is authenticated by HTTP Basic. */
export type Application = { readonly clientId: string; readonly clientSecret: string };

export type Tokens = { readonly access_token: string; readonly refresh_token: string };

/** A form POST with HTTP Basic. */
export function formPost(path: string, form: Record<string, string>, application: Application): string {
  const body = new URLSearchParams(form).toString();
  const basic = Buffer.from(`${application.clientId}:${application.clientSecret}`).toString('base64');
  return [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Basic ${basic}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** A GET with a Bearer token. */
export function bearerGet(path: string, token: string): string {
  return [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`, '', ''].join('\r\n');
}

export function exchangeRequest(path: string, code: string, application: Application): string {
  return formPost(path, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }, application);
}

/** Exchanges each code once. */
export function exchanges(path: string, codes: string[], application: Application): CallSource {
  return () => {
    const code = codes.pop();
    return code === undefined ? undefined : { request: exchangeRequest(path, code, application) };
  };
}

/** Spends the tokens of the queue in turn; each answer's successor goes to its end. */
export function refreshes(path: string, tokens: TokenQueue, application: Application): CallSource {
  return () => {
    const token = tokens.take();
    if (token === undefined) return undefined;
    return {
      request: formPost(path, { grant_type: 'refresh_token', refresh_token: token }, application),
      answered: (body) => tokens.put(JSON.parse(body).refresh_token),
    };
  };
}

/** The same requests over and over, in turn. */
export function inTurn(requests: readonly string[]): CallSource {
  let at = 0;
  return () => {
    const request = requests[at++ % requests.length];
    return request === undefined ? undefined : { request };
  };
}

/** First in, first out, so that no token is used again before all others were. */
export class TokenQueue {
  #tokens: string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = [...tokens];
  }

  take(): string | undefined {
    const token = this.#tokens[this.#at++];
    if (this.#at > 10_000) {
      this.#tokens = this.#tokens.slice(this.#at);
      this.#at = 0;
    }
    return token;
  }

  put(token: string): void {
    this.#tokens.push(token);
  }
}

/** Exchanges codes for tokens, many at a time. */
export async function tokensFor(
  { port, application }: { readonly port: number; readonly application: Application },
  codes: readonly string[],
): Promise<Tokens[]> {
  const tokens: Tokens[] = [];
  const remaining = [...codes];
  const next: CallSource = () => {
    const code = remaining.pop();
    if (code === undefined) return undefined;
    const answered = (body: string) => tokens.push(JSON.parse(body));
    return { request: exchangeRequest('/token', code, application), answered };
  };
  await runLoad({ port, connections: 32, seconds: 60, expectedStatus: 200 }, next);
  return tokens;
}
