/** The check of `doctor` that asks Google and Microsoft whether they accept the instance's app. */
import type { AppKind } from '../access/provider-apps.ts';
import type { Config } from '../config/config.ts';
import type { Check } from './doctor-checks.ts';
import { providerAddress } from './doctor-config-checks.ts';

const TIMEOUT_MS = 5_000;

/**
 * Asks nothing without an app. With one, the issuer has to answer (OpenID Connect Discovery 1.0 §4), and has to refuse
 * a made-up code because of the code, not because of the app (RFC 6749 §5.2).
 */
export async function checkProvider(kind: AppKind, config: Config): Promise<Check> {
  const { app, issuer } = config[kind];
  const setting = `KALENDS_${kind.toUpperCase()}`;
  if (app === undefined) {
    const message = `No app is set (${setting}_CLIENT_ID): only applications with their own can offer it.`;
    return { name: kind, status: 'ok', message };
  }
  const address = providerAddress(kind, config);
  const endpoint = await tokenEndpoint(issuer);
  if (endpoint === undefined) {
    const message = `${issuer} does not answer as an OpenID issuer does: check ${setting}_ISSUER and the way out.`;
    return { name: kind, status: 'warn', message };
  }
  const refusal = await refusalAt(endpoint, app, address);
  if (refusal === 'invalid_client' || refusal === 'unauthorized_client') {
    const message = `The provider refuses the app (${refusal}): check ${setting}_CLIENT_ID and _CLIENT_SECRET; secrets expire.`;
    return { name: kind, status: 'fail', message };
  }
  if (refusal === 'redirect_uri_mismatch') {
    const message = `The provider does not know ${address}: register it there.`;
    return { name: kind, status: 'fail', message };
  }
  const message =
    refusal === 'invalid_grant'
      ? `The provider accepts the app ${app.clientId}.`
      : `The app ${app.clientId} is set; the provider does not say whether it accepts it.`;
  return { name: kind, status: 'ok', message };
}

async function tokenEndpoint(issuer: string): Promise<string | undefined> {
  const metadata = await fetchJson(`${issuer}/.well-known/openid-configuration`);
  return typeof metadata?.token_endpoint === 'string' ? metadata.token_endpoint : undefined;
}

async function refusalAt(
  endpoint: string,
  { clientId, clientSecret }: NonNullable<Config[AppKind]['app']>,
  redirectUri: string,
): Promise<string | undefined> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'kalends-doctor',
    redirect_uri: redirectUri,
    client_id: clientId,
    client_secret: clientSecret,
  });
  const answer = await fetchJson(endpoint, { method: 'POST', body });
  return typeof answer?.error === 'string' ? answer.error : undefined;
}

/** The JSON object it answers, whatever the status; `undefined` for everything else. */
async function fetchJson(url: string, init: RequestInit = {}): Promise<Record<string, unknown> | undefined> {
  try {
    // A redirect would send the secret to wherever it points.
    const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null ? { ...body } : undefined;
  } catch {
    return undefined; // Unreachable, or not JSON: the check names the setting.
  }
}
