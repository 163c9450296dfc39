/** The authorization response (RFC 6749 §4.1.2, RFC 9207) by the switches of the application. */
import { createIssuer } from '../../oauth/issuers.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import type { ConnectDeps } from './connect-deps.ts';
import type { ResponseParameters, UserAnswer } from './paths.ts';

const DENIED = { error: 'access_denied', error_description: 'The user did not allow the access' };

/** Returns `code`, or `error=access_denied` (RFC 6749 §4.1.2.1), and `iss` if the application's callbacks have it. */
export async function loadResponse(
  request: AuthorizationRequest,
  answer: UserAnswer,
  { clients, publicUrl }: Pick<ConnectDeps, 'clients' | 'publicUrl'>,
): Promise<ResponseParameters> {
  const client = await clients.findClient(request.clientId);
  const parameters = answer === 'denied' ? DENIED : { code: request.userId };
  const issuer = createIssuer(request.issuer, publicUrl);
  return issuer.hasIss || client?.issuerInCallback === 'on' ? { ...parameters, iss: issuer.url } : parameters;
}
