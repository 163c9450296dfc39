import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AUTHORIZATION, invalidGrant, invalidRequest, OAuthError } from './oauth-error.ts';

describe('an error of the authorization server', () => {
  it('has the status of its row', () => {
    const statuses = Object.values(AUTHORIZATION).map((row) => [row.code, new OAuthError(row).status]);

    assert.deepEqual(Object.fromEntries(statuses), {
      ...{ invalid_grant: 400, invalid_client: 400, unauthorized_client: 400, invalid_scope: 400 },
      ...{ invalid_target: 400, invalid_request_uri: 400, unsupported_grant_type: 400 },
      ...{ unsupported_response_type: 400, session_expired: 400, link_expired: 410, access_denied: 302 },
    });
  });

  it('has the message of its row or its own, three times', () => {
    const { body } = new OAuthError(AUTHORIZATION.invalid_scope);
    const mismatch = invalidGrant('Client mismatch');

    assert.deepEqual(body, {
      error: 'invalid_scope',
      error_description: AUTHORIZATION.invalid_scope.message,
      message: AUTHORIZATION.invalid_scope.message,
    });
    assert.deepEqual([mismatch.body.error_description, mismatch.name], ['Client mismatch', 'OAuthError']);
    assert.deepEqual([invalidRequest('x').code, invalidRequest('x').status], ['invalid_request', 400]);
  });

  it('can have another status, and headers besides Retry-After', () => {
    const error = new OAuthError(AUTHORIZATION.invalid_client, undefined, {
      ...{ status: 401, retryAfter: 7, headers: { 'www-authenticate': 'Basic' } },
    });

    assert.equal(error.status, 401);
    assert.deepEqual(error.headers, { 'retry-after': '7', 'www-authenticate': 'Basic' });
    assert.deepEqual(new OAuthError(AUTHORIZATION.invalid_client).headers, {});
  });

  it('can be 401 only if client authentication failed', () =>
    assert.deepEqual(
      Object.values(AUTHORIZATION).filter((row) => row.otherStatuses !== undefined),
      [AUTHORIZATION.invalid_client],
    ));
});
