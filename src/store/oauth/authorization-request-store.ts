/** AuthorizationRequestStore in SQL; held to test/contract/authorization-request-store.contract.ts. */
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import {
  type AuthorizationRequest,
  type AuthorizationRequestStore,
  FLOW_STEPS,
  type FlowStep,
  type UserKey,
} from '../../connect/flow/authorization-request-store.ts';
import { type Sealer, sealedField } from '../../lib/sealing.ts';
import { dropRequestGroup } from '../accounts/account-deletion.ts';
import { joinGroups } from '../accounts/join-groups.ts';
import { lockUser } from '../changes/user-lock.ts';
import { connectionNoter } from '../changes/user-notes.ts';
import type { Database } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';
import { applyApproval, holdCodes, listGroups } from './approval.ts';

type RequestRow = Omit<
  AuthorizationRequest,
  'providers' | 'isPushed' | 'isVouched' | 'hasDisconnected' | 'wasSentAhead'
> & {
  readonly providers: string;
  readonly isPushed: number;
  readonly isPublic: number;
  readonly hasDisconnected: number;
  readonly wasSentAhead: number;
};

const FIND = `
  SELECT transaction_id, client_id, user_id, redirect_uri, scope, state, code_challenge, language, theme,
         display, providers, query, form_token, status, created_at,
         secret_hash, pushed AS is_pushed, public_client AS is_public, user_name, login_hint,
         allowed_at, disconnected AS has_disconnected, sent_ahead AS was_sent_ahead, reconnects, resource, issuer, dpop_jkt
    FROM authorization_request WHERE transaction_id = :transactionId`;

const CREATE = `
  INSERT INTO authorization_request (transaction_id, client_id, user_id, redirect_uri, scope, state,
    code_challenge, language, theme, display, providers, query, form_token, status, created_at, secret_hash, pushed,
    public_client, user_name, login_hint, reconnects, resource, issuer, dpop_jkt)
  VALUES (:transactionId, :clientId, :userId, :redirectUri, :scope, :state,
    :codeChallenge, :language, :theme, :display, :providers, :query, :formToken, :status, :createdAt, :secretHash,
    :pushed, :publicClient, :userName, :loginHint, :reconnects, :resource, :issuer, :dpopJkt)`;

const APPROVE = `
  UPDATE authorization_request SET status = 'approved'
   WHERE transaction_id = :transactionId AND status = 'open'`;

const USER = `
  SELECT client_id, user_id FROM authorization_request
   WHERE transaction_id = :transactionId`;

const STATUS = 'SELECT status FROM authorization_request WHERE transaction_id = :transactionId';

const DENY = `
  UPDATE authorization_request SET status = 'denied'
   WHERE transaction_id = :transactionId AND status = 'open'`;

type GroupsToJoin = { readonly intoGroup: string; readonly ownGroup: string; readonly health: string };

/** The account's group, and that of the sign-in: one account with the same identity. */
const GROUPS_TO_JOIN = `
  SELECT a.group_id AS into_group, a.health, s.group_id AS own_group
    FROM account AS a
    JOIN account_group AS g ON g.group_id = a.group_id AND g.expires_at IS NULL
    JOIN account_group AS o ON o.transaction_id = :transactionId AND o.expires_at IS NOT NULL
    JOIN account AS s ON s.group_id = o.group_id AND s.provider = a.provider AND s.identity = a.identity
   WHERE a.account_key = :reconnects AND a.client_id = :clientId AND a.user_id = :userId
     AND NOT EXISTS (SELECT 1 FROM account AS other
                      WHERE other.group_id = o.group_id AND other.account_key <> s.account_key)`;

const NOTE = `
  UPDATE authorization_request SET allowed_at = COALESCE(CAST(:allowedAt AS BIGINT), allowed_at),
         disconnected = COALESCE(CAST(:disconnected AS BIGINT), disconnected),
         language = COALESCE(CAST(:language AS TEXT), language),
         sent_ahead = COALESCE(CAST(:sentAhead AS BIGINT), sent_ahead)
   WHERE transaction_id = :transactionId AND status = 'open'`;

const STEP = 'SELECT flow_step AS step FROM authorization_request WHERE transaction_id = :transactionId';

// The WHERE clause is the guard: the loser of a race reads the step again.
const REACH = `
  UPDATE authorization_request SET flow_step = :to
   WHERE transaction_id = :transactionId AND flow_step = :from`;

/** Deletes the oldest requests above the limit, unless someone signed in, disconnected or allowed anything. */
const DELETE_UNTOUCHED = `
  DELETE FROM authorization_request
   WHERE transaction_id IN (
     SELECT r.transaction_id FROM authorization_request AS r
      WHERE r.client_id = :clientId AND r.created_at <= (
              SELECT created_at FROM authorization_request WHERE client_id = :clientId
               ORDER BY created_at DESC LIMIT 1 OFFSET :mostOpen)
        AND r.allowed_at IS NULL AND r.disconnected = 0
        AND NOT EXISTS (SELECT 1 FROM account_group AS g WHERE g.transaction_id = r.transaction_id)
        AND NOT EXISTS (SELECT 1 FROM sign_in AS s WHERE s.transaction_id = r.transaction_id))`;

const DELETE_EXPIRED = `
  DELETE FROM authorization_request
   WHERE transaction_id IN (SELECT transaction_id FROM authorization_request
                             WHERE created_at < :createdBefore LIMIT :limit)`;

