/** The reasons why an account does not work, and who must act. Their names are public: they never change. */
export const HEALTH_REASONS = {
  password_refused: 'user',
  access_revoked: 'user',
  /** The refresh tokens of a Google app in Testing status expire after seven days, whatever the user does. */
  google_testing_expired: 'operator',
  reauthentication_demanded: 'user',
  /** The application now uses another app at the provider, which cannot renew this account's access. */
  app_replaced: 'user',
  admin_consent_required: 'administrator',
  calendar_permission_missing: 'user',
  app_credentials_refused: 'operator',
  app_secret_expired: 'operator',
  provider_not_set_up: 'operator',
  quota_exhausted: 'nobody',
  user_quota_exhausted: 'nobody',
  provider_unavailable: 'nobody',
  provider_answer_unreadable: 'operator',
  address_forbidden: 'operator',
  calendar_gone: 'user',
  /** Events were left out: one of them is over the budget of a resource. The rest of the calendar is read. */
  event_too_complex: 'user',
  /** Events are missing or incomplete, because they cannot be read. The rest of the calendar is read. */
  event_unreadable: 'user',
  /** A calendar has more events, or more data, than Kalends stores for one calendar or one user. */
  calendar_too_large: 'user',
  too_many_calendars: 'user',
  /** Three syncs of the calendar did not finish: it is tried once a day. */
  calendar_set_aside: 'operator',
  /** An internal error. The log has the details. */
  internal_fault: 'operator',
} as const satisfies Record<string, Actor>;

/** `administrator` is the one of the user's organization. `nobody`: the problem passes. */
export type Actor = 'user' | 'operator' | 'administrator' | 'nobody';

export type HealthReason = keyof typeof HEALTH_REASONS;

/** Returns who must act. */
export const actorOf = (reason: HealthReason): Actor => HEALTH_REASONS[reason];
