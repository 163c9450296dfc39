/** The guards of the quotas of accounts and of lists of calendars. */
import type { Guard } from './known-guards.ts';

export const ACCOUNT_QUOTA_GUARDS: readonly Guard[] = [
  {
    store: 'account-quota',
    without: ' AND g.expires_at IS NOT NULL AND NOT=> AND NOT',
    fails: 'accounts that are the user’s make room for nobody',
  },
  {
    store: 'account-quota',
    without: 'CASE WHEN g.approved_at IS NULL THEN 0 ELSE 1 END, a.linked_at=>a.linked_at',
    fails: 'strangers’ accounts that were allowed make room last',
  },
  {
    store: 'account-quota',
    without: 'DELETE FROM job WHERE lease_holder IS NULL AND=>DELETE FROM job WHERE',
    fails: 'a running job continues when its account loses its sync slot',
  },
  {
    store: 'account-quota',
    without:
      'UPDATE application_user SET last_seen_at = last_seen_at WHERE=>SELECT user_id FROM application_user WHERE',
    fails: 'of ten accounts that a person links at once, as many are linked as one may',
    on: 'PostgreSQL',
  },
  {
    store: 'calendar-list',
    without: 'account_key = :accountKey AND list_error IS NULL=>account_key = :accountKey',
    fails: 'what is said of a list that is not whole hides no failure that came meanwhile',
  },
];
