/**
 * The identity platform's refusals. Every one has a number, which stands at the beginning of its description and in
 * `error_codes`; the OAuth code beside it (RFC 6749 §5.2) is coarser. No source confirms the
 * wordings and OAuth codes.
 */
import { randomUUID } from 'node:crypto';

import { jsonAnswer } from '../core/page-answer.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';

type AadstsError = {
  readonly status: number;
  readonly error: string;
  readonly text: string;
  readonly suberror?: string;
};

const ERRORS: Readonly<Record<number, AadstsError>> = {
  50011: {
    status: 400,
    error: 'invalid_request',
    text: 'The redirect URI specified in the request does not match the redirect URIs configured for the application. Make sure the redirect URI sent in the request matches one added to your application in the Azure portal.',
  },
  50020: {
    status: 400,
    error: 'invalid_request',
    text: 'User account from identity provider does not exist in tenant and cannot access the application in that tenant.',
  },
  50058: {
    status: 400,
    error: 'login_required',
    text: 'A silent sign-in request was sent but no user is signed in.',
  },
  50076: {
    status: 400,
    error: 'invalid_grant',
    text: 'Due to a configuration change made by your administrator, or because you moved to a new location, you must use multi-factor authentication to access the resource.',
    suberror: 'basic_action',
  },
  50148: {
    status: 400,
    error: 'invalid_grant',
    text: 'The code_verifier does not match the code_challenge supplied in the authorization request.',
  },
  50173: {
    status: 400,
    error: 'invalid_grant',
    text: 'The provided grant has expired due to it being revoked, a fresh auth token is needed. The user might have changed or reset their password.',
    suberror: 'bad_token',
  },
  53003: {
    status: 400,
    error: 'invalid_grant',
    text: 'Access has been blocked by Conditional Access policies. The access policy does not allow token issuance.',
    suberror: 'message_only',
  },
  54005: {
    status: 400,
    error: 'invalid_grant',
    text: 'OAuth2 Authorization code was already redeemed, please retry with a new valid code or use an existing refresh token.',
  },
  65001: {
    status: 400,
    error: 'invalid_grant',
    text: 'The user or administrator has not consented to use the application. Send an interactive authorization request for this user and resource.',
    suberror: 'consent_required',
  },
  65004: { status: 400, error: 'access_denied', text: 'User declined to consent to access the app.' },
  70000: {
    status: 400,
    error: 'invalid_grant',
    text: 'The provided authorization code or refresh token is malformed or not valid.',
  },
  70003: {
    status: 400,
    error: 'unsupported_grant_type',
    text: 'The app requested an unsupported grant type.',
  },
  70008: {
    status: 400,
    error: 'invalid_grant',
    text: 'The provided authorization code or refresh token has expired due to inactivity. Send a new interactive authorization request for this user and resource.',
  },
  70011: {
    status: 400,
    error: 'invalid_scope',
    text: "The provided request must include a 'scope' input parameter whose values are valid.",
  },
  90002: {
    status: 400,
    error: 'invalid_tenant',
    text: 'Tenant not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud.',
  },
  90014: {
    status: 400,
    error: 'invalid_request',
    text: 'A required field is missing from the credential or the request.',
  },
  90094: {
    status: 400,
    error: 'access_denied',
    text: 'An administrator of the organization has set a policy that prevents you from granting the application the permissions it is requesting. Contact an administrator, who can grant permissions to this app on your behalf.',
  },
  90100: { status: 400, error: 'invalid_request', text: 'A parameter of the request is empty or not valid.' },
  500112: {
    status: 400,
    error: 'invalid_grant',
    text: 'The reply address does not match the reply address provided when requesting the authorization code.',
  },
  700016: {
    status: 400,
    error: 'unauthorized_client',
    text: 'The application was not found in the directory. This can happen if the application has not been installed by the administrator of the tenant or consented to by any user in the tenant.',
  },
  700054: {
    status: 400,
    error: 'unsupported_response_type',
    text: 'response_type is not enabled for the application.',
  },
  700082: {
    status: 400,
    error: 'invalid_grant',
    text: 'The refresh token has expired due to inactivity. The token was inactive for 90.00:00:00.',
  },
  700222: { status: 400, error: 'invalid_grant', text: 'The provided value is not valid.' },
  7000215: {
    status: 401,
    error: 'invalid_client',
    text: 'Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to the app.',
  },
  7000218: {
    status: 401,
    error: 'invalid_client',
    text: "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
  },
  7000222: {
    status: 401,
    error: 'invalid_client',
    text: 'The provided client secret keys for the app are expired. Visit the Azure portal to create new keys for your app.',
  },
};

/** A refusal of the identity platform; its reason is `AADSTS<code>`. */
export function aadsts(code: number): SandboxRefusal {
  const { status, text } = ERRORS[code] ?? UNKNOWN;
  return new SandboxRefusal(status, `AADSTS${code}`, text);
}

const UNKNOWN: AadstsError = {
  status: 400,
  error: 'invalid_request',
  text: 'The request could not be served.',
};

/** The number in a reason; `undefined` for a reason of another kind. */
export function codeOf(reason: string | undefined): number | undefined {
  const [, digits] = /^(?:AADSTS)?(\d{5,7})$/.exec(reason ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The OAuth code and description of a reason, for the token endpoint's caller or to a redirect URI. */
export function oauthError(
  reason: string,
  now: number,
): {
  readonly error: string;
  readonly description: string;
  readonly suberror: string | undefined;
  readonly traceId: string;
  readonly correlationId: string;
  readonly timestamp: string;
} {
  const code = codeOf(reason);
  const { error, text, suberror } = (code === undefined ? undefined : ERRORS[code]) ?? UNKNOWN;
  const traceId = randomUUID();
  const correlationId = randomUUID();
  const timestamp = new Date(now)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
  const description = `${code === undefined ? reason : `AADSTS${code}`}: ${text} Trace ID: ${traceId} Correlation ID: ${correlationId} Timestamp: ${timestamp}`;
  return { error, description, suberror, traceId, correlationId, timestamp };
}

/** The token endpoint's error body. */
export function aadstsBody(reason: string, now: number, origin: string): Record<string, unknown> {
  const { error, description, suberror, traceId, correlationId, timestamp } = oauthError(reason, now);
  const code = codeOf(reason);
  return {
    error,
    error_description: description,
    error_codes: code === undefined ? [] : [code],
    timestamp,
    trace_id: traceId,
    correlation_id: correlationId,
    error_uri: `${origin}/error?code=${code ?? ''}`,
    ...(suberror === undefined ? {} : { suberror }),
  };
}

/** JSON as the platform answers it. */
export const identityJson = (status: number, body: object): SandboxAnswer =>
  jsonAnswer(status, body, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store, no-cache',
  });
