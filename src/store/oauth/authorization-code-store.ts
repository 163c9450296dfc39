/** AuthorizationCodeStore in SQL; held to test/contract/authorization-code-store.contract.ts. */
import {
  type AuthorizationCode,
  type AuthorizationCodeStore,
  isBoundToOther,
  type OpaqueCode,
  type Redemption,
} from '../../oauth/authorization-code-store.ts';
import type { Grant } from '../../oauth/grant.ts';
import { newTokenIn } from '../../oauth/refresh-token-id.ts';
import type { NewFamily } from '../../oauth/token-family-store.ts';
import { deleteWithCoverage, HAS_CODE, HAS_USER_ID_CODE } from '../accounts/account-groups.ts';
import { syncAll } from '../accounts/account-quota.ts';
import { recordArrival } from '../changes/change-journal.ts';
import { lockUser } from '../changes/user-lock.ts';
import type { BatchStatement, Database, Statements } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';
import { textToFind } from '../drivers/statement-text.ts';
import { hashOfTokenId, toGrant } from './token-family-store.ts';

const COLUMNS =
  'coverage_id AS approval_id, client_id, user_id, redirect_uri, scope, code_challenge, dpop_jkt, approved_at, withdrawn_at';

const FIND = `
  SELECT ${COLUMNS}
    FROM token_family WHERE user_id = :userId AND client_id = :clientId AND ${HAS_USER_ID_CODE}
   ORDER BY approved_at DESC, coverage_id`;

const OF_ANOTHER = `
  SELECT 1 AS found FROM token_family
   WHERE user_id = :code AND client_id <> :clientId AND ${HAS_USER_ID_CODE} LIMIT 1`;

const FIND_OPAQUE = `
  SELECT ${COLUMNS}, CASE WHEN token_hash <> '' THEN created_at END AS redeemed_at
    FROM token_family WHERE code_hash = :codeHash`;

/** Chooses among the codes by the challenge. */
const CHOOSE = `
  SELECT family_id, user_id, finishes, dpop_jkt FROM token_family
   WHERE user_id = :code AND client_id = :clientId AND ${HAS_USER_ID_CODE}
   ORDER BY CASE WHEN COALESCE(code_challenge, '') = COALESCE(CAST(:codeChallenge AS TEXT), '') THEN 0 ELSE 1 END,
            approved_at DESC LIMIT 1`;

const CHOOSE_OPAQUE = `
  SELECT family_id, user_id, finishes, dpop_jkt FROM token_family
   WHERE code_hash = :codeHash AND client_id = :clientId AND ${HAS_CODE}`;

// The WHERE clause decides alone: an attempt that fails a condition or loses a race changes no row.
const REDEEM: BatchStatement = {
  columns: {
    ...{ familyId: 'BIGINT', clientId: 'TEXT', code: 'TEXT', redirectUri: 'TEXT', codeChallenge: 'TEXT' },
    ...{ approvedSince: 'BIGINT', tokenHash: 'TEXT', now: 'BIGINT' },
  },
  sql: ({ value, from }) => `
    UPDATE token_family SET token_hash = ${value('tokenHash')}, created_at = ${value('now')},
           refreshed_at = ${value('now')}, ended_at = NULL
      ${from}
     WHERE family_id = ${value('familyId')} AND token_hash = ''
       AND client_id = ${value('clientId')} AND user_id = ${value('code')} AND redirect_uri = ${value('redirectUri')}
       AND COALESCE(code_challenge, '') = COALESCE(CAST(${value('codeChallenge')} AS TEXT), '')
       AND approved_at >= ${value('approvedSince')} AND withdrawn_at IS NULL
    RETURNING token_hash, family_id, client_id, user_id, scope, coverage_id, resource`,
  key: 'tokenHash',
  writes: true,
};
/** The statement for one caller, in a transaction. */
const REDEEM_ONE = REDEEM.sql({
  value: (column) => `:${column}`,
  from: '',
  andFrom: '',
  fromEach: () => '',
  fromOnce: () => '',
});

// From here on, the accounts that were connected for this approval are the user's.
const FINISH = `
  UPDATE account_group SET expires_at = NULL, transaction_id = NULL, approved_at = NULL
   WHERE expires_at IS NOT NULL
     AND group_id IN (SELECT group_id FROM grant_coverage WHERE coverage_id = :coverageId)`;

const FINISHED = `
  SELECT account_key FROM account
   WHERE group_id IN (SELECT group_id FROM grant_coverage WHERE coverage_id = :coverageId)`;

const END_REDEEMED = `
  UPDATE token_family SET ended_at = :now
   WHERE code_hash = :codeHash AND client_id = :clientId AND created_at >= :redeemedSince AND ended_at IS NULL
  RETURNING family_id, client_id, user_id, scope, coverage_id`;

