/** The errors of reading calendars and events that writing shares. */
import { errorTable } from '../http/refusal.ts';

export const PROBLEM = {
  provider: 'google',
  account: 'ada@example.com',
  code: 'unavailable',
  message: 'The provider answered 503',
  reason: 'provider_unavailable',
  actor: 'nobody',
};

export const READING = errorTable({
  sync_in_progress: {
    status: 503,
    message: 'The calendars are being read for the first time; ask again in a few seconds',
    when: 'The first sync of the accounts is still running, and there is no data yet.',
    fix: 'Repeat the request after the seconds in `Retry-After`.',
    fields: { errors: [{ ...PROBLEM, code: 'sync_in_progress' }] },
    retryAfter: 5,
  },
  calendar_permission_required: {
    status: 403,
    message:
      'This account was connected without access to its calendars: send the user to /authorize to allow it',
    when: 'The account was connected without access to its calendars.',
    fix: 'Send the user to `/authorize` to allow access. `accounts` lists the accounts.',
    fields: { accounts: [{ provider: 'google', account: 'ada@example.com' }] },
  },
  calendar_not_found: {
    status: 404,
    message: 'The user has no such calendar; see GET /calendars',
    when: 'The user does not have this calendar, or the token does not cover it.',
    fix: 'Use ids from `GET /calendars`. If the response has `errors`, the calendar may be in an account that cannot be read.',
  },
  event_not_found: {
    status: 404,
    message: 'There is no such event; it may have been deleted or cancelled',
    when: 'The event does not exist, or it was deleted or cancelled.',
    fix: 'Delete the event from your copy. If the response has `errors`, the event may be in an account that cannot be read; then keep it.',
  },
  account_not_found: {
    status: 404,
    message: 'The user has no such account at google',
    when: 'The user does not have this account.',
    fix: 'Use ids from `GET /connection-status`.',
    field: 'account',
  },
  user_not_found: {
    status: 404,
    message: 'This user does not exist: the first call of /authorize creates it',
    when: 'The application does not have this user.',
    fix: 'Send the user to `/authorize`: the first call creates it.',
  },
});
