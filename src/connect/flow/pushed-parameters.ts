/** The parameters of `/authorize` where an application pushes them (RFC 9126 §2.1), refused in the shape of `/token`. */
import type { ReceivedQuery } from '../../http/received-query.ts';
import { OAuthError, type OAuthErrorCode } from '../../oauth/oauth-error.ts';
import { readAuthorizeRequest } from './authorize-request.ts';
import { ConnectError } from './connect-error.ts';

const CODES: readonly OAuthErrorCode[] = ['invalid_scope', 'unsupported_response_type'];

/** Throws OAuthError for what `/authorize` would refuse, with the same word and description. */
export function checkPushedParameters(query: ReceivedQuery): void {
  try {
    readAuthorizeRequest(query);
  } catch (reason) {
    if (!(reason instanceof ConnectError)) throw reason;
    const code = CODES.find((one) => one === reason.body.error) ?? 'invalid_request';
    throw new OAuthError(code, reason.message);
  }
}
