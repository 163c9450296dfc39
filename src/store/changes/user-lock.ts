/** The lock of a user, which every transaction takes before any other lock. */
import type { Statements } from '../drivers/database.ts';

const LOCK_USER = `
  UPDATE application_user SET last_seen_at = last_seen_at WHERE client_id = :clientId AND user_id = :userId`;

/**
 * Serializes connecting, approving, disconnecting, and redemptions that make accounts the user's. Call it before anything
 * else is read or locked. On SQLite, which has one writer, it does nothing.
 */
export async function lockUser(
  tx: Statements,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
): Promise<void> {
  if (tx.dialect.engine !== 'sqlite') await tx.change(LOCK_USER, { clientId, userId });
}
