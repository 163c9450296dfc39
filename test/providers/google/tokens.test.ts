/** The fate of Google's tokens: renewed, dead or revoked, and who must act. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { OAuthCredentials } from '../../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { googleProvider } from '../../../src/providers/google/google-provider.ts';
import { type GoogleAnswer, OddGoogle } from '../../servers/odd-google.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { failsAs } from './failure.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 21, 7);
const AUTH = 'https://www.googleapis.com/auth/calendar';
const app = { clientId: 'app-1', clientSecret: 'secret-1' };
const credentials: OAuthCredentials = {
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  expiresAt: NOW,
  scopes: [`${AUTH}.events.readonly`],
  appClientId: 'app-1',
  issuedAt: NOW - DAY,
};

describe('the tokens of Google', () => {
  let egress: Egress;
  let server: OddGoogle;
  before(async () => {
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    server = await OddGoogle.start();
  });
  beforeEach(() => {
    server.odd = () => undefined;
    server.calls.length = 0;
  });
  after(async () => {
    await egress?.close();
    await server?.stop();
  });

  const google = (issuer = server.origin) =>
    googleProvider({ egress, issuer, apiUrl: `${issuer}/v3`, log: recordingLog().log, now: () => NOW })
      .signIn;
  const tokenAnswers = (answer: () => GoogleAnswer) => {
    server.odd = ({ path }) => (path === '/token' ? answer() : undefined);
  };

  it('Google’s tokens are of one grant for all apps of a project, whose number their ids begin with', () => {
    const { grantOf } = google();
    const ids = [
      '123-web.apps.googleusercontent.com',
      '123-ios.apps.googleusercontent.com',
      '45-web',
      'odd',
      '',
    ];

    assert.deepEqual(
      ids.map((id) => grantOf?.(id)),
      ['123', '123', '45', 'odd', ''],
    );
  });

  const refusals: [answer: GoogleAnswer, kind: string, reason: string][] = [
    [{ status: 400, body: { error: 'invalid_grant' } }, 'unauthorized', 'access_revoked'],
    [{ status: 401, body: { error: 'invalid_client' } }, 'misconfigured', 'app_credentials_refused'],
    [{ status: 401, body: { error: 'unauthorized_client' } }, 'misconfigured', 'app_credentials_refused'],
    [{ status: 403, body: { error: 'org_internal' } }, 'misconfigured', 'app_credentials_refused'],
    [
      { status: 400, body: { error: 'admin_policy_enforced' } },
      'permission_missing',
      'admin_consent_required',
    ],
    [{ status: 503, body: { error: 'backend_error' } }, 'unavailable', 'provider_unavailable'],
    [{ status: 500, body: '<html>' }, 'unavailable', 'provider_unavailable'],
    [{ status: 200, body: '{"access_token":' }, 'invalid_response', 'provider_answer_unreadable'],
    [{ status: 200, body: {} }, 'invalid_response', 'provider_answer_unreadable'],
    [
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      'invalid_response',
      'provider_answer_unreadable',
    ],
    [{ status: 400, body: { error: 'invalid_request' } }, 'invalid_response', 'provider_answer_unreadable'],
  ];
  for (const [answer, kind, reason] of refusals) {
    it(`Google’s ${answer.status} ${JSON.stringify(answer.body ?? '')} to a renewal is taken for ${kind}, ${reason}`, async () => {
      tokenAnswers(() => answer);

      await assert.rejects(google().renew(credentials, app), failsAs(kind, reason));
    });
  }

  it('a failed renewal tells how long Google asks to wait before the next one', async () => {
    tokenAnswers(() => ({ status: 429, body: { error: 'rate_limited' }, headers: { 'retry-after': '90' } }));

    await assert.rejects(google().renew(credentials, app), (failure) => {
      assert.ok(failure instanceof ProviderError);
      assert.deepEqual([failure.kind, failure.retryAfter], ['rate_limited', 90_000]);
      return true;
    });
  });

  it('a token server that cannot be reached, or found, is taken for unavailable', async () => {
    const nobody = google('http://127.0.0.1:9');

    await assert.rejects(
      nobody.begin({
        app,
        redirectUri: 'https://kalends.example/cb',
        scope: 'read',
        state: 's',
        language: 'en',
      }),
      failsAs('unavailable', 'provider_unavailable'),
    );
    await assert.rejects(nobody.renew(credentials, app), failsAs('unavailable', 'provider_unavailable'));
  });

  it('the old refresh token is kept until a new one is sent, and since when is known', async () => {
    tokenAnswers(() => ({
      status: 200,
      body: { access_token: 'access-2', token_type: 'Bearer', expires_in: 3599 },
    }));
    const renewed = await google().renew(credentials, app);
    tokenAnswers(() => ({
      status: 200,
      body: { access_token: 'access-3', token_type: 'Bearer', expires_in: 3599, refresh_token: 'refresh-2' },
    }));
    const replaced = await google().renew(renewed, app);

    assert.deepEqual(renewed, { ...credentials, accessToken: 'access-2', expiresAt: NOW + 3_599_000 });
    assert.deepEqual([replaced.refreshToken, replaced.issuedAt], ['refresh-2', NOW]);
  });

  const deaths: [rule: string, age: number, lastAlive: number, reason: string][] = [
    ['at seven days', 7 * DAY, 7 * DAY - HOUR, 'google_testing_expired'],
    ['an hour before seven days', 7 * DAY - HOUR, 7 * DAY - 2 * HOUR, 'google_testing_expired'],
    ['an hour after seven days', 7 * DAY + HOUR, 7 * DAY, 'google_testing_expired'],
    ['at seven days, unused since it was issued', 7 * DAY, 0, 'google_testing_expired'],
    ['between two renewals at either side', 7 * DAY + 5 * HOUR, 7 * DAY - 5 * HOUR, 'google_testing_expired'],
    ['after it outlived seven days', 7 * DAY + 3 * HOUR, 7 * DAY + 2 * HOUR, 'access_revoked'],
    ['after six days', 6 * DAY, 6 * DAY - HOUR, 'access_revoked'],
    ['some time within a month', 30 * DAY, 0, 'access_revoked'],
  ];
  for (const [rule, age, lastAlive, reason] of deaths) {
    it(`the cause of a refresh token that was found dead ${rule} is named: ${reason}`, async () => {
      tokenAnswers(() => ({ status: 400, body: { error: 'invalid_grant' } }));
      const issuedAt = NOW - age;
      const died = { ...credentials, issuedAt, expiresAt: issuedAt + lastAlive + HOUR };

      await assert.rejects(google().renew(died, app), failsAs('unauthorized', reason));
    });
  }

  it('what came without a refresh token cannot be renewed', async () => {
    const hour = google().renew({ ...credentials, refreshToken: undefined }, app);

    await assert.rejects(hour, failsAs('unauthorized', 'access_revoked'));
    assert.deepEqual(server.calls, []);
  });

  it('the refresh token is revoked without the secret, and what is dead already too', async () => {
    await google().revoke(credentials, app);
    server.odd = ({ path }) =>
      path === '/revoke' ? { status: 400, body: { error: 'invalid_token' } } : undefined;
    await google().revoke(credentials, app);

    const sent = server.calls.filter(({ path }) => path === '/revoke');
    assert.deepEqual(Object.fromEntries(sent[0]?.form ?? []), { token: 'refresh-1' });
    server.odd = ({ path }) => (path === '/revoke' ? { status: 503 } : undefined);
    await assert.rejects(google().revoke(credentials, app), failsAs('unavailable', 'provider_unavailable'));
  });
});
