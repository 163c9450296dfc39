/** Deletes expired test users, in the same way as other users. */
import type { UserStore } from '../oauth/user-store.ts';
import type { TestUserStore } from './test-user-store.ts';

export type EndedTestUsersDeps = {
  readonly testUsers: Pick<TestUserStore, 'listEnded'>;
  readonly users: Pick<UserStore, 'deleteUser'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The limit of one run. The rest waits for the next run. */
const MOST_AT_A_TIME = 200;

/** Returns how many it deleted. */
export async function deleteEndedTestUsers({ testUsers, users, now }: EndedTestUsersDeps): Promise<number> {
  const ended = await testUsers.listEnded(now(), MOST_AT_A_TIME);
  for (const { clientId, userId } of ended)
    await users.deleteUser(clientId, userId, { now: now(), by: undefined });
  return ended.length;
}
