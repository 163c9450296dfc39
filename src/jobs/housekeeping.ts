/** What is kept for a time only, and for how long. */

import type { RequestLimitStore } from '../access/request-limit-store.ts';
import type { AuthorizationRequestStore } from '../connect/flow/authorization-request-store.ts';
import type { AuthorizationCodeStore } from '../oauth/authorization-code-store.ts';
import type { TokenFamilyStore } from '../oauth/token-family-store.ts';
import type { UserStore } from '../oauth/user-store.ts';
import type { ChangeFeed } from '../reading/change-feed.ts';
import { ANSWER_LIFE_MS } from '../writing/idempotency.ts';
import type { IdempotencyStore } from '../writing/idempotency-store.ts';

export type HousekeepingDeps = {
  readonly requests: Pick<AuthorizationRequestStore, 'deleteExpiredRequests'>;
  readonly codes: Pick<AuthorizationCodeStore, 'deleteExpiredCodes'>;
  readonly families: Pick<TokenFamilyStore, 'deleteEndedGrants'>;
  readonly users: Pick<UserStore, 'deleteIdleUsers'>;
  readonly requestLimits: Pick<RequestLimitStore, 'deleteUnusedLimits'>;
  readonly idempotency: Pick<IdempotencyStore, 'deleteOldRequests'>;
  readonly changes: Pick<ChangeFeed, 'forgetChanges'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const HOUR = 3_600_000;
/** Requirement §8: the cookie lives two hours, and the request with it. */
const REQUEST_LIFE = 2 * HOUR;
/** Well over its ten minutes, so that a late exchange is told that the code expired (requirement §7). */
const CODE_LIFE = 24 * HOUR;
const ENDED_GRANT_LIFE = 24 * HOUR;
const IDLE_USER_LIFE = 30 * 24 * HOUR;
/** How long whoever follows changes may stay away; docs/reading.md promises it. */
const CHANGE_LIFE = 30 * 24 * HOUR;

/** How many of each were deleted. */
export type Housekeeping = Readonly<
  Record<'requests' | 'codes' | 'grants' | 'users' | 'limits' | 'answers' | 'changes', number>
>;

/** Deletes what outlived its use. Safe to run on several instances at once. */
export async function keepHouse(deps: HousekeepingDeps): Promise<Housekeeping> {
  const now = deps.now();
  return {
    requests: await deps.requests.deleteExpiredRequests(now - REQUEST_LIFE),
    codes: await deps.codes.deleteExpiredCodes(now - CODE_LIFE),
    grants: await deps.families.deleteEndedGrants(now - ENDED_GRANT_LIFE),
    users: await deps.users.deleteIdleUsers(now - IDLE_USER_LIFE),
    limits: await deps.requestLimits.deleteUnusedLimits(now),
    answers: await deps.idempotency.deleteOldRequests(now - ANSWER_LIFE_MS),
    changes: await deps.changes.forgetChanges(now - CHANGE_LIFE),
  };
}
