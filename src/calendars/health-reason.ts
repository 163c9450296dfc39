/** Why an account does not work, and who can mend it. The words are public: they never change. */
export const HEALTH_REASONS = {
  password_refused: 'user',
  access_revoked: 'user',
  /** A Google app in Testing status: its refresh tokens die after seven days, whatever the user does. */
  google_testing_expired: 'operator',
  reauthentication_demanded: 'user',
  /** The application signs in with another app at the provider now, which cannot renew this account's access. */
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
  /** Our own code met something it was not made for; the log has it. */
  internal_fault: 'operator',
} as const satisfies Record<string, Actor>;

/** Who must act; `administrator` is that of the user's organisation; `nobody`: it passes. */
export type Actor = 'user' | 'operator' | 'administrator' | 'nobody';

export type HealthReason = keyof typeof HEALTH_REASONS;

/** Who can mend it. */
export const actorOf = (reason: HealthReason): Actor => HEALTH_REASONS[reason];
