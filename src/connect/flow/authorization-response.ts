/** The authorization response (RFC 6749 §4.1.2, RFC 9207) by the switches of the application. */
import { createHmac } from 'node:crypto';
import { createIssuer } from '../../oauth/issuers.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import type { ConnectDeps } from './connect-deps.ts';
import type { ResponseParameters, UserAnswer } from './paths.ts';

const DENIED = { error: 'access_denied', error_description: 'The user did not allow the access' };

/** Returns `code`, or `error=access_denied` (RFC 6749 §4.1.2.1), and `iss` if the application's callbacks have it. */
export async function loadResponse(
  request: AuthorizationRequest,
  answer: UserAnswer,
  deps: Pick<ConnectDeps, 'clients' | 'sealer' | 'publicUrl'>,
): Promise<ResponseParameters> {
  const client = await deps.clients.findClient(request.clientId);
  const code = client?.codeFormat === 'opaque' ? opaqueCode(request, deps) : request.userId;
  const parameters = answer === 'denied' ? DENIED : { code };
  const issuer = createIssuer(request.issuer, deps.publicUrl);
  return issuer.hasIss || client?.issuerInCallback === 'on' ? { ...parameters, iss: issuer.url } : parameters;
}

/**
 * Returns the opaque code of a request: 32 bytes as base64url, derived from the request's 32 random ones. So a repeated
 * answer has the same code, although only its SHA-256 is stored. Only this server can compute it.
 */
export const opaqueCode = (
  { formToken }: Pick<AuthorizationRequest, 'formToken'>,
  { sealer }: Pick<ConnectDeps, 'sealer'>,
): string => createHmac('sha256', sealer.derive('authorization codes')).update(formToken).digest('base64url');
