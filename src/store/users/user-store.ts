/** UserStore in SQL; held to test/contract/user-store.contract.ts on both databases. */
import type { LivingGrant, UserStore, UserSummary } from '../../oauth/user-store.ts';
import type { Database } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';
import { deleteUserInParts } from './user-deletion.ts';

// Leaves out accounts of an open authorization request, which are not the user's yet.
const SUMMARY = `
  SELECT u.client_id, u.user_id, u.created_at, u.last_seen_at,
         (SELECT COUNT(*) FROM account AS a JOIN account_group AS g ON g.group_id = a.group_id
           WHERE g.expires_at IS NULL AND a.client_id = u.client_id AND a.user_id = u.user_id) AS accounts,
         (SELECT COUNT(*) FROM token_family AS f
           WHERE f.client_id = u.client_id AND f.user_id = u.user_id AND f.ended_at IS NULL) AS grants
    FROM application_user AS u
   WHERE u.client_id = :clientId`;

const LIVING_GRANTS = `
  SELECT scope, created_at, refreshed_at
    FROM token_family
   WHERE client_id = :clientId AND user_id = :userId AND ended_at IS NULL
   ORDER BY created_at, family_id`;

const IS_USER = 'SELECT user_id FROM application_user WHERE client_id = :clientId AND user_id = :userId';

// A later call of another instance with an earlier time leaves last_seen_at as it is.
const LOAD_OR_CREATE = `
  INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
  VALUES (:clientId, :userId, :now, :now)
  ON CONFLICT (client_id, user_id) DO UPDATE SET last_seen_at = excluded.last_seen_at
   WHERE application_user.last_seen_at < excluded.last_seen_at`;

// Users who are being connected now were seen at /authorize shortly before, so the age protects them.
const DELETE_IDLE = `
  DELETE FROM application_user
   WHERE (client_id, user_id) IN (
     SELECT u.client_id, u.user_id FROM application_user AS u
      WHERE u.last_seen_at < :seenBefore
        AND NOT EXISTS (SELECT 1 FROM account AS a
                         WHERE a.client_id = u.client_id AND a.user_id = u.user_id)
        AND NOT EXISTS (SELECT 1 FROM token_family AS f
                         WHERE f.client_id = u.client_id AND f.user_id = u.user_id AND f.ended_at IS NULL)
      LIMIT :limit)
     AND last_seen_at < :seenBefore`;

export function userStore(db: Database): UserStore {
  return {
    async isUser(clientId, userId) {
      return (await db.get(IS_USER, { clientId, userId })) !== undefined;
    },

    async loadOrCreateUser(clientId, userId, now) {
      await db.change(LOAD_OR_CREATE, { clientId, userId, now });
    },

    findUser: (clientId, userId) =>
      db.get<UserSummary>(`${SUMMARY} AND u.user_id = :userId`, { clientId, userId }),

    livingGrantsOf: (clientId, userId) => db.all<LivingGrant>(LIVING_GRANTS, { clientId, userId }),

    deleteUser: (clientId, userId, terms) => deleteUserInParts(db, { clientId, userId, ...terms }),

    deleteIdleUsers(seenBefore) {
      return deleteInParts(db, DELETE_IDLE, { seenBefore });
    },
  };
}
