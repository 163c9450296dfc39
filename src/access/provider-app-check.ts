/** Checks whether Google and Microsoft accept an app, without a user: by a made-up code. */
import type { ProviderApp } from '../calendars/calendar-provider.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { EgressError } from '../lib/egress/egress-error.ts';

/** For each of the two requests. */
const TIMEOUT_MS = 5_000;
/** The maximum size of a response; discovery documents have a few thousand bytes. */
const MOST_BYTES = 200_000;

/** `unsaid`: the response says nothing about the app. `unreachable`: no OpenID issuer responds. */
export type AppVerdict = 'accepted' | 'app_refused' | 'address_unknown' | 'unsaid' | 'unreachable';

export type AppQuestion = {
  readonly app: ProviderApp;
  /** The configured issuer of the instance, never a typed one. */
  readonly issuer: string;
  readonly redirectUri: string;
};

/**
 * Checks an app. The issuer must respond (OpenID Connect Discovery 1.0 §4), and must refuse a made-up code because of
 * the code, not because of the app (RFC 6749 §5.2). `refusal` is its error code. Resolves within ten seconds.
 */
export async function checkProviderAnswers(
  { app, issuer, redirectUri }: AppQuestion,
  egress: Egress,
): Promise<{ readonly verdict: AppVerdict; readonly refusal?: string }> {
  const metadata = await requestJson(
    { method: 'GET', url: `${issuer}/.well-known/openid-configuration` },
    egress,
  );
  const endpoint = metadata?.token_endpoint;
  if (typeof endpoint !== 'string') return { verdict: 'unreachable' };
  const form = {
    grant_type: 'authorization_code',
    code: 'kalends-doctor',
    redirect_uri: redirectUri,
    client_id: app.clientId,
    client_secret: app.clientSecret,
  };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = String(new URLSearchParams(form));
  const answer = await requestJson({ method: 'POST', url: endpoint, headers, body }, egress);
  const refusal = answer?.error;
  if (refusal === 'invalid_client' || refusal === 'unauthorized_client')
    return { verdict: 'app_refused', refusal };
  if (refusal === 'redirect_uri_mismatch') return { verdict: 'address_unknown', refusal };
  return { verdict: refusal === 'invalid_grant' ? 'accepted' : 'unsaid' };
}

type Question = Pick<Parameters<Egress['request']>[0], 'method' | 'url' | 'headers' | 'body'>;

/** Returns the JSON object of the response, whatever its status; `undefined` for anything else. */
async function requestJson(question: Question, egress: Egress): Promise<Record<string, unknown> | undefined> {
  try {
    // A redirect would send the secret to its target.
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, mayFollow: () => false };
    const { body } = await egress.request({ ...question, ...limits });
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch (failure) {
    // The caller reports an address that is unreachable or returns no JSON.
    if (failure instanceof EgressError || failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}
