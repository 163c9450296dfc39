/** The guards of reads for the pages of users and accounts: only the owner's rows, each on one page. */
import type { Guard } from './known-guards.ts';

export const USER_PAGE_GUARDS: readonly Guard[] = [
  {
    store: 'accounts-by-health',
    without: ' AND a.group_id NOT IN (SELECT group_id FROM account_group WHERE expires_at IS NOT NULL)=>',
    fails: 'an account that is not the user’s yet is neither counted nor shown',
  },
  {
    store: 'accounts-by-health',
    without: "a.client_id = :clientId AND a.health_reason=>CAST(:clientId AS TEXT) <> '' AND a.health_reason",
    fails:
      'an account is shown with its user, provider and trouble, where the application is one that is named',
  },
  {
    store: 'user-directory',
    without:
      'AND EXISTS (SELECT 1 FROM account_group AS g WHERE g.group_id = a.group_id AND g.expires_at IS NULL)=>',
    fails: 'an account that is not the user’s yet finds nobody and is not counted',
  },
  {
    store: 'health-history',
    without: " AND COALESCE(h.reason, '') = COALESCE(CAST(:reason AS TEXT), '')=>",
    fails: 'a problem that continues is one event, whatever its message',
  },
  {
    store: 'health-history',
    without: ' AND g.expires_at IS NULL JOIN account_history=> JOIN account_history',
    fails: 'what happens to an account that is not the user’s yet is in no list',
  },
  {
    store: 'account-calendars',
    without: ' AND w.expires_at > :now=> AND CAST(:now AS BIGINT) > 0',
    fails: 'a calendar is pushed until its last living watch ends, and by no other',
  },
  {
    store: 'account-syncing',
    without: ' AND g.expires_at IS NULL WHERE=> WHERE',
    fails: 'an account that is not the user’s yet is left alone',
  },
  {
    store: 'account-syncing',
    without: ' AND c.left_out = 0=>',
    fails: 'calendars that are pushed are looked at too, and those that the user left out are not',
  },
];
