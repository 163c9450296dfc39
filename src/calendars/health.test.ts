import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import { healthAfter } from './health.ts';
import { actorOf, HEALTH_REASONS, type HealthReason } from './health-reason.ts';
import type { ProviderErrorKind } from './provider-error.ts';
import type { ProviderKind } from './provider-facts.ts';

describe('the health of an account after a failure', () => {
  const CASES: readonly [
    ProviderKind,
    ProviderErrorKind,
    HealthReason | undefined,
    state: string,
    reason: HealthReason,
    actor: string,
  ][] = [
    ['caldav', 'unauthorized', undefined, 'reauth_required', 'password_refused', 'user'],
    ['apple', 'unauthorized', undefined, 'reauth_required', 'password_refused', 'user'],
    ['google', 'unauthorized', undefined, 'reauth_required', 'access_revoked', 'user'],
    [
      'google',
      'unauthorized',
      'google_testing_expired',
      'reauth_required',
      'google_testing_expired',
      'operator',
    ],
    [
      'microsoft',
      'unauthorized',
      'reauthentication_demanded',
      'reauth_required',
      'reauthentication_demanded',
      'user',
    ],
    ['google', 'unauthorized', 'app_replaced', 'reauth_required', 'app_replaced', 'user'],
    ['google', 'permission_missing', undefined, 'reauth_required', 'calendar_permission_missing', 'user'],
    [
      'microsoft',
      'permission_missing',
      'admin_consent_required',
      'degraded',
      'admin_consent_required',
      'administrator',
    ],
    ['google', 'misconfigured', undefined, 'degraded', 'app_credentials_refused', 'operator'],
    ['microsoft', 'misconfigured', 'app_secret_expired', 'degraded', 'app_secret_expired', 'operator'],
    ['google', 'misconfigured', 'provider_not_set_up', 'degraded', 'provider_not_set_up', 'operator'],
    ['google', 'rate_limited', undefined, 'degraded', 'quota_exhausted', 'nobody'],
    ['google', 'rate_limited', 'user_quota_exhausted', 'degraded', 'user_quota_exhausted', 'nobody'],
    ['caldav', 'unavailable', undefined, 'degraded', 'provider_unavailable', 'nobody'],
    ['caldav', 'unavailable', 'internal_fault', 'degraded', 'internal_fault', 'operator'],
    ['caldav', 'invalid_response', undefined, 'degraded', 'provider_answer_unreadable', 'operator'],
    ['google', 'sync_token_expired', undefined, 'degraded', 'provider_answer_unreadable', 'operator'],
    ['caldav', 'forbidden_address', undefined, 'degraded', 'address_forbidden', 'operator'],
    ['microsoft', 'not_found', undefined, 'degraded', 'calendar_gone', 'user'],
  ];
  for (const [provider, kind, cause, state, reason, actor] of CASES) {
    it(`a failure at ${provider}, ${kind}${cause ? ` (${cause})` : ''}: ${state}, and ${actor} must act`, () => {
      const problem = healthAfter(
        { kind, message: 'What happened', ...(cause && { reason: cause }) },
        provider,
      );

      assert.deepEqual(problem, { state, reason, message: 'What happened' });
      assert.equal(actorOf(reason), actor);
    });
  }

  it('the documentation lists every reason of an account’s health with who must act', () => {
    const text = readFileSync(new URL('../../docs/account-health.md', import.meta.url), 'utf8');

    const documented = [...text.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, reason, actor]) => [
      reason,
      actor,
    ]);
    assert.deepEqual(Object.fromEntries(documented), HEALTH_REASONS);
  });

  it('a failure because of another person’s change says nothing about an account', () => {
    assert.equal(healthAfter({ kind: 'precondition_failed', message: '' }, 'caldav'), undefined);
  });
});
