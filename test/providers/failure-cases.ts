/** What is played at the sandbox's providers, and what it must lead to: for provider-failures.test.ts. */
import type { FaultEffect } from '../../sandbox/core/faults.ts';
import type { Actor, HealthReason } from '../../src/calendars/health-reason.ts';
import type { ProviderKind } from '../../src/calendars/provider-kind.ts';
import type { Bench } from './provider-bench.ts';

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type FailureCase = {
  readonly provider: ProviderKind;
  readonly name: string;
  /** Makes it so. */
  readonly befall: (bench: Bench) => unknown;
  /** How long until the next read; just over what counts as fresh unless said. */
  readonly after?: number;
  readonly state: 'degraded' | 'reauth_required';
  readonly reason: HealthReason;
  readonly actor: Actor;
  /** Ends it, where that takes more than that the faults are over. */
  readonly mend?: (bench: Bench) => unknown;
};

export const status = (code: number, reason?: string, retryAfter?: number): FaultEffect => ({
  kind: 'status',
  status: code,
  ...(reason === undefined ? {} : { reason }),
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
const at = (operation: string, effect: FaultEffect) => (bench: Bench) => bench.fault(effect, operation);
const everywhere = (effect: FaultEffect) => (bench: Bench) => bench.fault(effect);
/** Long enough that the access token has to be renewed. */
const EXPIRED = 2 * HOUR;
const signInAgain = (bench: Bench) => bench.link();

const google = (
  name: string,
  befall: FailureCase['befall'],
  state: FailureCase['state'],
  reason: HealthReason,
  actor: Actor,
  more: Partial<FailureCase> = {},
): FailureCase => ({ provider: 'google', name, befall, state, reason, actor, ...more });
const microsoft: typeof google = (...args) => ({ ...google(...args), provider: 'microsoft' });
const caldav: typeof google = (...args) => ({ ...google(...args), provider: 'caldav' });
const apple: typeof google = (...args) => ({ ...google(...args), provider: 'apple' });
const renewing = { after: EXPIRED };

export const CASES: readonly FailureCase[] = [
  google(
    'the user takes the access back',
    ({ hand }) => hand.revokeAccess('ada@example.com'),
    'reauth_required',
    'access_revoked',
    'user',
    { mend: signInAgain },
  ),
  google(
    'the refresh token is refused',
    at('token', status(400, 'invalid_grant')),
    'reauth_required',
    'access_revoked',
    'user',
    { ...renewing, mend: signInAgain },
  ),
  google(
    'a test app loses its access after seven days',
    ({ registerApp }) => registerApp({ status: 'testing' }),
    'reauth_required',
    'google_testing_expired',
    'operator',
    { after: 7 * DAY + 1_000, mend: signInAgain },
  ),
  google(
    'the app’s secret was changed',
    ({ registerApp }) => registerApp({ clientSecret: 'another' }),
    'degraded',
    'app_credentials_refused',
    'operator',
    { ...renewing, mend: ({ registerApp }) => registerApp({}) },
  ),
  google(
    'the app is refused',
    at('token', status(401, 'unauthorized_client')),
    'degraded',
    'app_credentials_refused',
    'operator',
    renewing,
  ),
  google(
    'an administrator does not let the app in',
    at('token', status(400, 'admin_policy_enforced')),
    'degraded',
    'admin_consent_required',
    'administrator',
    renewing,
  ),
  google(
    'the token endpoint is out of order',
    at('token', status(503)),
    'degraded',
    'provider_unavailable',
    'nobody',
    renewing,
  ),
  google(
    'the token endpoint resets connections',
    at('token', { kind: 'reset' }),
    'degraded',
    'provider_unavailable',
    'nobody',
    renewing,
  ),
  google(
    'the token endpoint asks to wait',
    at('token', status(429, 'rateLimitExceeded', 30)),
    'degraded',
    'quota_exhausted',
    'nobody',
    renewing,
  ),
  google(
    'every access token is refused',
    at('calendarList.list', status(401)),
    'reauth_required',
    'access_revoked',
    'user',
    { after: 2 * MINUTE, mend: signInAgain },
  ),
  google(
    'the calendar permission is missing',
    at('events.list', status(403, 'insufficientPermissions')),
    'reauth_required',
    'calendar_permission_missing',
    'user',
    { mend: signInAgain },
  ),
  google(
    'the project’s quota is used up',
    at('events.list', status(403, 'rateLimitExceeded')),
    'degraded',
    'quota_exhausted',
    'nobody',
  ),
  google(
    'the user’s quota is used up',
    at('events.list', status(403, 'userRateLimitExceeded')),
    'degraded',
    'user_quota_exhausted',
    'nobody',
  ),
  google(
    'calendar usage limits are exceeded',
    at('events.list', status(403, 'quotaExceeded')),
    'degraded',
    'user_quota_exhausted',
    'nobody',
  ),
  google(
    'it asks to wait',
    at('events.list', status(429, 'rateLimitExceeded', 60)),
    'degraded',
    'quota_exhausted',
    'nobody',
  ),
  google(
    'the API is not switched on',
    at('events.list', status(403, 'accessNotConfigured')),
    'degraded',
    'provider_not_set_up',
    'operator',
  ),
  google(
    'the domain forbids the app',
    at('events.list', status(403, 'domainPolicy')),
    'degraded',
    'admin_consent_required',
    'administrator',
  ),
  google('the API is out of order', everywhere(status(503)), 'degraded', 'provider_unavailable', 'nobody'),
  google(
    'the API resets connections',
    everywhere({ kind: 'reset' }),
    'degraded',
    'provider_unavailable',
    'nobody',
  ),
  google(
    'answers end in the middle',
    at('events.list', { kind: 'truncate' }),
    'degraded',
    'provider_unavailable',
    'nobody',
  ),
  microsoft(
    'the user takes the access back',
    ({ hand }) => hand.revokeAccess('ada@example.com'),
    'reauth_required',
    'access_revoked',
    'user',
    { ...renewing, mend: signInAgain },
  ),
  microsoft(
    'a second factor is demanded',
    ({ microsoft: of }) => of().manual.block('ada@example.com', 50076),
    'reauth_required',
    'reauthentication_demanded',
    'user',
    { ...renewing, mend: unblocked },
  ),
  microsoft(
    'conditional access blocks the user',
    ({ microsoft: of }) => of().manual.block('ada@example.com', 53003),
    'reauth_required',
    'reauthentication_demanded',
    'user',
    { ...renewing, mend: unblocked },
  ),
  microsoft(
    'the refresh token was not used for too long',
    ({ microsoft: of }) => of().manual.block('ada@example.com', 700082),
    'reauth_required',
    'reauthentication_demanded',
    'user',
    { ...renewing, mend: unblocked },
  ),
  microsoft(
    'an administrator must consent',
    ({ microsoft: of }) => of().manual.demandAdminConsent('ada@example.com'),
    'degraded',
    'admin_consent_required',
    'administrator',
    {
      ...renewing,
      mend: ({ microsoft: of }) =>
        of().manual.giveAdminConsent('ada@example.com', '11111111-2222-4333-8444-555555555555'),
    },
  ),
  microsoft(
    'the app’s secret has expired',
    ({ registerApp, clock }) => registerApp({ secretExpiresAt: clock.now() }),
    'degraded',
    'app_secret_expired',
    'operator',
    { ...renewing, mend: ({ registerApp }) => registerApp({}) },
  ),
  microsoft(
    'the app’s secret was changed',
    ({ registerApp }) => registerApp({ clientSecret: 'another' }),
    'degraded',
    'app_credentials_refused',
    'operator',
    { ...renewing, mend: ({ registerApp }) => registerApp({}) },
  ),
  microsoft(
    'the token endpoint is out of order',
    at('token', status(503)),
    'degraded',
    'provider_unavailable',
    'nobody',
    renewing,
  ),
  microsoft(
    'the mailbox is asked too often',
    everywhere(status(429, 'ApplicationThrottled', 30)),
    'degraded',
    'user_quota_exhausted',
    'nobody',
  ),
  microsoft('the API is out of order', everywhere(status(503)), 'degraded', 'provider_unavailable', 'nobody'),
  microsoft(
    'the API does not answer in time',
    everywhere(status(504)),
    'degraded',
    'provider_unavailable',
    'nobody',
  ),
  microsoft(
    'the API resets connections',
    everywhere({ kind: 'reset' }),
    'degraded',
    'provider_unavailable',
    'nobody',
  ),
  microsoft(
    'the calendar permission is missing',
    everywhere(status(403)),
    'reauth_required',
    'calendar_permission_missing',
    'user',
    { mend: signInAgain },
  ),
  microsoft(
    'answers end in the middle',
    everywhere({ kind: 'truncate' }),
    'degraded',
    'provider_unavailable',
    'nobody',
  ),
  caldav(
    'the password was changed',
    ({ hand }) => hand.revokeAccess('ada@example.com'),
    'reauth_required',
    'password_refused',
    'user',
    { mend: signInAgain },
  ),
  caldav('the server is out of order', everywhere(status(503)), 'degraded', 'provider_unavailable', 'nobody'),
  caldav(
    'the server asks to wait',
    everywhere(status(429, 'too-many-requests', 30)),
    'degraded',
    'quota_exhausted',
    'nobody',
  ),
  caldav(
    'the server resets connections',
    everywhere({ kind: 'reset' }),
    'degraded',
    'provider_unavailable',
    'nobody',
  ),
  apple(
    'the app-specific password was withdrawn',
    ({ hand }) => hand.revokeAccess('ada@example.com'),
    'reauth_required',
    'password_refused',
    'user',
    { mend: signInAgain },
  ),
  apple('iCloud is out of order', everywhere(status(503)), 'degraded', 'provider_unavailable', 'nobody'),
];

async function unblocked(bench: Bench): Promise<void> {
  await bench.microsoft().manual.block('ada@example.com', undefined);
  await bench.link();
}
