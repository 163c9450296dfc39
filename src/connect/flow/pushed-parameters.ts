/** Checks the parameters that an application pushes (RFC 9126 §2.1). Its errors have the shape of `/token`. */
import type { ReceivedQuery } from '../../http/received-query.ts';
import { ANY_CALL } from '../../http/refusal.ts';
import { AUTHORIZATION, OAuthError } from '../../oauth/oauth-error.ts';
import { readAuthorizeRequest, startingQuery } from './authorize-request.ts';
import { ConnectError } from './connect-error.ts';

const ROWS = [AUTHORIZATION.invalid_scope, AUTHORIZATION.unsupported_response_type];

/** Returns the query that `/authorize` reads. Throws OAuthError with the code and description of `/authorize`. */
export function checkPushedParameters(query: ReceivedQuery): string {
  try {
    return startingQuery(query, readAuthorizeRequest(query));
  } catch (reason) {
    if (!(reason instanceof ConnectError)) throw reason;
    const row = ROWS.find(({ code }) => code === reason.body.error) ?? ANY_CALL.invalid_request;
    throw new OAuthError(row, reason.message);
  }
}
