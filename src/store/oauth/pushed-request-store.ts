/** PushedRequestStore in SQL; held to test/contract/pushed-request-store.contract.ts on both databases. */
import type { PushedRequest, PushedRequestStore } from '../../oauth/pushed-request-store.ts';
import type { Database } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';

const ADD = `
  INSERT INTO pushed_request (uri_hash, client_id, issuer, query, created_at)
  VALUES (:uriHash, :clientId, :issuer, :query, :createdAt)`;

const DELETE_OLDEST = `
  DELETE FROM pushed_request
   WHERE client_id = :clientId AND spent_for IS NULL AND created_at <= (
           SELECT created_at FROM pushed_request WHERE client_id = :clientId AND spent_for IS NULL
            ORDER BY created_at DESC LIMIT 1 OFFSET :mostUnspent)`;

const ADDED_BETWEEN_COUNTS = 64;

// The WHERE clause is the guard: of concurrent calls, one changes the row.
const SPEND = `
  UPDATE pushed_request SET spent_for = :transactionId
   WHERE uri_hash = :uriHash AND client_id = :clientId AND issuer = :issuer AND spent_for IS NULL
     AND created_at >= :createdSince
  RETURNING client_id, issuer, query, created_at`;

const SPENT_FOR = `
  SELECT spent_for FROM pushed_request
   WHERE uri_hash = :uriHash AND client_id = :clientId AND issuer = :issuer AND spent_for IS NOT NULL`;

const DELETE_EXPIRED = `
  DELETE FROM pushed_request
   WHERE uri_hash IN (SELECT uri_hash FROM pushed_request WHERE created_at < :createdBefore LIMIT :limit)
     AND created_at < :createdBefore`;

export function pushedRequestStore(db: Database): PushedRequestStore {
  let added = 0;
  return {
    async add(uriHash, { clientId, issuer, query, createdAt }, mostUnspent) {
      await db.change(ADD, { uriHash, clientId, issuer, query, createdAt });
      // Counted only at intervals: a few requests above the limit do no harm.
      added += 1;
      if (added % ADDED_BETWEEN_COUNTS === 0) await db.change(DELETE_OLDEST, { clientId, mostUnspent });
    },

    async spend(uriHash, { clientId, issuer, transactionId, createdSince }) {
      const by = { uriHash, clientId, issuer, transactionId, createdSince };
      const [row] = await db.write<PushedRequest>(SPEND, by);
      if (row !== undefined) return { request: { ...row } };
      const spent = await db.get<{ spentFor: string }>(SPENT_FOR, { uriHash, clientId, issuer });
      return spent && { ...spent };
    },

    deleteExpired: (createdBefore) => deleteInParts(db, DELETE_EXPIRED, { createdBefore }),
  };
}
