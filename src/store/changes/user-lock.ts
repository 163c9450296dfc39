/** How transactions on one user take turns, whatever else they lock: everyone locks the user first. */
import type { Statements } from '../drivers/database.ts';

const LOCK_USER = `
  UPDATE application_user SET last_seen_at = last_seen_at WHERE client_id = :clientId AND user_id = :userId`;

/** Call it before anything else is read or locked. Linking, approving, redeeming and disconnecting take turns by it. */
export async function lockUser(
  tx: Statements,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
): Promise<void> {
  await tx.change(LOCK_USER, { clientId, userId });
}