const CREATIONS_BETWEEN_COUNTS = 64;

export function authorizationRequestStore(db: Database, sealer: Sealer): AuthorizationRequestStore {
  let created = 0;
  return {
    async createRequest(request, mostOpen) {
      const { isPushed, isVouched, hasDisconnected: _, wasSentAhead: __, ...others } = request;
      const { allowedAt: ___, ...columns } = others;
      await db.change(CREATE, {
        ...columns,
        formToken: sealer.seal(request.formToken, formTokenContext(request.transactionId)),
        state: request.state ?? null,
        codeChallenge: request.codeChallenge ?? null,
        theme: request.theme ?? null,
        providers: request.providers.join(','),
        pushed: Number(isPushed),
        publicClient: Number(isPushed && !isVouched),
        userName: request.userName ?? null,
        loginHint: request.loginHint ?? null,
        reconnects: request.reconnects ?? null,
        resource: request.resource ?? null,
        dpopJkt: request.dpopJkt ?? null,
      });
      // Counted only at intervals: a few requests above the limit do no harm.
      created += 1;
      if (created % CREATIONS_BETWEEN_COUNTS === 0)
        await db.change(DELETE_UNTOUCHED, { clientId: request.clientId, mostOpen });
    },

    async findRequest(transactionId) {
      const row = await db.get<RequestRow>(FIND, { transactionId });
      return row && toAuthorizationRequest(row, sealer);
    },

    groupsOf: (user, deviceHash, now) => listGroups(db, user, { deviceHash, now }),

    approveRequest(approver, decide) {
      const { request, deviceHash, now } = approver;
      return db.transaction(async (tx) => {
        const { transactionId, clientId, userId } = request;
        // Takes turns with the user's other approvals, with the removal of the last account and with redemptions.
        await lockUser(tx, { clientId, userId });
        await holdCodes(tx, { clientId, userId });
        const row = await tx.get<{ status: string }>(STATUS, { transactionId });
        if (row?.status !== 'open') return 'answered';
        const decision = decide(await listGroups(tx, request, { deviceHash, now }));
        if (decision === 'nothing' || decision === 'waits') return decision;
        if ((await tx.change(APPROVE, { transactionId })) === 0) return 'answered';
        await applyApproval(tx, approver, decision, sealer);
        return 'approved';
      });
    },

    denyRequest: (transactionId, now) =>
      db.transaction(async (tx) => {
        const user = await tx.get<UserKey>(USER, { transactionId });
        if (user === undefined) return false;
        await lockUser(tx, user);
        if ((await tx.change(DENY, { transactionId })) === 0) return false;
        await dropRequestGroup(tx, transactionId, now);
        return true;
      }),

    reconnectAccount: ({ transactionId, clientId, userId, reconnects = '' }, { provesOwner, now }) =>
      db.transaction(async (tx) => {
        const note = await connectionNoter(tx, reconnects, now);
        await lockUser(tx, { clientId, userId });
        const values = { transactionId, clientId, userId, reconnects };
        const groups = await tx.get<GroupsToJoin>(GROUPS_TO_JOIN, values);
        if (groups === undefined || (await tx.change(DENY, { transactionId })) === 0) return false;
        const { intoGroup: into, ownGroup: own } = groups;
        if (!provesOwner) await tx.change('DELETE FROM group_device WHERE group_id = :own', { own });
        await joinGroups(tx, { clientId, userId, into, from: [own], now }, sealer);
        if (groups.health !== 'active')
          await note({ eventType: 'connection.recovered', data: { state: 'active' } });
        return true;
      }),

    async noteProgress(transactionId, { allowedAt, hasDisconnected, wasSentAhead, language }) {
      await db.change(NOTE, {
        transactionId,
        allowedAt: allowedAt ?? null,
        language: language ?? null,
        disconnected: hasDisconnected === undefined ? null : Number(hasDisconnected),
        sentAhead: wasSentAhead === undefined ? null : Number(wasSentAhead),
      });
    },

    reachStep: (transactionId, step) => reachStep(db, transactionId, step),

    deleteExpiredRequests: (createdBefore) => deleteInParts(db, DELETE_EXPIRED, { createdBefore }),
  };
}

async function reachStep(db: Database, transactionId: string, step: FlowStep): Promise<readonly FlowStep[]> {
  const to = FLOW_STEPS.indexOf(step) + 1;
  for (;;) {
    const from = (await db.get<{ step: number }>(STEP, { transactionId }))?.step;
    if (from === undefined || from >= to) return [];
    if ((await db.change(REACH, { transactionId, from, to })) > 0) return FLOW_STEPS.slice(from, to);
  }
}

const formTokenContext = sealedField('authorization_request.form_token');

function toAuthorizationRequest({ isPublic, ...row }: RequestRow, sealer: Sealer): AuthorizationRequest {
  return {
    ...row,
    formToken: sealer.open(row.formToken, formTokenContext(row.transactionId)),
    isPushed: row.isPushed === 1,
    isVouched: row.isPushed === 1 && isPublic === 0,
    hasDisconnected: row.hasDisconnected === 1,
    wasSentAhead: row.wasSentAhead === 1,
    providers: row.providers.split(',') as ProviderKind[], // createRequest joined kinds
  };
}
