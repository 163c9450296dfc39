/** Repeatable requests in SQL; held to test/contract/idempotency-store.contract.ts and admin-request-store.contract.ts. */
import { type Sealer, sealedField } from '../lib/sealing.ts';
import type {
  AdminRequest,
  AdminRequestStore,
  IdempotencyStore,
  RepeatableRequest,
  RepeatedRequests,
} from '../writing/idempotency-store.ts';
import type { Database, Value } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';
import { WORKING_KEYS } from './people/admin-key-store.ts';

/** The statements' parts that differ between tables, in SQL. */
type Kind = {
  readonly table: string;
  /** The columns of the owner, their values and the condition for them. */
  readonly owner: { readonly columns: string; readonly values: string; readonly is: string };
  /** Whether the owner may read the stored response. */
  readonly isReadable: string;
  /** The column that a new request clears. */
  readonly cleared: string;
  /** Whether a change was made, so that no other run may follow. */
  readonly hasActed: string;
  /** The assignments and the condition that store a response. */
  readonly kept: { readonly set: string; readonly where: string };
};

const OF_USERS: Kind = {
  table: 'idempotency',
  owner: {
    columns: 'client_id, user_id',
    values: ':clientId, :userId',
    is: 'client_id = :clientId AND user_id = :userId',
  },
  // Whether the grant may write to the account that the response is about.
  isReadable: `EXISTS (
    SELECT 1 FROM account a JOIN account_group g ON g.group_id = a.group_id AND g.expires_at IS NULL
      JOIN grant_coverage v ON v.group_id = a.group_id
     WHERE a.account_key = idempotency.account_key AND v.coverage_id = :coverageId AND v.scope = 'read-write')`,
  cleared: 'account_key',
  hasActed: '1 = 0',
  // If the account was disconnected in the meantime, nobody can request the response.
  kept: {
    set: ', account_key = :accountKey',
    where: 'AND EXISTS (SELECT 1 FROM account WHERE account_key = :accountKey)',
  },
};

const OF_ADMIN_KEYS: Kind = {
  table: 'admin_request',
  owner: { columns: 'key_id', values: ':keyId', is: 'key_id = :keyId' },
  isReadable: `(key_id = 'environment' OR key_id IN ${WORKING_KEYS})`,
  cleared: 'acted_at',
  hasActed: 'admin_request.acted_at IS NOT NULL',
  kept: { set: '', where: '' },
};

const sealedAnswer = sealedField('admin_request.answer');

export const idempotencyStore = (db: Database): IdempotencyStore =>
  repeatedRequests<RepeatableRequest>(db, OF_USERS, { seal: (_, body) => body, open: (_, answer) => answer });

export function adminRequestStore(db: Database, sealer: Sealer): AdminRequestStore {
  const contextOf = ({ keyId, keyHash, requestHash }: AdminRequest) =>
    sealedAnswer(keyId, keyHash, requestHash);
  return repeatedRequests<AdminRequest>(db, OF_ADMIN_KEYS, {
    seal: (request, body) => sealer.seal(body, contextOf(request)),
    open: (request, answer) => sealer.open(answer, contextOf(request)),
  });
}

type Row = { state: 'answered' | 'under_way' | 'lost' | 'other_request'; answer: string | undefined };
type Stored<Request> = (request: Request, answer: string) => string;

function repeatedRequests<Request extends Readonly<Record<string, Value>>>(
  db: Database,
  { table, owner, isReadable, cleared, hasActed, kept }: Kind,
  { seal, open }: { readonly seal: Stored<Request>; readonly open: Stored<Request> },
): RepeatedRequests<Request, { readonly body: string }> {
  const isForgotten = `${table}.created_at <= :forgottenAt`;
  // The conflict's WHERE decides the race: a claim that is active, has a response or made a change is not replaced.
  const claim = `
    INSERT INTO ${table} (${owner.columns}, key_hash, request_hash, seed, lease_holder, lease_until, created_at)
    VALUES (${owner.values}, :keyHash, :requestHash, :seed, :holder, :until, :now)
    ON CONFLICT (${owner.columns}, key_hash) DO UPDATE SET
      seed = CASE WHEN ${isForgotten} THEN excluded.seed ELSE ${table}.seed END,
      created_at = CASE WHEN ${isForgotten} THEN excluded.created_at ELSE ${table}.created_at END,
      request_hash = excluded.request_hash, answer = NULL, ${cleared} = NULL,
      lease_holder = excluded.lease_holder, lease_until = excluded.lease_until
    WHERE ${isForgotten}
       OR (${table}.answer IS NULL AND ${table}.lease_until <= :now
           AND ${table}.request_hash = excluded.request_hash AND NOT (${hasActed}))
    RETURNING seed`;
  const ofRequest = `${owner.is} AND key_hash = :keyHash`;
  const read = `
    SELECT answer,
           CASE WHEN request_hash <> :requestHash THEN 'other_request'
                WHEN answer IS NOT NULL THEN CASE WHEN ${isReadable} THEN 'answered' ELSE 'other_request' END
                WHEN lease_until <= :now AND ${hasActed} THEN 'lost' ELSE 'under_way' END AS state
      FROM ${table} WHERE ${ofRequest}`;
  const claimed = `${ofRequest} AND lease_holder = :holder`;
  const unheld = 'lease_holder = NULL, lease_until = 0';
  const keep = `UPDATE ${table} SET answer = :answer${kept.set}, ${unheld} WHERE ${claimed} ${kept.where}`;
  const release = `UPDATE ${table} SET ${unheld} WHERE ${claimed}`;
  const forget = `DELETE FROM ${table} WHERE ${claimed} AND NOT (${hasActed})`;
  const deleteOld = `
    DELETE FROM ${table} WHERE (${owner.columns}, key_hash) IN
      (SELECT ${owner.columns}, key_hash FROM ${table} WHERE created_at <= :before LIMIT :limit)`;

  return {
    async claim(request, terms) {
      const [row] = await db.write<{ seed: string }>(claim, { ...request, ...terms });
      if (row !== undefined) return { state: 'claimed', seed: row.seed };
      // The request may have been deleted in the meantime; a retry then claims it.
      const { state, answer } = (await db.get<Row>(read, { ...request, ...terms })) ?? UNDER_WAY;
      return state === 'answered' ? { state, answer: open(request, answer ?? '') } : { state };
    },

    async keepAnswer(request, holder, { body, ...columns }) {
      await db.change(keep, { ...request, ...columns, holder, answer: seal(request, body) });
    },

    async release(request, holder) {
      await db.change(release, { ...request, holder });
    },

    async forget(request, holder) {
      const isDeleted = (await db.change(forget, { ...request, holder })) > 0;
      if (!isDeleted) await db.change(release, { ...request, holder });
    },

    deleteOldRequests: (before) => deleteInParts(db, deleteOld, { before }),
  };
}

const UNDER_WAY: Row = { state: 'under_way', answer: undefined };
