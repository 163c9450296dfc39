/** ManagedStore in SQL; held to test/contract/managed-store.contract.ts on both databases. */
import { APPLY_LEASE_MS, type ManagedStore } from '../system/managed-store.ts';
import type { Database } from './drivers/database.ts';

const CLAIM = `
  INSERT INTO lease (name, holder, expires_at) VALUES ('apply', :holder, :expiresAt)
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
   WHERE lease.expires_at < :now`;
const RELEASE = `DELETE FROM lease WHERE name = 'apply' AND holder = :holder`;
const LIST = 'SELECT id FROM managed';

export const managedStore = (db: Database): ManagedStore => ({
  async claimApply(holder, now) {
    return (await db.change(CLAIM, { holder, now, expiresAt: now + APPLY_LEASE_MS })) > 0;
  },

  async releaseApply(holder) {
    await db.change(RELEASE, { holder });
  },

  async listManaged() {
    return new Set((await db.all<{ id: string }>(LIST)).map(({ id }) => id));
  },
});
