/** What tokens and users leave behind, and for how long it is kept. */
import type { AuthorizationCodeStore } from './authorization-code-store.ts';
import type { TokenFamilyStore } from './token-family-store.ts';
import type { UserStore } from './user-store.ts';

export type ExpiredGrantsDeps = {
  readonly codes: Pick<AuthorizationCodeStore, 'deleteExpiredCodes'>;
  readonly families: Pick<TokenFamilyStore, 'deleteEndedGrants'>;
  readonly users: Pick<UserStore, 'deleteIdleUsers'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const DAY_MS = 24 * 3_600_000;
/** Well over its ten minutes, so that a late exchange is told that the code expired (docs/wire.md O7). */
const CODE_LIFE_MS = DAY_MS;
const ENDED_GRANT_LIFE_MS = DAY_MS;
const IDLE_USER_LIFE_MS = 30 * DAY_MS;

/** Each deletes what is no longer kept, and answers how many that were. */
export function expiredGrants({ codes, families, users, now }: ExpiredGrantsDeps) {
  return {
    codes: () => codes.deleteExpiredCodes(now() - CODE_LIFE_MS),
    grants: () => families.deleteEndedGrants(now() - ENDED_GRANT_LIFE_MS),
    users: () => users.deleteIdleUsers(now() - IDLE_USER_LIFE_MS),
  };
}
