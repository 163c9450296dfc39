/** AuthorizationRequestStore in SQL; held to test/contract/authorization-request-store.contract.ts. */
import type { Theme } from '../branding/branding.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import type {
  AuthorizationRequest,
  AuthorizationRequestStore,
} from '../connect/flow/authorization-request-store.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { Database } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';

type RequestRow = Omit<AuthorizationRequest, 'providers' | 'state' | 'codeChallenge' | 'theme'> & {
  readonly providers: string;
  readonly state: string | null;
  readonly codeChallenge: string | null;
  readonly theme: Theme | null;
};

const FIND = `
  SELECT transaction_id AS "transactionId", client_id AS "clientId", user_id AS "userId",
         redirect_uri AS "redirectUri", scope, state, code_challenge AS "codeChallenge", language, theme,
         display, providers, query, form_token AS "formToken", status, created_at AS "createdAt"
    FROM authorization_request WHERE transaction_id = :transactionId`;

const CREATE = `
  INSERT INTO authorization_request (transaction_id, client_id, user_id, redirect_uri, scope, state,
    code_challenge, language, theme, display, providers, query, form_token, status, created_at)
  VALUES (:transactionId, :clientId, :userId, :redirectUri, :scope, :state,
    :codeChallenge, :language, :theme, :display, :providers, :query, :formToken, :status, :createdAt)`;

// Locks the user's row, as disconnecting does: an approval and the end of the last account take turns, so that either
// the approval finds no account or the disconnection finds a code to withdraw.
const LOCK_USER = `
  UPDATE application_user SET last_seen_at = last_seen_at
   WHERE (client_id, user_id) = (SELECT client_id, user_id FROM authorization_request
                                  WHERE transaction_id = :transactionId)`;

// The WHERE clause decides alone, also in a race.
const APPROVE = `
  UPDATE authorization_request SET status = 'approved'
   WHERE transaction_id = :transactionId AND status = 'open'
     AND EXISTS (SELECT 1 FROM account
                  WHERE account.client_id = authorization_request.client_id
                    AND account.user_id = authorization_request.user_id)
  RETURNING transaction_id`;

const WRITE_CODE = `
  INSERT INTO authorization_code (client_id, user_id, redirect_uri, scope, code_challenge, approved_at, withdrawn_at)
  SELECT client_id, user_id, redirect_uri, scope, code_challenge, CAST(:now AS BIGINT), NULL
    FROM authorization_request WHERE transaction_id = :transactionId
  ON CONFLICT (client_id, user_id) DO UPDATE SET
    redirect_uri = excluded.redirect_uri, scope = excluded.scope,
    code_challenge = excluded.code_challenge, approved_at = excluded.approved_at, withdrawn_at = NULL`;

const DENY = `
  UPDATE authorization_request SET status = 'denied'
   WHERE transaction_id = :transactionId AND status = 'open' RETURNING transaction_id`;

const SET_LANGUAGE = `
  UPDATE authorization_request SET language = :language
   WHERE transaction_id = :transactionId AND status = 'open'`;

const DELETE_EXPIRED = `
  DELETE FROM authorization_request
   WHERE transaction_id IN (SELECT transaction_id FROM authorization_request
                             WHERE created_at < :createdBefore LIMIT :limit)
  RETURNING transaction_id`;

/** Authorization requests in `db`. Their form tokens are sealed, as every secret at rest. */
export function authorizationRequestStore(db: Database, sealer: Sealer): AuthorizationRequestStore {
  return {
    async createRequest(request) {
      await db.write(CREATE, {
        ...request,
        formToken: sealer.seal(request.formToken, contextOf(request.transactionId)),
        state: request.state ?? null,
        codeChallenge: request.codeChallenge ?? null,
        theme: request.theme ?? null,
        providers: request.providers.join(','),
      });
    },

    async findRequest(transactionId) {
      const row = await db.get<RequestRow>(FIND, { transactionId });
      return row && requestOf(row, sealer);
    },

    approveRequest(transactionId, now) {
      const values = { transactionId, now };
      return db.transaction(async (tx) => {
        await tx.all(LOCK_USER, values);
        if ((await tx.all(APPROVE, values)).length === 0) return false;
        await tx.all(WRITE_CODE, values);
        return true;
      });
    },

    async denyRequest(transactionId) {
      return (await db.write(DENY, { transactionId })).length > 0;
    },

    async setLanguage(transactionId, language) {
      await db.write(SET_LANGUAGE, { transactionId, language });
    },

    deleteExpiredRequests(createdBefore) {
      return deleteInParts(db, DELETE_EXPIRED, { createdBefore });
    },
  };
}

const contextOf = (transactionId: string): string => `authorization_request|${transactionId}|form_token`;

function requestOf(row: RequestRow, sealer: Sealer): AuthorizationRequest {
  return {
    ...row,
    formToken: sealer.open(row.formToken, contextOf(row.transactionId)),
    state: row.state ?? undefined,
    codeChallenge: row.codeChallenge ?? undefined,
    theme: row.theme ?? undefined,
    providers: row.providers.split(',') as ProviderKind[], // createRequest joined kinds
  };
}
