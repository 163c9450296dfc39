/** VerificationStore in SQL; held to test/contract/verification-store.contract.ts on both databases. */
import { type ReviewStep, transitionOf } from '../../verification/review-states.ts';
import { type Activity, REVIEWED_FIELDS } from '../../verification/verification.ts';
import type { VerificationStore } from '../../verification/verification-store.ts';
import type { Database } from '../drivers/database.ts';
import {
  addActivity,
  findVerification,
  LOCK_APPLICATION,
  SELECT_VERIFICATION,
  toReviewState,
  toVerification,
  type VerificationRow,
} from './review-rows.ts';

const LIST = `
  ${SELECT_VERIFICATION} WHERE v.status = 'under_review' ORDER BY v.submitted_at, a.client_id`;

const MAKE_ROW = `
  INSERT INTO verification (client_id, status) VALUES (:clientId, 'not_submitted') ON CONFLICT (client_id) DO NOTHING`;

// Copies what users see from the application's settings at this moment.
const APPROVE = [
  `UPDATE verification
      SET status = :status, verified_at = :now, reviewer_note = NULL,
          display_name = (SELECT a.display_name FROM application AS a WHERE a.client_id = :clientId),
          application_url = (SELECT l.application_url FROM application_look AS l WHERE l.client_id = :clientId),
          support_email = (SELECT l.support_email FROM application_look AS l WHERE l.client_id = :clientId),
          support_url = (SELECT l.support_url FROM application_look AS l WHERE l.client_id = :clientId)
    WHERE client_id = :clientId`,
  'DELETE FROM approved_logo WHERE client_id = :clientId',
  `INSERT INTO approved_logo (client_id, scheme, hash, content)
   SELECT client_id, scheme, hash, content FROM application_logo WHERE client_id = :clientId`,
];
const WITHDRAW = [
  `UPDATE verification
      SET status = :status, verified_at = NULL, display_name = NULL, application_url = NULL, support_email = NULL,
          support_url = NULL
    WHERE client_id = :clientId`,
  'DELETE FROM approved_logo WHERE client_id = :clientId',
];
const SET_STATUS = 'UPDATE verification SET status = :status WHERE client_id = :clientId';

const STATEMENTS: Readonly<Record<ReviewStep, readonly string[]>> = {
  submit: [
    `UPDATE verification SET status = :status, submitted_at = :now, reviewer_note = NULL
      WHERE client_id = :clientId`,
  ],
  request_changes: [
    'UPDATE verification SET status = :status, reviewer_note = :note WHERE client_id = :clientId',
  ],
  cancel: [SET_STATUS],
  edit: [SET_STATUS],
  approve: APPROVE,
  verify: APPROVE,
  withdraw: WITHDRAW,
};

const LIST_ACTIVITY = `
  SELECT number, at, actor, kind, note, fields FROM verification_activity
   WHERE client_id = :clientId AND number < :before ORDER BY number DESC LIMIT :limit`;

type ActivityRow = Omit<Activity, 'fields'> & { readonly fields: string };

export function verificationStore(db: Database): VerificationStore {
  return {
    findVerification: (clientId) => findVerification(db, clientId),

    makeStep({ clientId, now, note, step, by }, check) {
      return db.transaction(async (tx) => {
        await tx.change(LOCK_APPLICATION, { clientId, now });
        const before = await findVerification(tx, clientId);
        if (before === undefined) return undefined;
        check(before);
        const state = toReviewState(before);
        const transition = transitionOf(state, step);
        if (transition === undefined) return { verification: before, isMade: false };
        await tx.change(MAKE_ROW, { clientId });
        const values = { clientId, status: transition.status, now, note: note ?? null };
        for (const statement of STATEMENTS[step]) await tx.change(statement, values);
        const after = await findVerification(tx, clientId);
        await addActivity(tx, transition, { before: state, activity: { clientId, now, note, by } });
        return { verification: after ?? before, isMade: true };
      });
    },

    async listUnderReview() {
      return (await db.all<VerificationRow>(LIST)).map(toVerification);
    },

    async listActivity(clientId, { before = Number.MAX_SAFE_INTEGER, limit }) {
      return (await db.all<ActivityRow>(LIST_ACTIVITY, { clientId, before, limit })).map(toActivity);
    },
  };
}

function toActivity({ fields, ...row }: ActivityRow): Activity {
  const names = fields.split(',');
  return { ...row, fields: REVIEWED_FIELDS.filter((field) => names.includes(field)) };
}
