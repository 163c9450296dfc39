/** The errors of the administration API, beside those that the domain throws. */
import { ApiError, errorTable } from '../../http/refusal.ts';
import { PeopleRefusal } from '../../people/people-refusal.ts';

export const ADMINISTRATION = errorTable({
  invalid_admin_key: {
    status: 401,
    message: 'The admin key is missing or not valid: send it as Authorization: Bearer kal_adm_…',
    when: 'The request has no admin key, or the key is unknown, expired or revoked, or its creator is no longer valid.',
    fix: 'Send a key that `kalends admin key list` shows as `valid`. `kalends admin key create` creates one.',
    headers: { 'WWW-Authenticate': 'The challenge of RFC 6750 §3.' },
  },
  not_allowed: {
    status: 403,
    message: 'The role of this key does not allow this operation',
    when: 'The role of the admin key does not allow the operation.',
    fix: 'Use a key with another role; the [list of operations](administration.md#operations) has the permissions.',
  },
  not_there: {
    status: 404,
    message: 'There is no such object, or this key may not read it',
    when: 'The path names an object that does not exist, or that the admin key may not read.',
    fix: 'Compare the ids with those of the list.',
  },
  too_many_requests: {
    status: 429,
    message: 'Too many requests: wait for the seconds in Retry-After',
    when: 'The admin key sent more than 1,200 requests in a minute, or a network more than 30 without a valid key.',
    fix: 'Wait for the seconds in `Retry-After`.',
    retryAfter: 60,
  },
});

/** Returns the error of the API for a refusal of the domain, and every other error unchanged. */
export function toApiError(reason: unknown): unknown {
  if (!(reason instanceof PeopleRefusal)) return reason;
  const { kind } = reason;
  const row = kind === 'not_allowed' || kind === 'not_there' ? ADMINISTRATION[kind] : undefined;
  return row === undefined ? reason : new ApiError(row, { cause: reason });
}
