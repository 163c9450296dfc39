/** Failures that failures.test.ts plays at the sandbox's providers, and their expected outcomes. */
import type { FaultEffect } from '../../sandbox/core/faults.ts';
import type { Actor, HealthReason } from '../../src/calendars/health-reason.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import type { Bench } from './provider-bench.ts';

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type FailureCase = {
  readonly provider: ProviderKind;
  readonly name: string;
  /** Makes it so. */
  readonly cause: (bench: Bench) => unknown;
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
const revokeAccess = ({ manual }: Bench) => manual.revokeAccess('ada@example.com');
const block =
  (code: 50076 | 53003 | 700082) =>
  ({ microsoft }: Bench) =>
    microsoft().manual.block('ada@example.com', code);
const changeSecret = ({ registerApp }: Bench) => registerApp({ clientSecret: 'another' });
const renewing = { after: EXPIRED };
const registeredAnew = { ...renewing, mend: ({ registerApp }: Bench) => registerApp({}) };

const signInNeeded = { state: 'reauth_required', mend: signInAgain } as const;

type Outcome = Pick<FailureCase, 'state' | 'reason' | 'actor' | 'mend'>;
const UNAVAILABLE: Outcome = { state: 'degraded', reason: 'provider_unavailable', actor: 'nobody' };
const ACCESS_REVOKED: Outcome = { ...signInNeeded, reason: 'access_revoked', actor: 'user' };
const APP_REFUSED: Outcome = { state: 'degraded', reason: 'app_credentials_refused', actor: 'operator' };
const CONSENT_REQUIRED: Outcome = {
  state: 'degraded',
  reason: 'admin_consent_required',
  actor: 'administrator',
};
const QUOTA_EXHAUSTED: Outcome = { state: 'degraded', reason: 'quota_exhausted', actor: 'nobody' };
const USER_QUOTA_EXHAUSTED: Outcome = { state: 'degraded', reason: 'user_quota_exhausted', actor: 'nobody' };
const SIGN_IN_DEMANDED: Outcome = {
  ...signInNeeded,
  reason: 'reauthentication_demanded',
  actor: 'user',
  mend: unblocked,
};
const PERMISSION_MISSING: Outcome = { ...signInNeeded, reason: 'calendar_permission_missing', actor: 'user' };
const PASSWORD_REFUSED: Outcome = { ...signInNeeded, reason: 'password_refused', actor: 'user' };

type Change = Partial<Pick<FailureCase, 'after' | 'mend'>>;
type Row = readonly [name: string, cause: FailureCase['cause'], outcome: Outcome, change?: Change];

const GOOGLE: readonly Row[] = [
  ['the user takes the access back', revokeAccess, ACCESS_REVOKED],
  ['the refresh token is refused', at('token', status(400, 'invalid_grant')), ACCESS_REVOKED, renewing],
  [
    'a test app loses its access after seven days',
    ({ registerApp }) => registerApp({ status: 'testing' }),
    { ...signInNeeded, reason: 'google_testing_expired', actor: 'operator' },
    { after: 7 * DAY + 1_000 },
  ],
  ['the app’s secret was changed', changeSecret, APP_REFUSED, registeredAnew],
  ['the app is refused', at('token', status(401, 'unauthorized_client')), APP_REFUSED, renewing],
  [
    'an administrator does not let the app in',
    at('token', status(400, 'admin_policy_enforced')),
    CONSENT_REQUIRED,
    renewing,
  ],
  ['the token endpoint is out of order', at('token', status(503)), UNAVAILABLE, renewing],
  ['the token endpoint resets connections', at('token', { kind: 'reset' }), UNAVAILABLE, renewing],
  [
    'the token endpoint asks to wait',
    at('token', status(429, 'rateLimitExceeded', 30)),
    QUOTA_EXHAUSTED,
    renewing,
  ],
  [
    'every access token is refused',
    at('calendarList.list', status(401)),
    ACCESS_REVOKED,
    { after: 2 * MINUTE },
  ],
  [
    'the calendar permission is missing',
    at('events.list', status(403, 'insufficientPermissions')),
    PERMISSION_MISSING,
  ],
  ['the project’s quota is used up', at('events.list', status(403, 'rateLimitExceeded')), QUOTA_EXHAUSTED],
  [
    'the user’s quota is used up',
    at('events.list', status(403, 'userRateLimitExceeded')),
    USER_QUOTA_EXHAUSTED,
  ],
  [
    'calendar usage limits are exceeded',
    at('events.list', status(403, 'quotaExceeded')),
    USER_QUOTA_EXHAUSTED,
  ],
  ['it asks to wait', at('events.list', status(429, 'rateLimitExceeded', 60)), QUOTA_EXHAUSTED],
  [
    'the API is not switched on',
    at('events.list', status(403, 'accessNotConfigured')),
    { state: 'degraded', reason: 'provider_not_set_up', actor: 'operator' },
  ],
  ['the domain forbids the app', at('events.list', status(403, 'domainPolicy')), CONSENT_REQUIRED],
  ['the API is out of order', everywhere(status(503)), UNAVAILABLE],
  ['the API resets connections', everywhere({ kind: 'reset' }), UNAVAILABLE],
  ['answers end in the middle', at('events.list', { kind: 'truncate' }), UNAVAILABLE],
];

const MICROSOFT: readonly Row[] = [
  ['the user takes the access back', revokeAccess, ACCESS_REVOKED, renewing],
  ['a second factor is demanded', block(50076), SIGN_IN_DEMANDED, renewing],
  ['conditional access blocks the user', block(53003), SIGN_IN_DEMANDED, renewing],
  ['the refresh token was not used for too long', block(700082), SIGN_IN_DEMANDED, renewing],
  [
    'an administrator must consent',
    ({ microsoft }) => microsoft().manual.demandAdminConsent('ada@example.com'),
    CONSENT_REQUIRED,
    {
      ...renewing,
      mend: ({ microsoft }) =>
        microsoft().manual.giveAdminConsent('ada@example.com', '11111111-2222-4333-8444-555555555555'),
    },
  ],
  [
    'the app’s secret has expired',
    ({ registerApp, clock }) => registerApp({ secretExpiresAt: clock.now() }),
    { state: 'degraded', reason: 'app_secret_expired', actor: 'operator' },
    registeredAnew,
  ],
  ['the app’s secret was changed', changeSecret, APP_REFUSED, registeredAnew],
  ['the token endpoint is out of order', at('token', status(503)), UNAVAILABLE, renewing],
  [
    'the mailbox is asked too often',
    everywhere(status(429, 'ApplicationThrottled', 30)),
    USER_QUOTA_EXHAUSTED,
  ],
  ['the API is out of order', everywhere(status(503)), UNAVAILABLE],
  ['the API does not answer in time', everywhere(status(504)), UNAVAILABLE],
  ['the API resets connections', everywhere({ kind: 'reset' }), UNAVAILABLE],
  ['the calendar permission is missing', everywhere(status(403)), PERMISSION_MISSING],
  ['answers end in the middle', everywhere({ kind: 'truncate' }), UNAVAILABLE],
];

const CALDAV: readonly Row[] = [
  ['the password was changed', revokeAccess, PASSWORD_REFUSED],
  ['the server is out of order', everywhere(status(503)), UNAVAILABLE],
  ['the server asks to wait', everywhere(status(429, 'too-many-requests', 30)), QUOTA_EXHAUSTED],
  ['the server resets connections', everywhere({ kind: 'reset' }), UNAVAILABLE],
];

const APPLE: readonly Row[] = [
  ['the app-specific password was withdrawn', revokeAccess, PASSWORD_REFUSED],
  ['iCloud is out of order', everywhere(status(503)), UNAVAILABLE],
];

const casesOf = (provider: ProviderKind, rows: readonly Row[]): FailureCase[] =>
  rows.map(([name, cause, outcome, change]) => ({ provider, name, cause, ...outcome, ...change }));

export const CASES: readonly FailureCase[] = [
  ...casesOf('google', GOOGLE),
  ...casesOf('microsoft', MICROSOFT),
  ...casesOf('caldav', CALDAV),
  ...casesOf('apple', APPLE),
];

async function unblocked(bench: Bench): Promise<void> {
  await bench.microsoft().manual.block('ada@example.com', undefined);
  await bench.link();
}
