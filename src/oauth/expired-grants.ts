/** The deletion of expired codes, ended grants and idle users. */
import type { AuthorizationCodeStore } from './authorization-code-store.ts';
import type { TokenFamilyStore } from './token-family-store.ts';
import type { UserStore } from './user-store.ts';

export type ExpiredGrantsDeps = {
  readonly codes: Pick<AuthorizationCodeStore, 'deleteExpiredCodes'>;
  readonly families: Pick<TokenFamilyStore, 'deleteEndedGrants'>;
  readonly users: Pick<UserStore, 'deleteIdleUsers'>;
  readonly now: () => number;
};

const DAY_MS = 24 * 3_600_000;
/** Far longer than the code's ten minutes, so that a late exchange is reported as expired (docs/wire.md O7). */
const CODE_LIFE_MS = DAY_MS;
const ENDED_GRANT_LIFE_MS = DAY_MS;
const IDLE_USER_LIFE_MS = 30 * DAY_MS;

/** Returns the deletions of expired rows. Each returns how many rows it deleted. */
export function expiredGrants({ codes, families, users, now }: ExpiredGrantsDeps) {
  return {
    codes: () => codes.deleteExpiredCodes(now() - CODE_LIFE_MS),
    grants: () => families.deleteEndedGrants(now() - ENDED_GRANT_LIFE_MS),
    users: () => users.deleteIdleUsers(now() - IDLE_USER_LIFE_MS),
  };
}