const DELETE_EXPIRED = `
  DELETE FROM token_family
   WHERE ${HAS_CODE} AND family_id IN (
     SELECT family_id FROM token_family WHERE ${HAS_CODE} AND approved_at < :approvedBefore LIMIT :limit)
  RETURNING coverage_id`;

/** Clears the columns of redeemed codes. The time of an opaque one counts from its redemption. */
const CLEAR_EXPIRED = `
  UPDATE token_family
     SET redirect_uri = NULL, code_challenge = NULL, finishes = NULL, approved_at = NULL, withdrawn_at = NULL,
         code_hash = NULL, resource = NULL, dpop_jkt = NULL
   WHERE family_id IN (
     SELECT family_id FROM token_family
      WHERE redirect_uri IS NOT NULL AND token_hash <> ''
        AND CASE WHEN code_hash IS NULL THEN approved_at ELSE created_at END < :approvedBefore LIMIT :limit)`;

export const authorizationCodeStore = (db: Database): AuthorizationCodeStore => ({
  findCodes: (clientId, userId) => db.all<AuthorizationCode>(FIND, { clientId, userId }),

  isCodeOfAnotherClient: async (clientId, code) =>
    (await db.get(OF_ANOTHER, { clientId, code })) !== undefined,

  findOpaqueCode: (codeHash) => db.get<OpaqueCode>(FIND_OPAQUE, { codeHash }),

  async endRedeemedGrant(code, now) {
    const [ended] = await db.write<Grant>(END_REDEEMED, { ...code, now });
    return ended;
  },

  redeemCode: (presented, now) => redeem(db, presented, now),

  async deleteExpiredCodes(approvedBefore) {
    await deleteInParts(db, CLEAR_EXPIRED, { approvedBefore });
    return deleteWithCoverage(db, DELETE_EXPIRED, { approvedBefore });
  },
});

type Chosen = Pick<Grant, 'familyId' | 'userId'> &
  Pick<AuthorizationCode, 'dpopJkt'> & { readonly finishes: number };

async function redeem(db: Database, presented: Redemption, now: number): Promise<NewFamily | undefined> {
  const codeChallenge = presented.codeChallenge ?? null;
  const { clientId, code, codeHash, dpopJkt: _, ...conditions } = presented;
  // If another approval replaced the chosen code meanwhile, its code is tried as well.
  for (let tried: number | undefined; ; ) {
    const chosen =
      codeHash === undefined
        ? await db.get<Chosen>(CHOOSE, { clientId, code, codeChallenge })
        : await db.get<Chosen>(CHOOSE_OPAQUE, { clientId, codeHash });
    if (chosen === undefined || chosen.familyId === tried) return undefined;
    // The key of a row does not change before its redemption.
    if (isBoundToOther(chosen, presented)) return undefined;
    const { familyId, userId, finishes } = chosen;
    const first = newTokenIn(familyId);
    // The redirect URI is only compared, so one that cannot be stored just matches nothing.
    const redirectUri = textToFind(presented.redirectUri);
    const tokenHash = hashOfTokenId(first);
    const values = {
      ...conditions,
      clientId,
      code: userId,
      redirectUri,
      codeChallenge,
      familyId,
      tokenHash,
      now,
    };
    const grant =
      finishes === 1 ? await redeemAndFinish(db, values) : await db.batch<Redeemed>(REDEEM, values);
    if (grant !== undefined) {
      const { resource } = grant;
      return { grant: toGrant(grant), first, ...(resource !== undefined && { resource }) };
    }
    tried = familyId;
  }
}

type Redeemed = Grant & Pick<NewFamily, 'resource'>;

type RedemptionValues = Omit<Redemption, 'codeChallenge' | 'codeHash' | 'dpopJkt'> & {
  readonly codeChallenge: string | null;
  readonly familyId: number;
  readonly tokenHash: string;
  readonly now: number;
};

/** Locks the user first, since accounts become the user's (user-lock.ts). */
const redeemAndFinish = (db: Database, values: RedemptionValues): Promise<Redeemed | undefined> =>
  db.transaction(async (tx) => {
    await lockUser(tx, { clientId: values.clientId, userId: values.code });
    const grant = await tx.get<Redeemed>(REDEEM_ONE, values);
    if (grant !== undefined) await finish(tx, grant, values.now);
    return grant;
  });

async function finish(tx: Statements, { clientId, userId, coverageId }: Grant, now: number): Promise<void> {
  const finished = await tx.change(FINISH, { coverageId });
  if (finished === 0) return;
  const accounts = await tx.all<{ accountKey: string }>(FINISHED, { coverageId });
  const accountKeys = accounts.map(({ accountKey }) => accountKey);
  await recordArrival(tx, { clientId, userId, accountKeys, now });
  await syncAll(tx, accountKeys, now);
}
